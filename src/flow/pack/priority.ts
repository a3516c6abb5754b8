import type { Budgets, Priority } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { cut } from '../../core/text/words.ts';
import {
  fittedBlock,
  newestBlock,
  type PackItem,
  type SizedItem,
  type StepBlock,
  type Summary,
  stepBlock,
} from './step-block.ts';

export type Tier = Uppercase<Priority>;

/** The tiers, most important first. */
export const TIERS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Tier[];

/** Known agents in lower case. Decisions and reviews outrank designs, which outrank analyses and reports. */
export const AGENTS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: words(`
    merge-decider deploy-decider requirements-critic design-critic test-critic code-critic ux-critic
    code-implementer test-author self-reviewer
  `),
  HIGH: words(`
    requirements-author bdd-author adr-author interface-designer observability-designer design-optioneer
    work-planner test-strategist receipt-checker contract-enforcer security-scanner coverage-enforcer gate-fixer
    smoke-verifier deploy-monitor
  `),
  MEDIUM: words('clarifier risk-analyst policy-analyst impact-analyzer context-loader fixer mutator'),
  LOW: words(`
    signal-normalizer problem-framer scope-assessor gh-reporter doc-writer flow-historian artifact-auditor
    regression-analyst learning-synthesizer feedback-applier swarm-ops ux-implementer repo-operator
  `),
};

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

export type ClassifiedBy = 'step' | 'known agent' | 'step id' | 'output' | 'default';

interface Classified {
  readonly tier: Tier;
  readonly by: ClassifiedBy;
}

const KNOWN: ReadonlyMap<string, Tier> = new Map(
  TIERS.flatMap((tier) => AGENTS[tier].map((agent): [string, Tier] => [agent, tier])),
);

/** By the first match: the step's own priority, its agent, words of its id, words of its output; otherwise MEDIUM. */
export function classify({
  stepId,
  agent = '',
  priority,
  output,
}: Pick<PackItem, 'stepId' | 'agent' | 'priority' | 'output'>): Classified {
  if (priority !== undefined) return { tier: priority.toUpperCase() as Tier, by: 'step' };
  return (
    classified(KNOWN.get(agent.toLowerCase()), 'known agent') ??
    classified(tierOfId(stepId), 'step id') ??
    classified(tierOfOutput(output), 'output') ?? { tier: 'MEDIUM', by: 'default' }
  );
}

export function distributionOf(tiers: Iterable<Tier>): Record<Tier, number> {
  const counts: Record<Tier, number> = { CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 };
  for (const tier of tiers) counts[tier]++;
  return counts;
}

function classified(tier: Tier | undefined, by: ClassifiedBy): Classified | undefined {
  return tier && { tier, by };
}

/** Words of step ids. If an id contains several, the most important tier wins. */
export const ID_WORDS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: ['critic', 'decider', 'decision'],
  HIGH: ['implement', 'author', 'test'],
  MEDIUM: ['analyze', 'assess', 'load', 'risk'],
  LOW: ['normalize', 'frame', 'report', 'history'],
};

/** Words in the start of an output; `build_receipt` matches by its second one. HIGH outweighs all LOW ones. */
const OUTPUT_WORDS = {
  HIGH: ['adr', 'contracts', 'critique', 'decision', 'receipt', 'requirements'],
  LOW: ['audit', 'feedback', 'history', 'learnings', 'summary'],
} as const satisfies Partial<Record<Tier, readonly string[]>>;

const OUTPUT_BEGINNING = 1_000;

const ENDINGS = ['', 's', 'ed', 'er', 'ers', 'or', 'ors', 'ing', 'ation', 'ations', 'ment', 'ments'];

/** Splits an id into words at non-letters and at capitals; consecutive capitals form one word: `runHTMLTests`. */
const WORDS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu;

const ID_PATTERNS = TIERS.map((tier) => ({
  tier,
  pattern: new RegExp(`^(?:${ID_WORDS[tier].map(formsOf).join('|')})$`, 'i'),
}));

/** Inflected forms match (`tests`, `implementer`), but `latest` does not match `test`, nor `critical` `critic`. */
export function tierOfId(id: string): Tier | undefined {
  const words = id.match(WORDS) ?? [];
  return ID_PATTERNS.find(({ pattern }) => words.some((word) => pattern.test(word)))?.tier;
}

