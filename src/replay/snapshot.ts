import type { Decision } from '../core/governor/decisions.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { createAccuracy } from './accuracy/create-accuracy.ts';
import type { InputReader } from './inputs.ts';
import type { createCalls } from './observers/calls.ts';
import type { createCompactions } from './observers/compactions.ts';
import type { createCurve } from './observers/curve.ts';
import type { createGrowth } from './observers/growth.ts';
import type { createLedger } from './observers/ledger.ts';
import type { createOddities } from './observers/oddities.ts';
import type { createPauses } from './observers/pauses.ts';
import type { createPrompts } from './observers/prompts.ts';
import type { createSubagents } from './observers/subagents.ts';
import type { createWaits } from './observers/waits.ts';
import type { SessionSummary } from './summary.ts';

/** All that a replay knows at a line. Plain data and maps, which `structuredClone` can copy. */
export interface Snapshot {
  readonly own: Own;
  readonly inputs: InputReader['state'];
  readonly compactions: StateOf<typeof createCompactions>;
  readonly curve: StateOf<typeof createCurve>;
  readonly ledger: StateOf<typeof createLedger>;
  readonly subagents: StateOf<typeof createSubagents>;
  readonly oddities: StateOf<typeof createOddities>;
  readonly pauses: StateOf<typeof createPauses>;
  readonly waits: StateOf<typeof createWaits>;
  readonly growth: StateOf<typeof createGrowth>;
  readonly accuracy: StateOf<typeof createAccuracy> | undefined;
  readonly calls: StateOf<typeof createCalls> | undefined;
  readonly prompts: StateOf<typeof createPrompts>;
}

type StateOf<Create extends (...given: never[]) => { readonly state: object }> = ReturnType<Create>['state'];

/** What the replay itself knows. */
export interface Own {
  state: GovernorState;
  /** Number of the line. */
  at: number;
  readonly lines: { total: number; unknown: number; malformed: number };
  readonly time: { first: number | null; last: number | null };
  opening: string | null;
  project: string | null;
  peakCall: number;
  readonly decisions: Decision[];
  readonly lineage: SessionSummary['lineage'][number][];
}
