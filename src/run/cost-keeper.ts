import { agentsBegun } from '../core/governor/agents/agent-limits.ts';
import { isComputed, latestCallsMicroUsd, totalMicroUsd } from '../core/governor/cost/cost.ts';
import type { OwnEvent, SpentBefore } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Faults } from '../store/files/store-error.ts';
import { type CostLedger, type CostPlace, openCostLedger } from '../store/ledgers/cost-ledger.ts';

/** A call costs more, most often. */
const NOTED_MICRO_USD = 1_000;

interface CostKeeperOptions extends CostPlace {
  readonly runId: string;
  readonly period: 'day' | 'month';
  readonly isLimited: boolean;
  /** `Spending.lost` of the runs that this one continues: the ledger has it as their claims. */
  readonly lostBefore?: number | undefined;
  readonly now: () => number;
  /** Told where a limit cannot be followed. */
  readonly onFault: Faults;
  /** Told what the run has spent, a tenth of a cent and more at a time: it may be broken off at any moment. */
  readonly onSpent?: (spent: SpentSoFar) => void;
}

/** The spending of a run, recorded at each step because the run may break off at any moment. */
export interface SpentSoFar extends SpentBefore {
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The expected cost of the calls under way, judged by earlier ones, in micro-dollars. */
  readonly claimed: number;
}

interface Noted {
  readonly total: number;
  /** The part that the ledger already has. */
  readonly written: number;
  readonly agents: number;
  readonly raised: SpentBefore['raised'] | undefined;
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
  /** The last report to `onSpent`. */
  let noted: Noted = { total: 0, written: 0, agents: 0, raised: undefined, claimed: 0 };

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

  /**
   * @param always also an amount too small for a line of its own
   */
  function note(state: GovernorState, always: boolean): void {
    const { raised, before, lost } = state.spending;
    const underWay = state.turn.phase === 'idle' ? 0 : lastCall;
    const next = { total: totalMicroUsd(state.cost), written, agents: agentsBegun(state), raised, claimed: underWay };
    const { total, agents } = next;
    const most = always ? 0 : NOTED_MICRO_USD - 1;
    const isNews =
      Math.abs(total - noted.total) > most ||
      (always && written !== noted.written) ||
      raised !== (noted.raised ?? raised) ||
      agents !== noted.agents ||
      underWay > 0 !== noted.claimed > 0;
    if (!isNews) return;
    noted = next;
    onSpent?.({
      ...{ settled: before + written, open: total - written, raised, agents, lost },
      ...{ claimed: underWay, at: state.now },
    });
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
      note(state, isEnd);
      if (!isLimited || !(hasWritten || isEnd)) return undefined;
      const seen = attempt((open) => look(open, state.spending.lost - lostBefore));
      const { others, earlier } = state.spending;
      const isNews = seen?.kind === 'project-cost' && (seen.others !== others || seen.earlier !== earlier);
      return isNews ? seen : undefined;
    },
    /** Records the rest. */
    close(state: GovernorState): void {
      write(state, true);
      note(state, true);
    },
  };
}
