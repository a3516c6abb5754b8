import type { ExactReceipt } from '../core/exact/plan.ts';
import { isInjectedTurn } from '../core/governor/conversation/visibility.ts';
import { costUsd } from '../core/governor/cost/cost.ts';
import { type Decision, isDecision } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import { inTokens } from '../core/governor/policy.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { createHost, type GovernorHost, type Judged } from '../host/governor-host.ts';

/** One prompt's turn. Tokens throughout. */
export interface TurnFacts {
  readonly prompt: string;
  readonly calls: number;
  /** Context of its first and of its last call; 0 without calls. */
  readonly first: number;
  readonly last: number;
  /** Input side of `result.usage`: the sum over all calls of the turn; undefined without a result. */
  readonly sum: number | undefined;
  readonly failed: boolean;
}

/** A compaction in mid-turn, at claude's own trigger. */
export interface NativeCompaction {
  /** Number of the turn it came in, from 0. */
  readonly turn: number;
  readonly before: number | undefined;
  /** Context of the next call, when there was one. */
  readonly after: number | undefined;
  /** What ctxb kept of it, where it was an exact one. */
  readonly exact: ExactReceipt | undefined;
}

export interface DemoFacts {
  readonly version: string | undefined;
  readonly model: string | undefined;
  readonly window: number | undefined;
  /** Thresholds of the run, in tokens. */
  readonly levels: { readonly warn: number; readonly compact: number };
  readonly turns: readonly TurnFacts[];
  readonly decisions: readonly Decision[];
  readonly native: readonly NativeCompaction[];
  /** claude's own count, in US dollars. */
  readonly costUsd: number;
}

export function readFacts(record: readonly RecordLine[]): DemoFacts {
  const played = [...playRecord(record)];
  const last = played.at(-1)?.after;
  const levelOf = (name: 'warn' | 'compact') =>
    last === undefined ? 0 : inTokens(last.run.policy.thresholds[name], last.gauge.window.tokens);
  return {
    version: last?.session.version,
    model: last?.session.model,
    window: last?.gauge.window.tokens,
    levels: { warn: levelOf('warn'), compact: levelOf('compact') },
    turns: played.reduce<readonly TurnFacts[]>((turns, line) => begunTurn(readTurn(turns, line), line), []),
    decisions: played.flatMap(({ actions }) => actions.filter(isDecision)),
    native: played.reduce<readonly NativeCompaction[]>(readNative, []),
    costUsd: last === undefined ? 0 : costUsd(last),
  };
}

export function* playRecord(record: readonly RecordLine[]): Generator<Judged> {
  let host: GovernorHost | undefined;
  for (const entry of record) {
    const fields = { ...entry };
    const run = readRecordedRun(fields);
    if (run) host = createHost(initialState(run));
    const input = run === undefined ? readRecord(fields, 0) : undefined;
    if (host !== undefined && input !== undefined) yield host.feed(input);
  }
}

function readTurn(turns: readonly TurnFacts[], { before, after, input: { event } }: Judged): readonly TurnFacts[] {
  const turn = turns.at(-1);
  if (turn === undefined || isInjectedTurn(before)) return turns;
  const { used, calls } = after.gauge;
  if (calls > before.gauge.calls) {
    return turns.with(-1, { ...turn, calls: turn.calls + 1, first: turn.first || used, last: used });
  }
  if (event.kind !== 'result') return turns;
  return turns.with(-1, { ...turn, sum: event.usage && contextOf(event.usage), failed: event.isError });
}

/** One line can carry the result of a turn and the prompt of the next. */
function begunTurn(turns: readonly TurnFacts[], { before, after }: Judged): readonly TurnFacts[] {
  const [prompt] = after.turn.prompts;
  if (after.turn.phase !== 'sent' || before.turn.phase === 'sent' || prompt === undefined) return turns;
  return [...turns, { prompt: prompt.text, calls: 0, first: 0, last: 0, sum: undefined, failed: false }];
}

function readNative(native: readonly NativeCompaction[], played: Judged): readonly NativeCompaction[] {
  const { before, after } = played;
  const { event } = played.input;
  if (event.kind === 'boundary' && event.trigger === 'auto') {
    const fresh = { turn: after.turn.ended, before: event.preTokens, after: undefined, exact: undefined };
    return [...native, fresh];
  }
  const last = native.at(-1);
  if (last === undefined || last.after !== undefined || after.gauge.calls === before.gauge.calls) return native;
  const landed = played.actions.find((action) => action.kind === 'landed');
  return native.with(-1, { ...last, after: after.gauge.used, exact: landed?.exact });
}
