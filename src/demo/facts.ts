import { isInjectedTurn } from '../core/governor/conversation/visibility.ts';
import { costUsd } from '../core/governor/cost/cost.ts';
import { isDecision } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import { inTokens } from '../core/governor/policy.ts';
import { type RecordLine, readRecord, readRecordedRun } from '../core/governor/record.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { createHost, type GovernorHost, type Judged } from '../host/governor-host.ts';

export type DemoFacts = ReturnType<typeof readFacts>;

/** One prompt's turn. Tokens throughout. */
export type TurnFacts = ReturnType<typeof begunTurns>[number];

/** A compaction in mid-turn, at claude's own trigger. */
export type NativeCompaction = DemoFacts['native'][number];

export function readFacts(record: readonly RecordLine[]) {
  const played = [...playRecord(record)];
  const last = played.at(-1)?.after;
  const levelOf = (name: 'warn' | 'compact') =>
    last === undefined ? 0 : inTokens(last.run.policy.thresholds[name], last.gauge.window.tokens);
  return {
    version: last?.session.version,
    model: last?.session.model,
    window: last?.gauge.window.tokens,
    /** Thresholds of the run, in tokens. */
    levels: { warn: levelOf('warn'), compact: levelOf('compact') },
    turns: played.flatMap((line, at) => begunTurns(line, played.slice(at + 1))),
    decisions: played.flatMap(({ actions }) => actions.filter(isDecision)),
    native: played.flatMap((line, at) => nativeOf(line, played.slice(at + 1))),
    /** claude's own count, in US dollars. */
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

/** The turn that a line begins; the same line may carry the result of the one before. @param rest what comes then */
function begunTurns(line: Judged, rest: readonly Judged[]) {
  if (!begins(line)) return [];
  const end = rest.findIndex(begins);
  const own = rest.slice(0, end === -1 ? undefined : end + 1).filter(({ before }) => !isInjectedTurn(before));
  const contexts = own.filter(isCall).map(({ after }) => after.gauge.used);
  const result = own.map(({ input }) => input.event).findLast((event) => event.kind === 'result');
  return [
    {
      prompt: line.after.turn.prompts[0]?.text ?? '',
      calls: contexts.length,
      /** Context of its first and of its last call; 0 without calls. */
      first: contexts[0] ?? 0,
      last: contexts.at(-1) ?? 0,
      /** Input side of `result.usage`: the sum over all calls of the turn; undefined without a result. */
      sum: result?.usage && contextOf(result.usage),
      failed: result?.isError === true,
    },
  ];
}

function begins({ before, after }: Judged): boolean {
  return after.turn.phase === 'sent' && before.turn.phase !== 'sent' && after.turn.prompts.length > 0;
}

function isCall({ before, after }: Judged): boolean {
  return after.gauge.calls > before.gauge.calls;
}

function nativeOf({ input: { event }, after }: Judged, rest: readonly Judged[]) {
  if (event.kind !== 'boundary' || event.trigger !== 'auto') return [];
  const next = rest.find(isCall);
  return [
    {
      /** Number of the turn it came in, from 0. */
      turn: after.turn.ended,
      before: event.preTokens,
      /** Context of the next call, when there was one. */
      after: next?.after.gauge.used,
      /** What ctxb kept of it, where it was an exact one. */
      exact: next?.actions.find((action) => action.kind === 'landed')?.exact,
    },
  ];
}