const RAISING = OUTPUT_WORDS.HIGH.map(withPlural).join('|');
const LOWERING = OUTPUT_WORDS.LOW.map(withPlural).join('|');
// Checking the letters around each match is twice as fast as word boundaries in the pattern.
const OUTPUT_WORD = new RegExp(`(${RAISING})|${LOWERING}`, 'gi');
const LETTER = /\p{L}/u;

/** The tier by whole words in the first 1,000 code points of an output, ignoring case. */
export function tierOfOutput(output: string): Tier | undefined {
  const beginning = cut(output, OUTPUT_BEGINNING);
  let lowered = false;
  for (const { 0: word, 1: raising, index } of beginning.matchAll(OUTPUT_WORD)) {
    // Look at the whole output, because the last word may continue beyond the searched part.
    if (LETTER.test(output.charAt(index - 1)) || LETTER.test(output.charAt(index + word.length))) continue;
    if (raising !== undefined) return 'HIGH';
    lowered = true;
  }
  return lowered ? 'LOW' : undefined;
}

function formsOf(word: string): string {
  if (word.endsWith('y')) return withPlural(word);
  return `${word}(?:${ENDINGS.join('|')})|${word.replace(/e$/, '')}(?:${ENDINGS.slice(2).join('|')})`;
}

function withPlural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}(?:y|ies)` : `${word}s?`;
}

export interface Candidate extends SizedItem {
  readonly index: number;
  readonly tier: Tier;
  readonly by: ClassifiedBy;
  /** Code points of the step's output. */
  readonly chars: number;
  readonly limitedBy: 'historyRecentChars' | 'historyOlderChars';
}

export type Selection = ReadonlyMap<number, StepBlock>;

/** Sets the limit of each step. A summary replaces the output, except that of the newest step. */
export function judgeHistory(
  history: readonly PackItem[],
  budgets: Budgets,
  summaries: ReadonlyMap<string, Summary> = new Map(),
): Candidate[] {
  return history.map((item, index) => {
    const { tier, by } = classify(item);
    const isNewest = index === history.length - 1;
    const limitedBy = isNewest || tier === 'CRITICAL' ? 'historyRecentChars' : 'historyOlderChars';
    const summary = isNewest ? undefined : summaries.get(item.stepId);
    const chars = codePoints(item.output);
    const size = summary === undefined ? chars : codePoints(summary.text);
    return { item: { ...item, summary }, index, tier, by, chars, size, limit: budgets[limitedBy], limitedBy };
  });
}

/** The most important first; within a tier, the newest first. */
export function byPriority<T extends { readonly tier: Tier }>(candidates: readonly T[]): T[] {
  return candidates.toReversed().sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
}

export function inOrder(
  candidates: readonly Candidate[],
  isCurated: (stepId: string) => boolean = () => false,
): Candidate[] {
  const ranked = byPriority(candidates.slice(0, -1));
  const named = ranked.filter(({ item }) => isCurated(item.stepId));
  const rest = ranked.filter(({ item }) => !isCurated(item.stepId));
  return [...candidates.slice(-1), ...named, ...rest];
}

/**
 * Takes steps in order until the space is used. The first one, which is the newest, is always included; the first one
 * that does not fit is shortened to the remaining space, or ends the selection. So the included steps are a prefix of
 * the order, and more space (with the same limits per step) never removes a step.
 *
 * @param room code points for the history, of them `note` for the note if something is omitted
 */
export function select(
  order: readonly Candidate[],
  room: { readonly whole: number; readonly note: number },
): Selection {
  const blocks = new Map<number, StepBlock>();
  let used = 0;
  for (const candidate of order) {
    const block = stepBlock(candidate);
    used += block.cost;
    if (used > room.whole) return selectSome(order, room.whole - room.note);
    blocks.set(candidate.index, block);
  }
  return blocks;
}

function selectSome(order: readonly Candidate[], room: number): Selection {
  const blocks = new Map<number, StepBlock>();
  let remaining = room;
  for (const candidate of order) {
    const block = blocks.size === 0 ? newestBlock(candidate, remaining) : fittedBlock(candidate, remaining);
    if (block === undefined) break;
    blocks.set(candidate.index, block);
    remaining -= block.cost;
    // Leave the rest unused: with more space, the shortened step would take it.
    if (block.shown < Math.min(candidate.size, candidate.limit)) break;
  }
  return blocks;
}
