import { cutText, fairShare } from '../governor/tool-budget/cut-text.ts';
import { type Message, type ToolResult, tokensOfAll } from './message.ts';
import { hasText, type Part, type Round } from './parts.ts';

/** Replies that stay whole, with their messages. */
export type Whole = ReadonlyMap<Round, readonly Message[]>;

/** How replies with the results of their calls are given back. */
export interface Form {
  /** Replies with tool calls that stay whole. */
  readonly mostSteps: number;
  readonly write: (round: Round, results: readonly ToolResult[]) => readonly Message[];
}

export interface WholeOptions {
  /** The model has asked for tools and is about to see the results. */
  readonly isOpen: boolean;
  readonly form: Form;
}

/**
 * The last replies with all their calls, as far back as nothing between them is shortened. Shortens the results of the
 * last one if they do not fit.
 *
 * @param room tokens
 */
export function wholeRounds(
  parts: readonly Part[],
  room: number,
  { isOpen, form: { write, mostSteps } }: WholeOptions,
): Whole {
  const from = parts.findLastIndex(({ kind }) => kind !== 'round' && kind !== 'prompt') + 1;
  const [last, ...earlier] = parts
    .slice(from)
    .filter((part) => part.kind === 'round')
    .reverse();
  const whole = new Map<Round, readonly Message[]>();
  if (last === undefined || !isAnswered(last)) return whole;
  const all = write(last, resultsOf(last));
  let left = room - tokensOfAll(all);
  const fitting = left < 0 ? write(last, shortened(resultsOf(last), room - tokensOfAll(write(last, [])))) : all;
  // An open step always stays; the caller checks whether it is too large.
  if (isOpen || tokensOfAll(fitting) <= room) whole.set(last, fitting);
  let steps = last.calls.length > 0 ? 1 : 0;
  for (const round of earlier) {
    const messages = write(round, resultsOf(round));
    left -= tokensOfAll(messages);
    steps += round.calls.length > 0 ? 1 : 0;
    if (left < 0 || steps > mostSteps || !isAnswered(round)) break;
    whole.set(round, messages);
  }
  return whole;
}

/**
 * Earlier replies with the calls that are likely to be used again; the newest first, as space permits.
 *
 * @param room tokens
 * @param options `keep`: ids of tool calls
 */
export function usedRounds(
  parts: readonly Part[],
  room: number,
  { keep, form }: { readonly keep: ReadonlySet<string>; readonly form: Form },
): Whole {
  const used = new Map<Round, readonly Message[]>();
  // A model that wants its thoughts back may refuse steps without them.
  if (form.mostSteps === 1) return used;
  let left = room;
  for (const part of parts.toReversed()) {
    if (part.kind !== 'round') continue;
    const calls = part.calls.filter(
      ({ use, result }) => keep.has(use.tool_use_id) && result !== undefined && hasText(result),
    );
    if (calls.length === 0) continue;
    const messages = form.write({ ...part, calls }, resultsOf({ ...part, calls }));
    left -= tokensOfAll(messages);
    if (left < 0) break;
    used.set(part, messages);
  }
  return used;
}

function isAnswered({ calls }: Round): boolean {
  return calls.every(({ result }) => result !== undefined);
}

export function resultsOf({ calls }: Round): ToolResult[] {
  return calls.flatMap(({ use: { tool_use_id }, result }) =>
    result === undefined ? [] : [{ tool_use_id, text: result.text, isError: result.isError === true }],
  );
}

/** Two such characters are surely at most one token; and the least that remains of a result. */
const CHARS_PER_TOKEN = 1.2;
const LEAST_LENGTH = 200;

/** Cuts the longest results to one length, so that all of them fit. */
function shortened(results: readonly ToolResult[], room: number): ToolResult[] {
  const lengths = results.map(({ text }) => text.length);
  const length = Math.max(LEAST_LENGTH, fairShare(lengths, room * CHARS_PER_TOKEN));
  return results.map((result) =>
    result.text.length <= length ? result : { ...result, text: cutText(result.text, length).text },
  );
}
