import type { Check } from './check.ts';
import { COMPACTION_FACTS } from './facts/compaction.ts';
import { COST_FACTS } from './facts/cost.ts';
import { GAUGE_FACTS, SUBAGENTS_FACTS } from './facts/gauge.ts';
import { HOOKS_FACTS } from './facts/hooks.ts';
import { MID_TURN_FACTS } from './facts/mid-turn.ts';
import { RUNNING_FACTS } from './facts/running.ts';

/** Every fact that ctxb relies on, in the order in which they are shown. The first one is checked first, alone. */
export const ALL_CHECKS: readonly Check[] = [
  ...RUNNING_FACTS,
  ...HOOKS_FACTS,
  ...GAUGE_FACTS,
  ...COMPACTION_FACTS,
  ...MID_TURN_FACTS,
  ...SUBAGENTS_FACTS,
  ...COST_FACTS,
];
