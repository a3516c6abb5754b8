import type { Priority } from '../../config/flow-settings.ts';
import type { HistoryItem } from '../flow.ts';
import { tierOfId, tierOfOutput } from './priority-words.ts';

/** A priority as notes and receipts spell it. */
export type Tier = Uppercase<Priority>;

/** The tiers, the most important first. */
export const TIERS = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'] as const satisfies readonly Tier[];

export const TIER_VALUES: Readonly<Record<Tier, number>> = { CRITICAL: 3, HIGH: 2, MEDIUM: 1, LOW: 0 };

/** The agents that are known by name, in lower case. Decisions and reviews outrank designs, those analyses and reports. */
export const AGENTS: Readonly<Record<Tier, readonly string[]>> = {
  CRITICAL: [
    'merge-decider',
    'deploy-decider',
    'requirements-critic',
    'design-critic',
    'test-critic',
    'code-critic',
    'ux-critic',
    'code-implementer',
    'test-author',
    'self-reviewer',
  ],
  HIGH: [
    'requirements-author',
    'bdd-author',
    'adr-author',
    'interface-designer',
    'observability-designer',
    'design-optioneer',
    'work-planner',
    'test-strategist',
    'receipt-checker',
    'contract-enforcer',
    'security-scanner',
    'coverage-enforcer',
    'gate-fixer',
    'smoke-verifier',
    'deploy-monitor',
  ],
  MEDIUM: ['clarifier', 'risk-analyst', 'policy-analyst', 'impact-analyzer', 'context-loader', 'fixer', 'mutator'],
  LOW: [
    'signal-normalizer',
    'problem-framer',
    'scope-assessor',
    'gh-reporter',
    'doc-writer',
    'flow-historian',
    'artifact-auditor',
    'regression-analyst',
    'learning-synthesizer',
    'feedback-applier',
    'swarm-ops',
    'ux-implementer',
    'repo-operator',
  ],
};

/** Priorities of agents by name, in any case. */
type AgentPriorities = Readonly<Record<string, Priority>>;

/** Where agents are given priorities: those of the flow stand above the global ones, and these above the names known here. */
export interface PriorityLevels {
  readonly flow?: AgentPriorities | undefined;
  readonly global?: AgentPriorities | undefined;
}

/** What a tier was read from. */
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
export function createClassifier(configured: PriorityLevels = {}): (item: HistoryItem) => Classified {
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

/** How many there are of each. */
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
