import type { ExactReceipt } from '../core/exact/plan.ts';
import { isDecision } from '../core/governor/actions.ts';
import { isInjectedTurn } from '../core/governor/conversation/visibility.ts';
import { costUsd } from '../core/governor/cost/cost.ts';
import type { Decision } from '../core/governor/decisions.ts';
import { inTokens } from '../core/governor/policy.ts';
import type { RecordLine } from '../core/governor/record.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { type PlayedLine, playRecord } from './played-record.ts';

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

/** What happened in a run, read from its record. */
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

const NO_FACTS: DemoFacts = {
  version: undefined,
  model: undefined,
  window: undefined,
  levels: { warn: 0, compact: 0 },
  turns: [],
  decisions: [],
  native: [],
  costUsd: 0,
};

export function readFacts(record: readonly RecordLine[]): DemoFacts {
  let facts = NO_FACTS;
  for (const played of playRecord(record)) {
    const { session, gauge, run } = played.after;
    const { warn, compact } = run.policy.thresholds;
    const window = gauge.window.tokens;
    facts = {
      version: session.version,
      model: session.model,
      window,
      levels: { warn: inTokens(warn, window), compact: inTokens(compact, window) },
      turns: begunTurn(readTurn(facts.turns, played), played),
      decisions: [...facts.decisions, ...played.actions.filter(isDecision)],
      native: readNative(facts.native, played),
      costUsd: costUsd(played.after),
    };
  }
  return facts;
}

function readTurn(turns: readonly TurnFacts[], { before, after, input: { event } }: PlayedLine): readonly TurnFacts[] {
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
function begunTurn(turns: readonly TurnFacts[], { before, after }: PlayedLine): readonly TurnFacts[] {
  const [prompt] = after.turn.prompts;
  if (after.turn.phase !== 'sent' || before.turn.phase === 'sent' || prompt === undefined) return turns;
  return [...turns, { prompt: prompt.text, calls: 0, first: 0, last: 0, sum: undefined, failed: false }];
}

function readNative(native: readonly NativeCompaction[], played: PlayedLine): readonly NativeCompaction[] {
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
