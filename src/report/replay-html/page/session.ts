import type { Column, PageSession } from '../page-data.ts';

export const WHO: Readonly<Record<PageSession['compactions'][number]['by'], string>> = {
  claude: 'claude compacted',
  placed: 'claude compacted where ctxb had put it',
  caller: 'compacted by the caller',
  ctxb: 'ctxb compacted',
};

export const WITH_CTXB = 'With ctxb';

/** A session with its columns unpacked; index 0 is call 1. */
export type Session = ReturnType<typeof unpack>;

/** Tokens of one kind added before each call. */
export type Added = Session['added'][number];

export function unpack(info: PageSession) {
  const { columns, curve: withCtxb, models } = info;
  const { added, ...figures } = columns;
  const { context, cacheRead, input } = figures;
  return {
    ...figures,
    info,
    /** The estimated context of each call with ctxb, if `--what-if` was used. */
    withCtxb,
    calls: context.length,
    model: figures.model.map((at) => models[at ?? 0] ?? null),
    cacheCreation: context.map((tokens, at) => (tokens ?? 0) - (cacheRead[at] ?? 0) - (input[at] ?? 0)),
    outputKnown: figures.outputKnown.map(Boolean),
    /** Running sum of the known costs. */
    spent: running(figures.usd),
    added: added.map(({ kind, tokens }) => ({ kind, tokens, total: tokens.reduce((sum, figure) => sum + figure, 0) })),
  };
}

/** Tokens added before a call by kind, the largest first. */
export function additionsOf({ added }: Session, call: number) {
  return added
    .map(({ kind, tokens }) => ({ kind, figure: tokens[call - 1] ?? 0 }))
    .filter(({ figure }) => figure > 0)
    .sort((a, b) => b.figure - a.figure);
}

function running(amounts: Column): number[] {
  let sum = 0;
  return amounts.map((figure) => {
    sum += figure ?? 0;
    return sum;
  });
}
