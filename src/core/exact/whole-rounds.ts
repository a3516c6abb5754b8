import { cutText, fairShare } from '../governor/tool-budget/cut-text.ts';
import { built, type Message, type ToolResult, tokensOfAll } from './message.ts';
import type { Part, Round } from './parts.ts';

/** Replies that stay whole, and the messages that they stay as. */
export type Whole = ReadonlyMap<Round, readonly Message[]>;

/** Replies with tool calls that stay whole. */
const MOST_STEPS = 3;

/**
 * The last replies with all their calls, as far back as nothing stands shortened between them. The results of the last
 * are shortened where they do not fit.
 *
 * @param room tokens
 * @param options `isOpen`: the model has asked for tools and is about to see the results
 */
export function wholeRounds(parts: readonly Part[], room: number, { isOpen }: { readonly isOpen: boolean }): Whole {
  const from = parts.findLastIndex(({ kind }) => kind !== 'round' && kind !== 'prompt') + 1;
  const [last, ...earlier] = parts
    .slice(from)
    .filter((part) => part.kind === 'round')
    .reverse();
  const whole = new Map<Round, readonly Message[]>();
  if (last === undefined || !isAnswered(last)) return whole;
  const asked = isOpen ? last.messages.filter(({ role }) => role === 'assistant') : [builtReply(last)];
  const all = [...asked, ...resultsOf(last)];
  let left = room - tokensOfAll(all);
  const fitting = left < 0 ? [...asked, ...resultsOf(last, room - tokensOfAll(asked))] : all;
  // An open step stays in any case; whether that is too much is for the caller to see.
  if (isOpen || tokensOfAll(fitting) <= room) whole.set(last, fitting);
  let steps = last.calls.length > 0 ? 1 : 0;
  for (const round of earlier) {
    const messages = [builtReply(round), ...resultsOf(round)];
    left -= tokensOfAll(messages);
    steps += round.calls.length > 0 ? 1 : 0;
    if (left < 0 || steps > MOST_STEPS || !isAnswered(round)) break;
    whole.set(round, messages);
  }
  return whole;
}

function isAnswered({ calls }: Round): boolean {
  return calls.every(({ result }) => result !== undefined);
}

/**
 * Built from what was said and asked for, not claude's own rows, which hold the model's thoughts: a session with rows of
 * tool calls does not resume from the compaction, but from all that came before it. Only where the model has not seen
 * the results yet its own rows stay, since the API asks for their thoughts until then.
 */
function builtReply({ words, calls }: Round): Message {
  const toolUses = calls.map(({ use: { tool_use_id, tool, input } }) => ({ tool_use_id, tool, input }));
  return built('assistant', words, { toolUses });
}

/** @param room tokens; undefined: all of them, whole */
function resultsOf({ calls }: Round, room?: number): Message[] {
  const results = calls.flatMap(({ use: { tool_use_id }, result }) =>
    result === undefined ? [] : [{ tool_use_id, text: result.text, isError: result.isError === true }],
  );
  if (results.length === 0) return [];
  return [built('user', '', { toolResults: room === undefined ? results : shortened(results, room) })];
}

/** Characters that are certain to be no more than a token each two, and the least that is left of a result. */
const CHARS_PER_TOKEN = 1.2;
const LEAST_LENGTH = 200;

/** Cuts the longest results to one length, so that all together fit. */
function shortened(results: readonly ToolResult[], room: number): ToolResult[] {
  const lengths = results.map(({ text }) => text.length);
  const length = Math.max(LEAST_LENGTH, fairShare(lengths, room * CHARS_PER_TOKEN));
  return results.map((result) =>
    result.text.length <= length ? result : { ...result, text: cutText(result.text, length).text },
  );
}
