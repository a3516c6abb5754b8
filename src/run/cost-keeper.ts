import { agentsBegun } from '../core/governor/agents/agent-limits.ts';
import { isComputed, totalMicroUsd } from '../core/governor/cost/cost.ts';
import { latestCallsMicroUsd, openMicroUsd } from '../core/governor/cost/priced-call.ts';
import type { OwnEvent, SpentBefore } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Faults } from '../store/files/store-error.ts';
import { type CostLedger, type CostPlace, openCostLedger } from '../store/ledgers/cost-ledger.ts';

interface CostKeeperOptions extends CostPlace {
  readonly runId: string;
  readonly period: 'day' | 'month';
  readonly isLimited: boolean;
  /**
   * `Spending.lost` of the runs that this one continues, in micro-dollars: the ledger already holds it as their claims.
   */
  readonly lostBefore?: number | undefined;
  readonly now: () => number;
  /** Reports that a limit cannot be enforced. */
  readonly onFault: Faults;
  /** Receives each change of the run's spending, because the run may be killed at any moment. */
  readonly onSpent?: (spent: SpentSoFar) => void;
}

/** The spending of a run, recorded at each step because the run may be killed at any moment. */
export interface SpentSoFar extends SpentBefore {
  /** Time of claude's last report, in milliseconds since the epoch. */
  readonly at: number;
  /** Cost of the calls since then as far as the stream shows it, in micro-dollars; part of the sums. */
  readonly computed: number;
  /** Expected cost of the calls in progress, estimated from earlier ones, in micro-dollars. */
  readonly claimed: number;
}

export type CostKeeper = ReturnType<typeof createCostKeeper>;

/** Records the run's costs in the project's ledger. */
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
  let writtenMicroUsd = 0;
  /** This run's claim in the ledger, in micro-dollars. */
  let claimed = 0;
  /**
   * Expected cost of a call in micro-dollars: the average by claude's last report, which has the final output tokens, or
   * the cost of a later call if that is higher.
   */
  let expectedCall = 0;
  let reported = { total: 0, calls: 0, at: options.now() };
  /** The last report to `onSpent`; undefined if nothing was spent. */
  let noted: string | undefined;

  const opened = () => {
    ledger ??= openCostLedger({ state: folder, project }, options);
    return ledger;
  };

  /** Reports a failure and goes on; the next call retries, because a full disk may have room by then. */
  function attempt<T>(work: (ledger: CostLedger) => T): T | undefined {
    try {
      return work(opened());
    } catch (error) {
      if (isLimited) onFault("the project's cost limit cannot be followed", error);
      return undefined;
    }
  }

  /** Records the cost of finished calls, and claims the expected cost of those in progress. */
  function write(state: GovernorState, isOver = false): boolean {
    const total = totalMicroUsd(state.cost);
    const { calls } = state.gauge;
    const latest = latestCallsMicroUsd(state.cost);
    if (latest === 0 && total !== reported.total) {
      const spent = Math.max(0, total - reported.total);
      expectedCall = Math.round(spent / Math.max(1, calls - reported.calls)) || expectedCall;
      reported = { total, calls, at: state.now };
    }
    expectedCall = Math.max(latest, expectedCall);
    const isAtWork = !isOver && state.turn.phase !== 'idle';
    const lost = state.spending.lost - lostBefore;
    if (total === writtenMicroUsd && isAtWork === claimed > lost) return false;
    attempt((open) => {
      const claims = lost + (isAtWork ? expectedCall || open.lastCall() : 0);
      if (total === writtenMicroUsd && claims === claimed) return;
      const more = { session: state.session.id ?? null, computed: isComputed(state.cost), claimed: claims };
      open.add(total - writtenMicroUsd, more);
      writtenMicroUsd = total;
      claimed = claims;
    });
    return true;
  }

  function note(state: GovernorState): void {
    const { raised, before, lost } = state.spending;
    const claimed = state.turn.phase === 'idle' ? 0 : expectedCall;
    const open = totalMicroUsd(state.cost) - writtenMicroUsd;
    const spent = { settled: before + writtenMicroUsd, open, raised, agents: agentsBegun(state), lost, claimed };
    noted ??= JSON.stringify({ ...spent, settled: before, open: 0, agents: 0, claimed: 0 });
    const text = JSON.stringify(spent);
    if (text === noted) return;
    noted = text;
    onSpent?.({ ...spent, at: reported.at, computed: openMicroUsd(state.cost) });
  }

  function look(open: CostLedger, lost = 0): OwnEvent {
    return { kind: 'project-cost', others: open.ofOthers() + lost, earlier: open.spentEarlier() };
  }

  return {
    /** Spending of the project's runs before this one starts; undefined without a project limit. May throw. */
    opening: () => (isLimited ? look(opened()) : undefined),
    /** Called after each line: records new costs, and reads other runs' spending. */
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
    /** Time of claude's last report, in milliseconds since the epoch. */
    get reportedAt() {
      return reported.at;
    },
    /** Records the remaining cost. */
    close(state: GovernorState): void {
      write(state, true);
      note(state);
    },
  };
}
