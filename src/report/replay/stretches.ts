import type { CallSeen, CompactionSeen, Growth, PromptSeen } from '../../replay/items-seen.ts';
import type { SessionSummary } from '../../replay/summary.ts';

/** Calls of one turn with no compaction between them. */
export interface Stretch {
  readonly turn: number;
  /** Another one of the same turn is before it. */
  readonly goesOn: boolean;
  /** Compactions between the stretch before it and this one. */
  readonly after: readonly CompactionSeen[];
  /** At least one. */
  readonly calls: readonly CallSeen[];
  /** Said since the last call before it. */
  readonly prompts: readonly PromptSeen[];
  /** What came in with its calls, estimated tokens by source. */
  readonly growth: Growth;
}

/** A session as stretches, in order, and the compactions after the last of them. */
export interface Timeline {
  readonly stretches: readonly Stretch[];
  readonly after: readonly CompactionSeen[];
}

/** Cuts the calls of a session where a turn ends or the context was compacted. */
export function timelineOf({ series = [], prompts = [], compactions }: SessionSummary): Timeline {
  const stretches: Stretch[] = [];
  let begin = 0;
  for (let end = 1; end <= series.length; end++) {
    const [last, next] = [series[end - 1], series[end]];
    if (last === undefined) break;
    if (next !== undefined && next.turn === last.turn && !compactions.some(({ call }) => call === last.number))
      continue;
    const calls = series.slice(begin, end);
    const since = series[begin - 1];
    stretches.push({
      turn: last.turn,
      goesOn: since?.turn === last.turn,
      after: compactions.filter(({ call }) => call === begin),
      calls,
      prompts: prompts.filter(({ line }) => line > (since?.line ?? 0) && line <= last.line),
      growth: summed(calls.map(({ added }) => added)),
    });
    begin = end;
  }
  return { stretches, after: compactions.filter(({ call }) => call >= series.length) };
}

function summed(all: readonly Growth[]): Growth {
  const sums = new Map<string, number>();
  for (const growth of all) {
    for (const [source, tokens] of Object.entries(growth)) sums.set(source, (sums.get(source) ?? 0) + tokens);
  }
  return Object.fromEntries(sums);
}
