import { setTimeout as delay } from 'node:timers/promises';
import { agentsBegun } from '../core/governor/agents/agent-limits.ts';
import { toMicroUsd, totalMicroUsd } from '../core/governor/cost/cost.ts';
import { latestCallsMicroUsd, openMicroUsd } from '../core/governor/cost/priced-call.ts';
import type { OwnEvent, SpentBefore } from '../core/governor/input.ts';
import { waiting } from '../core/governor/prompts/mailbox.ts';
import { turnsBegun } from '../core/governor/prompts/turns.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Lock } from '../store/files/lock.ts';
import { createFaults, tryOrReport } from '../store/files/store-error.ts';
import {
  type CostLedger,
  type CostLedgerOptions,
  type CostPlace,
  openCostLedger,
} from '../store/ledgers/cost-ledger.ts';

interface CostKeeperOptions extends CostPlace, CostLedgerOptions {
  readonly limitUsd: number | undefined;
  /** Micro-dollars of `Spending.lost` that the ledger already has as claims of the continued runs. */
  readonly lostBefore?: number | undefined;
  readonly notice: (text: string) => void;
  readonly onSpent?: (spent: RunSpending) => void;
}

/** The spending of a run, recorded at each step because the run may be killed at any moment. */
export interface RunSpending extends SpentBefore {
  /** Time of claude's last cost report, in milliseconds since the epoch. */
  readonly at: number;
  /** Cost of the calls since then as far as the stream shows it, in micro-dollars; part of the sums. */
  readonly computed: number;
  /** Expected cost of the calls in progress, estimated from earlier ones, in micro-dollars. */
  readonly claimed: number;
}

export type CostKeeper = ReturnType<typeof createCostKeeper>;

/** Polls for at most two minutes, because a run may never make its first call. */
const POLL_MS = 50;
const MAX_POLLS = 2_400;

/** Whether a call is running, or follows without the caller. */
function mayCall(state: GovernorState): boolean {
  const { turn, operation } = state;
  const isBusy = turn.phase !== 'idle' || operation.phase !== 'idle' || waiting(state).length > 0;
  return isBusy || turnsBegun(turn) === 0;
}

