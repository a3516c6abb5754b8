import { type Action, type Decision, isDecision } from '../core/governor/decisions.ts';
import { isCharactersOnly } from '../core/governor/gauge/gauge.ts';
import { initialState } from '../core/governor/initial-state.ts';
import { turnsBegun } from '../core/governor/prompts/turns.ts';
import type { Run } from '../core/governor/state.ts';
import { createMemory, type Memory } from '../core/memory/memory.ts';
import { cutterWith, type Mask } from '../core/text/words.ts';
import { createHost, type Transition } from '../host/governor-host.ts';
import { createExplainer } from './explain.ts';
import { createFigures } from './figures.ts';
import { callsIn } from './ledger.ts';
import { createCalls } from './observers/calls.ts';
import { createGrowth } from './observers/growth.ts';
import type { ObservedLine } from './observers/observer.ts';
import { createOddities } from './observers/oddities.ts';
import { createSubagents } from './observers/prompts.ts';
import { createRetention, type TimedReceipt } from './observers/retention.ts';
import type { ReadLine } from './read/line-feed.ts';
import type { SessionSummary } from './summary.ts';
import { trafficOf } from './totals.ts';
import { createWhatIf } from './what-if.ts';

export interface SessionOptions {
  /** Include each main-thread call, prompt and result. */
  readonly series: boolean;
  /** Include the estimate with ctxb. */
  readonly whatIf?: boolean;
  /** Include the facts that each compaction or handoff kept; `receipts` are those of the run that produced this log. */
  readonly retention?: boolean | { readonly receipts: readonly TimedReceipt[] };
  /** The call to explain: number from 1, or message id. */
  readonly explain?: string | undefined;
  /** Masks secrets in texts, as in the run. */
  readonly mask: Mask;
}

export interface SessionReplayOptions extends SessionOptions {
  /** Run settings for a plain recording; a record of `ctxb run` contains its own. */
  readonly run: Run;
}

/** Replays one recording line by line. Mutable, because a recording can have millions of lines. */
export function createSessionReplay(options: SessionReplayOptions) {
  const { run, mask, series, explain } = options;
  const readsTexts = Boolean(series || options.whatIf || options.retention || explain !== undefined);
  const decisions: Decision[] = [];
  const hostOptions = { carryOut: observe };
  let host = createHost(initialState(run), hostOptions);
  let memory: Memory | undefined;
  const receipts = typeof options.retention === 'object' ? options.retention.receipts : undefined;
  let retention = options.retention ? createRetention(run, mask, receipts !== undefined, receipts) : undefined;
  const cut = cutterWith(mask);
  const figures = createFigures(cut, { prompts: series, usage: true });
  const calls = series || options.whatIf || explain !== undefined ? createCalls() : undefined;
  // `calls` comes before `growth`: the output of a call is in the context of the next one.
  const watch = {
    subagents: createSubagents(cut),
    oddities: createOddities(),
    explainer: explain === undefined ? undefined : createExplainer(explain),
    calls,
    growth: createGrowth(cut, series, calls?.added),
    whatIf: calls && options.whatIf ? createWhatIf(run.policy, calls.seen, reliefsBefore) : undefined,
  };
  const observers = Object.values(watch).filter((observer) => observer !== undefined);

  function reliefsBefore(index: number) {
    const handoffs = decisions.filter(({ kind, at }) => kind === 'handed-over' && at.call === index);
    const compactions = figures.compactions().filter(({ call }) => call === index);
    return [...compactions.map(({ how }) => how === 'exact'), ...handoffs.map(() => false)];
  }

  /** Restarts with the settings of a recorded run, including its notes. */
  function begin(recorded: Run): void {
    host = createHost(initialState(recorded), hostOptions);
    memory = recorded.policy.memory.enabled ? createMemory({ run: recorded, mask }) : undefined;
    if (options.retention) retention = createRetention(recorded, mask, memory !== undefined);
  }

  function observe({ input, before, after, actions }: Transition): void {
    const remembered = memory?.add(input, after);
    const seen: ObservedLine = { line: figures.at, input, before, after };
    if (!figures.see(seen)) return;
    for (const observer of observers) observer.see(seen);
    retention?.see(seen);
    for (const action of actions) noteAction(action);
    for (const decision of remembered?.decisions ?? []) decide(decision);
  }

  function decide(decision: Decision): void {
    decisions.push(decision);
    if (decision.kind === 'receipt') retention?.receipt(decision, { call: host.state.gauge.calls, line: figures.at });
  }

  function noteAction(action: Action): void {
    if (isDecision(action)) decide(action);
    else if (action.kind === 'answer-hook') {
      for (const decision of memory?.answer(action, host.state).decisions ?? []) decide(decision);
    }
  }

  return {
    /** Whether some figure needs the texts of tool results, not only their sizes. */
    needsTexts(): boolean {
      return readsTexts || memory !== undefined || isCharactersOnly(host.state.gauge);
    },
    line(read: ReadLine): void {
      const line = figures.read(read);
      if (line.kind === 'run') begin(line.run);
      if (line.kind === 'input') host.feed(line.input);
    },
    summary(file: string): SessionSummary {
      const { state } = host;
      const { gauge, turn } = state;
      const { calls: count, context, cost, lines, ...session } = figures.found(file, state);
      const found = watch.growth.found();
      const madeCalls = calls?.found(callsIn(session)) ?? [];
      const whatIf = gauge.window.tokens === undefined ? undefined : watch.whatIf?.found();
      return {
        ...session,
        turns: turnsBegun(turn),
        calls: count,
        context: { last: gauge.used, ...context, basis: gauge.basis },
        traffic: trafficOf(session.ledger),
        compactions: figures.compactions(),
        actions: decisions,
        cost,
        growth: found.growth,
        subagents: watch.subagents.found(state.work.agents.all),
        oddities: watch.oddities.found(),
        ...(watch.explainer && { explanation: watch.explainer.found(madeCalls) }),
        ...(retention && { retention: retention.found() }),
        lines,
        ...(whatIf && { whatIf }),
        ...(series && { series: madeCalls, prompts: figures.prompts(), results: found.results }),
      };
    },
  };
}
