import type { Priority } from '../../config/config.ts';
import { cut } from '../../core/memory/words.ts';
import type { PackItem } from './step-block.ts';

/** A priority as notes and receipts spell it. */
export type Tier = Uppercase<Priority>;

/** The tiers, the most important first. */
export const TIERS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Tier[];

/** Known agents, in lower case. Decisions and reviews outrank designs, which outrank analyses and reports. */
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

type AgentPriorities = Readonly<Record<string, Priority>>;

/** Configured priorities of agents: the flow's override the global ones, which override `AGENTS`. */
export interface PriorityLevels {
  readonly flow?: AgentPriorities | undefined;
  readonly global?: AgentPriorities | undefined;
}

export type ClassifiedBy =
  | 'step'
  | 'configured agent'
  | 'configured agent (global)'
  | 'known agent'
  | 'step id'
  | 'output'
  | 'default';

export interface Classified {
  readonly tier: Tier;
  readonly by: ClassifiedBy;
}

const KNOWN: ReadonlyMap<string, Tier> = new Map(
  TIERS.flatMap((tier) => AGENTS[tier].map((agent): [string, Tier] => [agent, tier])),
);

/**
 * Judges how much a step's output counts: by what the step says itself, by its agent (configured before known), by the
 * words of its id, by the words of its output; MEDIUM where none of them tells.
 */
export function createClassifier(
  configured: PriorityLevels = {},
): (item: Pick<PackItem, 'stepId' | 'agent' | 'priority' | 'output'>) => Classified {
  const own = tiersByName(configured.flow);
  const global = tiersByName(configured.global);
  return ({ stepId, agent, priority, output }) => {
    if (priority !== undefined) return { tier: toTier(priority), by: 'step' };
    const name = agent?.toLowerCase() ?? '';
    return (
      found(own.get(name), 'configured agent') ??
      found(global.get(name), 'configured agent (global)') ??
      found(KNOWN.get(name), 'known agent') ??
      found(tierOfId(stepId), 'step id') ??
      found(tierOfOutput(output), 'output') ?? { tier: 'MEDIUM', by: 'default' }
    );
  };
}

export function distributionOf(tiers: Iterable<Tier>): Record<Tier, number> {
  const counts: Record<Tier, number> = { CRITICAL: 0, HIGH: 0, MEDIUM: 0, LOW: 0 };
  for (const tier of tiers) counts[tier]++;
  return counts;
}

function found(tier: Tier | undefined, by: ClassifiedBy): Classified | undefined {
  return tier && { tier, by };
}

function tiersByName(priorities: AgentPriorities = {}): ReadonlyMap<string, Tier> {
  return new Map(Object.entries(priorities).map(([agent, priority]) => [agent.toLowerCase(), toTier(priority)]));
}

function toTier(priority: Priority): Tier {
  return priority.toUpperCase() as Tier;
}

/** Words of a step's id. If an id has several, the most important counts. */
export const ID_WORDS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: ['critic', 'decider', 'decision'],
  HIGH: ['implement', 'author', 'test'],
  MEDIUM: ['analyze', 'assess', 'load', 'risk'],
  LOW: ['normalize', 'frame', 'report', 'history'],
};

/** Words of an output's beginning; `build_receipt` counts by its second. One that raises outweighs any that lower. */
const OUTPUT_WORDS = {
  HIGH: ['adr', 'contracts', 'critique', 'decision', 'receipt', 'requirements'],
  LOW: ['audit', 'feedback', 'history', 'learnings', 'summary'],
} as const satisfies Partial<Record<Tier, readonly string[]>>;

/** Code points of an output in which words count. */
const OUTPUT_BEGINNING = 1_000;

const ENDINGS = ['', 's', 'ed', 'er', 'ers', 'or', 'ors', 'ing', 'ation', 'ations', 'ment', 'ments'];

/** Runs of letters; within one, a capital begins a new word, and a row of capitals is one: `runHTMLTests`. */
const WORDS = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu;

const TIER_OF_WORD: ReadonlyMap<string, Tier> = new Map(
  // If a word has two tiers, the more important counts, so it is set last.
  [...TIERS].reverse().flatMap((tier) => ID_WORDS[tier].flatMap(formsOf).map((form): [string, Tier] => [form, tier])),
);

/**
 * By whole words of an id, in any case; `-`, `_`, `.`, digits and a capital inside part them. A word counts with the
 * endings of its kind (`tests`, `implementer`), but `latest` is no test and `critical` no critic.
 */
export function tierOfId(id: string): Tier | undefined {
  const tiers = new Set(id.match(WORDS)?.map((word) => TIER_OF_WORD.get(word.toLowerCase())));
  return TIERS.find((tier) => tiers.has(tier));
}

const RAISING = OUTPUT_WORDS.HIGH.map(withPlural).join('|');
const LOWERING = OUTPUT_WORDS.LOW.map(withPlural).join('|');
// Checking the letters around each match takes half the time of word boundaries in the pattern.
const IN_OUTPUT = new RegExp(`(${RAISING})|${LOWERING}`, 'gi');
const LETTER = /\p{L}/u;

/** By whole words among the first 1,000 code points of an output, in any case. */
export function tierOfOutput(output: string): Tier | undefined {
  const beginning = cut(output, OUTPUT_BEGINNING);
  let lowered = false;
  for (const { 0: word, 1: raising, index } of beginning.matchAll(IN_OUTPUT)) {
    // In the whole output, for the last word may continue beyond the beginning.
    if (LETTER.test(output.charAt(index - 1)) || LETTER.test(output.charAt(index + word.length))) continue;
    if (raising !== undefined) return 'HIGH';
    lowered = true;
  }
  return lowered ? 'LOW' : undefined;
}

function formsOf(word: string): string[] {
  if (word.endsWith('y')) return [word, `${word.slice(0, -1)}ies`];
  const stem = word.replace(/e$/, '');
  return [word, ...ENDINGS.map((ending) => word + ending), ...ENDINGS.slice(2).map((ending) => stem + ending)];
}

function withPlural(word: string): string {
  return word.endsWith('y') ? `${word.slice(0, -1)}(?:y|ies)` : `${word}s?`;
}