export function createCostKeeper({
  state: folder,
  project,
  limitUsd,
  lostBefore = 0,
  notice,
  onSpent,
  ...options
}: CostKeeperOptions) {
  let ledger: CostLedger | undefined;
  let turns = 0;
  let writtenMicroUsd = 0;
  let claimed = 0;
  /**
   * Expected cost of a call in micro-dollars: the average by claude's last report, which has the final output tokens,
   * or the highest cost of a later call.
   */
  let expectedCall = 0;
  let reported = { total: 0, calls: 0, at: options.now() };
  /** The lock that makes other runs wait until the cost of a call is known. */
  let first: Lock | undefined;
  /** Expected cost of calls that were interrupted because of other runs' spending. The API may bill them. */
  let interrupted = 0;
  let hasTold = false;
  let noted: string | undefined;

  const opened = () => {
    ledger ??= openCostLedger({ state: folder, project }, options);
    return ledger;
  };

  // A separate reporter, because each reporter announces a cause only once.
  const report = createFaults(limitUsd === undefined ? () => {} : notice);

  /** A later call tries again, because a full disk may have room by then. */
  const attempt = <T>(work: (ledger: CostLedger) => T) =>
    tryOrReport(report, "the project's cost limit cannot be followed", () => work(opened()));

  /** Records the cost of finished calls, and claims the expected cost of those in progress. */
  function write(state: GovernorState, isOver = false): boolean {
    const total = totalMicroUsd(state.limits.cost);
    const { calls } = state.gauge;
    const latest = latestCallsMicroUsd(state.limits.cost);
    if (latest === 0 && total !== reported.total) {
      const spent = Math.max(0, total - reported.total);
      expectedCall = Math.round(spent / Math.max(1, calls - reported.calls)) || expectedCall;
      reported = { total, calls, at: state.facts.now };
    }
    expectedCall = Math.max(latest, expectedCall);
    const isAtWork = !isOver && mayCall(state);
    const lost = interrupted + state.limits.lost - lostBefore;
    const call = reported.calls > 0 ? expectedCall : 0;
    if (total === writtenMicroUsd && isAtWork === claimed > lost) return false;
    attempt((open) => {
      const claims = lost + (isAtWork ? expectedCall || open.lastCall() : 0);
      if (total === writtenMicroUsd && claims === claimed) return;
      open.add(total - writtenMicroUsd, { claimed: claims, call });
      writtenMicroUsd = total;
      claimed = claims;
    });
    if (call > 0) first?.release();
    return true;
  }

  function note(state: GovernorState): void {
    const { raised, before, lost } = state.limits;
    const claimed = state.turn.phase === 'idle' ? 0 : expectedCall;
    const open = totalMicroUsd(state.limits.cost) - writtenMicroUsd;
    const spent = { settled: before + writtenMicroUsd, open, raised, agents: agentsBegun(state), lost, claimed };
    noted ??= JSON.stringify({ ...spent, settled: before, open: 0, agents: 0, claimed: 0 });
    const text = JSON.stringify(spent);
    if (text === noted) return;
    noted = text;
    onSpent?.({ ...spent, at: reported.at, computed: openMicroUsd(state.limits.cost) });
  }

  /** Makes the next prompt wait again, because the turn made no call. */
  function letOthersCall(): void {
    first?.release();
    first = undefined;
  }

  function look(open: CostLedger, lost = 0) {
    return { kind: 'project-cost' as const, others: open.spentByOthers() + lost, earlier: open.spentEarlier() };
  }

  return {
    /** Spending of the project's runs before this run starts; undefined without a project limit. May throw. */
    opening: () => (limitUsd === undefined ? undefined : look(opened())),
    /**
     * While the cost of a call is unknown, the runs of a project take turns with their first prompt. @param gone
     * aborted when claude has ended
     */
    async admit(gone: AbortSignal): Promise<OwnEvent | undefined> {
      if (limitUsd === undefined || first !== undefined) return undefined;
      const take = () => attempt((open) => open.takeLock());
      first = take();
      if (first === undefined) notice('waits for another run of this project: the cost of a call is not known yet');
      for (let left = MAX_POLLS; left > 0 && first === undefined && !gone.aborted; left--) {
        await delay(POLL_MS);
        first = take();
      }
      return attempt((open) => {
        const seen = look(open);
        const call = open.lastCall();
        if (gone.aborted || call === 0) return seen;
        if (seen.others < toMicroUsd(limitUsd)) {
          claimed = call;
          open.add(0, { claimed, call });
        }
        first?.release();
        return seen;
      });
    },
    /** After each line: records new costs, and reads other runs' spending. */
    settle(state: GovernorState): OwnEvent | undefined {
      if (hasTold && state.turn.stopped === 'cost') interrupted += expectedCall;
      hasTold = false;
      const hasWritten = write(state);
      const isEnd = state.turn.ended !== turns;
      turns = state.turn.ended;
      note(state);
      if (reported.calls === 0 && !mayCall(state)) letOthersCall();
      if (limitUsd === undefined || !(hasWritten || isEnd)) return undefined;
      const seen = attempt((open) => look(open, state.limits.lost - lostBefore));
      const isNews = seen !== undefined && seen.others - seen.earlier !== state.limits.others;
      hasTold = isNews && state.turn.stopped === undefined;
      return isNews ? seen : undefined;
    },
    /** Time of claude's last cost report, in milliseconds since the epoch. */
    get reportedAt() {
      return reported.at;
    },
    close(state: GovernorState): void {
      write(state, true);
      first?.release();
      note(state);
    },
  };
}
