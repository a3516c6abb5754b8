import { agentsBegun } from '../core/governor/agents/agent-limits.ts';
import { isComputed, latestCallsMicroUsd, totalMicroUsd } from '../core/governor/cost/cost.ts';
import type { OwnEvent, SpentBefore } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Faults } from '../store/files/store-error.ts';
import { type CostLedger, type CostPlace, openCostLedger } from '../store/ledgers/cost-ledger.ts';

interface CostKeeperOptions extends CostPlace {
  readonly runId: string;
  readonly period: 'day' | 'month';
  readonly isLimited: boolean;
  /** `Spending.lost` of the runs that this one continues: the ledger has it as their claims. */
  readonly lostBefore?: number | undefined;
  readonly now: () => number;
  /** Told where a limit cannot be followed. */
  readonly onFault: Faults;
  /** Told what the run has spent with each change: it may be broken off at any moment. */
  readonly onSpent?: (spent: SpentSoFar) => void;
}

/** The spending of a run, recorded at each step because the run may break off at any moment. */
export interface SpentSoFar extends SpentBefore {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The expected cost of the calls under way, judged by earlier ones, in micro-dollars. */
  readonly claimed: number;
}

export type CostKeeper = ReturnType<typeof createCostKeeper>;

/** Keeps the ledger of what the runs of a project cost. */
export function createCostKeeper({
  state: folder,
  project,
  isLimited,
  lostBefore = 0,
  onFault,
  onSpent,
  ...options
}: CostKeeperOptions) {
  let ledger: CostLedger | undefined;
  let turns = 0;
  let written = 0;
  /** This run's claim in the ledger. */
  let claimed = 0;
  /** The cost of its latest call. */
  let lastCall = 0;
  /** The last report to `onSpent`; undefined: nothing was spent. */
  let noted: string | undefined;

  const opened = () => {
    ledger ??= openCostLedger({ state: folder, project }, options);
    return ledger;
  };

  /** A failed write is tried again with the next call: a full disk may have room then. */
  function attempt<T>(work: (ledger: CostLedger) => T): T | undefined {
    try {
      return work(opened());
    } catch (error) {
      if (isLimited) onFault("the project's cost limit cannot be followed", error);
      return undefined;
    }
  }

  /** Writes down what calls have cost, and claims what those under way will cost. */
  function write(state: GovernorState, isOver = false): boolean {
    const total = totalMicroUsd(state.cost);
    lastCall = latestCallsMicroUsd(state.cost) || lastCall;
    const isAtWork = !isOver && state.turn.phase !== 'idle';
    const lost = state.spending.lost - lostBefore;
    if (total === written && isAtWork === claimed > lost) return false;
    attempt((open) => {
      const claims = lost + (isAtWork ? lastCall || open.lastCall() : 0);
      if (total === written && claims === claimed) return;
      const more = { session: state.session.id ?? null, computed: isComputed(state.cost), claimed: claims };
      open.add(total - written, more);
      written = total;
      claimed = claims;
    });
    return true;
  }

  function note(state: GovernorState): void {
    const { raised, before, lost } = state.spending;
    const claimed = state.turn.phase === 'idle' ? 0 : lastCall;
    const open = totalMicroUsd(state.cost) - written;
    const spent = { settled: before + written, open, raised, agents: agentsBegun(state), lost, claimed };
    noted ??= JSON.stringify({ ...spent, settled: before, open: 0, agents: 0, claimed: 0 });
    const text = JSON.stringify(spent);
    if (text === noted) return;
    noted = text;
    onSpent?.({ ...spent, at: state.now });
  }

  function look(open: CostLedger, lost = 0): OwnEvent {
    return { kind: 'project-cost', others: open.ofOthers() + lost, earlier: open.spentEarlier() };
  }

  return {
    /** What the project's runs have spent before this one begins; undefined without such a limit. May throw. */
    opening: () => (isLimited ? look(opened()) : undefined),
    /** After each measured call: records its cost, and reads what other runs have spent. */
    settle(state: GovernorState): OwnEvent | undefined {
      const hasWritten = write(state);
      const isEnd = state.turn.ended !== turns;
      turns = state.turn.ended;
      note(state);
      if (!isLimited || !(hasWritten || isEnd)) return undefined;
      const seen = attempt((open) => look(open, state.spending.lost - lostBefore));
      const { others, earlier } = state.spending;
      const isNews = seen?.kind === 'project-cost' && (seen.others !== others || seen.earlier !== earlier);
      return isNews ? seen : undefined;
    },
    /** Records the rest. */
    close(state: GovernorState): void {
      write(state, true);
      note(state);
    },
  };
}
