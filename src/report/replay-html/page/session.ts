import { tokens } from '../../figures.ts';
import type { PageCall, PageSession } from '../page-data.ts';

export const WITH_CTXB = 'With ctxb';

export type Session = ReturnType<typeof unpack>;

export type Call = Session['calls'][number];

/** Tokens of one kind added before each call. */
export type Added = Session['added'][number];

export function unpack(info: PageSession) {
  const { added, ...columns } = info.columns;
  const names = Object.keys(columns) as (keyof PageCall)[];
  let spent = 0;
  const calls = columns.context.map((context, index) => {
    const figures = Object.fromEntries(names.map((name) => [name, columns[name][index]])) as PageCall;
    spent += figures.usd ?? 0;
    return {
      ...figures,
      number: index + 1,
      model: info.models[figures.model] ?? null,
      cacheCreation: context - figures.cacheRead - figures.input,
      outputText: `${figures.outputKnown ? '' : '~'}${tokens(figures.output)}`,
      /** The estimated context with ctxb, if `--what-if` was used. */
      withCtxb: info.curve?.[index] ?? null,
      spent,
    };
  });
  return {
    info,
    calls,
    added: added.map(({ kind, tokens }) => ({ kind, tokens, total: tokens.reduce((sum, figure) => sum + figure, 0) })),
  };
}
