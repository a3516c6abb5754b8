import { fromDeltas, fromRuns, fromSparse } from '../columns.ts';
import type { PageSession } from '../page-data.ts';

/** A recording with its calls unpacked: index 0 is call 1. */
export interface Session {
  readonly info: PageSession;
  readonly calls: number;
  readonly turn: Column;
  readonly line: Column;
  readonly seconds: Column;
  readonly model: readonly (string | null)[];
  readonly context: readonly number[];
  readonly predicted: Column;
  readonly input: readonly number[];
  readonly cacheRead: readonly number[];
  readonly cacheCreation: readonly number[];
  readonly output: readonly number[];
  readonly outputKnown: readonly boolean[];
  /** Dollars. */
  readonly usd: Column;
  /** Sum of the known ones so far. */
  readonly spent: readonly number[];
  readonly added: readonly Added[];
  readonly curves: readonly { readonly policy: string; readonly context: Column }[];
}

export type Column = readonly (number | null)[];

/** What came in, of one kind, for each call. */
export interface Added {
  readonly kind: string;
  readonly total: number;
  readonly tokens: readonly number[];
}

export function unpack(info: PageSession): Session {
  const { columns } = info;
  const context = fromDeltas(columns.context).map((tokens) => tokens ?? 0);
  const cacheRead = context.map((tokens, at) => tokens - (columns.unread[at] ?? 0));
  const usd = columns.microUsd.map((amount) => (amount === null ? null : amount / 1e6));
  return {
    info,
    calls: context.length,
    turn: fromDeltas(columns.turn),
    line: fromDeltas(columns.line),
    seconds: fromDeltas(columns.seconds),
    model: fromRuns(columns.model),
    context,
    predicted: context.map((tokens, at) => difference(tokens, columns.surprise[at])),
    input: columns.input,
    cacheRead,
    cacheCreation: context.map((tokens, at) => tokens - (cacheRead[at] ?? 0) - (columns.input[at] ?? 0)),
    output: columns.output,
    outputKnown: fromRuns(columns.outputKnown),
    usd,
    spent: running(usd),
    added: columns.added.map(({ kind, tokens }) => ({
      kind,
      total: tokens.figures.reduce((sum, figure) => sum + figure, 0),
      tokens: fromSparse(tokens, context.length),
    })),
    curves: info.curves.map(({ policy, context: deltas }) => ({ policy, context: fromDeltas(deltas) })),
  };
}

function difference(figure: number, less: number | null | undefined): number | null {
  return less === null || less === undefined ? null : figure - less;
}

function running(figures: Column): number[] {
  let sum = 0;
  return figures.map((figure) => {
    sum += figure ?? 0;
    return sum;
  });
}
