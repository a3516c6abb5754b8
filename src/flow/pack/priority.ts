import type { Budgets, Priority } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { cut } from '../../core/text/words.ts';
import { cutToFit, type PackItem, type Part, type ShownOutput, type Summary, stepBlock } from './step-block.ts';

export type Tier = Uppercase<Priority>;

/** The tiers, most important first. */
export const TIERS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Tier[];

/**
 * Known agents, in lower case. Decisions and reviews are more important than designs, and designs more than analyses
 * and reports.
 */
export const AGENT_TIERS: Readonly<Record<Tier, readonly string[]>> = {
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
  TIERS.flatMap((tier) => AGENT_TIERS[tier].map((agent): [string, Tier] => [agent, tier])),
);

/**
 * The tier of a step by the first match: the step's own priority, its agent, words of its id, words of its output.
 * Otherwise MEDIUM.
 */
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

/** Words at the start of an output. HIGH outweighs all LOW ones. */
const OUTPUT_WORDS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: [],
  HIGH: ['adr', 'contracts', 'critique', 'decision', 'receipt', 'requirements'],
  MEDIUM: [],
  LOW: ['audit', 'feedback', 'history', 'learnings', 'summary'],
};

const ENDINGS = ['', 's', 'ed', 'er', 'ers', 'or', 'ors', 'ing', 'ation', 'ations', 'ment', 'ments'];

/** Splits an id into words at non-letters and at capitals; consecutive capitals form one word: `runHTMLTests`. */
const WORDS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu;

const ID_PATTERNS = patternsOf(ID_WORDS, formsOf);

/**
 * The tier by the words of an id. Inflected forms match (`tests`, `implementer`), but `latest` does not match `test`,
 * nor `critical` `critic`.
 */
export function tierOfId(id: string): Tier | undefined {
  return tierIn(id.replaceAll(WORDS, '$& '), ID_PATTERNS);
}

const OUTPUT_PATTERNS = patternsOf(OUTPUT_WORDS, withPlural);

const OUTPUT_BEGINNING = 1_000;

/** The tier by whole words in the first 1,000 code points of an output, ignoring case. */
export function tierOfOutput(output: string): Tier | undefined {
  // One code point more shows whether the last word continues.
  return tierIn(cut(output, OUTPUT_BEGINNING + 1), OUTPUT_PATTERNS);
}

/** Patterns that match whole words, those of the most important tier first. */
function patternsOf(words: Readonly<Record<Tier, readonly string[]>>, forms: (word: string) => string) {
  return TIERS.filter((tier) => words[tier].length > 0).map((tier) => ({
    tier,
    pattern: new RegExp(`(?<!\\p{L})(?:${words[tier].map(forms).join('|')})(?!\\p{L})`, 'iu'),
  }));
}

function tierIn(text: string, patterns: ReturnType<typeof patternsOf>): Tier | undefined {
  return patterns.find(({ pattern }) => pattern.test(text))?.tier;
}

function formsOf(word: string): string {
  if (word.endsWith('y')) return withPlural(word);
  return `${word}(?:${ENDINGS.join('|')})|${word.replace(/e$/, '')}(?:${ENDINGS.slice(2).join('|')})`;
}

function withPlural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}(?:y|ies)` : `${word}s?`;
}

/** The curator's choice: ids of steps, and paths of files. They come first; the budget decides how many fit. */
export interface CuratedChoice {
  readonly steps: readonly string[];
  readonly files: readonly string[];
  readonly summaries?: ReadonlyMap<string, Summary> | undefined;
}

/** A step of the history with the figures that decide its place in the briefing. */
export interface Candidate extends ShownOutput {
  readonly tier: Tier;
  readonly by: ClassifiedBy;
  readonly isNewest: boolean;
  readonly isNamed: boolean;
  /** Code points of the step's output. */
  readonly chars: number;
  readonly limit: number;
  readonly limitedBy: 'historyRecentChars' | 'historyOlderChars';
}

/** The shown steps; the others are omitted. */
export type Selection = ReadonlyMap<Candidate, Part>;

/** Sets the limit of each step, and replaces outputs by their summaries, except the newest step's. */
export function limitHistory(
  history: readonly PackItem[],
  budgets: Budgets,
  { steps, summaries }: Partial<CuratedChoice> = {},
): Candidate[] {
  const named = new Set(steps);
  return history.map((item, index) => {
    const { tier, by } = classify(item);
    const isNewest = index === history.length - 1;
    const limitedBy = isNewest || tier === 'CRITICAL' ? 'historyRecentChars' : 'historyOlderChars';
    const summary = isNewest ? undefined : summaries?.get(item.stepId);
    const chars = codePoints(item.output);
    const size = summary === undefined ? chars : codePoints(summary.text);
    const isNamed = named.has(item.stepId);
    return { item, summary, size, tier, by, isNewest, isNamed, chars, limit: budgets[limitedBy], limitedBy };
  });
}

/** The most important first; within a tier, the newest first. */
export function byPriority<T extends { readonly tier: Tier }>(candidates: readonly T[]): T[] {
  return candidates.toReversed().sort((a, b) => TIERS.indexOf(a.tier) - TIERS.indexOf(b.tier));
}

/** The order in which steps get space: the newest, then those that a curator named, then the rest. */
export function selectionOrder(candidates: readonly Candidate[]): Candidate[] {
  const placeOf = ({ isNewest, isNamed }: Candidate) => (isNewest ? 0 : isNamed ? 1 : 2);
  return byPriority(candidates).sort((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Selects the steps that fit.
 * @param room code points for the history: if `all` of it fits, or with a note that only `some` of it does
 */
export function select(order: readonly Candidate[], room: { readonly all: number; readonly some: number }): Selection {
  const all = selectWithin(order, room.all);
  return isComplete(order, all) ? all : selectWithin(order, room.some);
}

/** Whether each step is shown as far as its own limit allows. */
export function isComplete(candidates: readonly Candidate[], blocks: Selection): boolean {
  return candidates.every((candidate) => blocks.get(candidate)?.shown === mostOf(candidate));
}

function mostOf({ size, limit }: Candidate): number {
  return Math.min(size, limit);
}

/** Minimum code points of an output. Less is not worth the step's heading. */
const MIN_SHOWN_CHARS = 200;

/**
 * Takes steps in order until the space is used. The first step that does not fit is cut to the remaining space, or ends
 * the selection. So the selection is a prefix of the order, and more space never removes a step if the limits per step
 * stay.
 */
function selectWithin(order: readonly Candidate[], room: number): Selection {
  const blocks = new Map<Candidate, Part>();
  let remaining = room;
  for (const candidate of order) {
    const max = mostOf(candidate);
    const min = candidate.isNewest ? 0 : MIN_SHOWN_CHARS;
    const block = cutToFit((shown) => stepBlock(candidate, shown), { max, min, room: remaining });
    if (block === undefined) break;
    blocks.set(candidate, block);
    remaining -= block.cost;
    // The rest stays unused. With more space, the cut step would need it.
    if (block.shown < max) break;
  }
  return blocks;
}
