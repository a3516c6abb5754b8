import { fieldsOf, listOf } from '../protocol/fields.ts';
import { cutText } from '../text/cut-text.ts';
import { fairShare } from '../text/words.ts';
import { stepLines } from './entries.ts';
import { createMessage, hasOpenStep, isResult, type Message, type ToolResult, tokensOfAll } from './message.ts';
import { stepText } from './own-words.ts';
import { hasText, type Part, REMOVED_NOTICE, type Round } from './parts.ts';

/** Replies that stay whole, with their messages. */
export type WholeParts = ReadonlyMap<Part, readonly Message[]>;

/** How kept replies and their results are written. */
export interface StepForm {
  /** Maximum number of whole replies with tool calls. */
  readonly maxSteps: number;
  readonly write: (round: Round, results: readonly ToolResult[]) => readonly Message[];
}

export interface WholeRoundsOptions {
  /** The model has called tools and has not seen the results yet. */
  readonly isOpen: boolean;
  readonly form: StepForm;
}

/**
 * Maximum tokens of the replies before the last one. Every call reads them. Contents that may be used again do not
 * count.
 */
const EARLIER_TOKENS = 3_000;

/**
 * The last replies, back to the first that does not fit. Shortens the results of the last one if necessary.
 * @param room tokens
 */
export function wholeRounds(
  parts: readonly Part[],
  room: number,
  { isOpen, form: { write, maxSteps } }: WholeRoundsOptions,
): WholeParts {
  const from = parts.findLastIndex(({ kind }) => kind !== 'round' && kind !== 'prompt') + 1;
  const rounds = parts.slice(from).filter((part) => part.kind === 'round');
  const [last, ...earlier] = rounds.reverse();
  const whole = new Map<Round, readonly Message[]>();
  if (last === undefined || !isAnswered(last)) return whole;
  const all = write(last, resultsOf(last));
  const free = room - tokensOfAll(all);
  const fitting = free < 0 ? write(last, shortenResults(resultsOf(last), room - tokensOfAll(write(last, [])))) : all;
  // An open step always stays; the caller checks its size.
  if (isOpen || tokensOfAll(fitting) <= room) whole.set(last, fitting);
  let remaining = Math.min(free, EARLIER_TOKENS);
  let steps = last.calls.length > 0 ? 1 : 0;
  for (const round of earlier) {
    const messages = write(round, resultsOf(round));
    remaining -= tokensOfAll(messages);
    steps += round.calls.length > 0 ? 1 : 0;
    if (remaining < 0 || steps > maxSteps || !isAnswered(round)) break;
    whole.set(round, messages);
  }
  return whole;
}

/**
 * Maps each whole reply, newest first, to a reply with only the calls that are likely to be used again (`keep`).
 *
 * @param room tokens
 */
export function usedRounds(
  parts: readonly Part[],
  room: number,
  { keep, form }: { readonly keep: ReadonlySet<string>; readonly form: StepForm },
): ReadonlyMap<Part, Round> {
  const used = new Map<Part, Round>();
  // A model that needs its thoughts may refuse steps without them.
  if (form.maxSteps === 1) return used;
  let remaining = room;
  for (const part of parts.toReversed()) {
    if (part.kind !== 'round') continue;
    const calls = part.calls.filter(
      ({ use, result }) => keep.has(use.tool_use_id) && result !== undefined && result.text !== REMOVED_NOTICE,
    );
    if (calls.length === 0) continue;
    const round = { ...part, calls };
    remaining -= tokensOfAll(form.write(round, resultsOf(round)));
    if (remaining < 0) break;
    used.set(part, round);
  }
  return used;
}

/** Splits a reply into the calls that are likely to be used again (`used`), and the others. */
export function splitRound(part: Part, used: Round | undefined): readonly Part[] {
  if (part.kind !== 'round' || used === undefined) return [part];
  const others = part.calls.filter((call) => !used.calls.includes(call));
  return others.length === 0 ? [used] : [{ ...part, words: '', calls: others }, used];
}

function isAnswered({ calls }: Round): boolean {
  return calls.every(({ result }) => result !== undefined);
}

export function resultsOf({ calls }: Round): ToolResult[] {
  return calls.flatMap(({ use: { tool_use_id }, result }) =>
    result === undefined ? [] : [{ tool_use_id, text: result.text, isError: result.isError === true }],
  );
}

/** A conservative ratio of UTF-16 units to tokens, and the minimum UTF-16 units to keep of a result. */
const CHARS_PER_TOKEN = 1.2;
const MIN_LENGTH = 200;

/** Cuts the longest results to one length so that all results fit. */
function shortenResults(results: readonly ToolResult[], room: number): ToolResult[] {
  const lengths = results.map(({ text }) => text.length);
  const length = Math.max(MIN_LENGTH, fairShare(lengths, room * CHARS_PER_TOKEN));
  return results.map((result) =>
    result.text.length <= length ? result : { ...result, text: cutText(result.text, length).text },
  );
}

/** Models that reject a thought when anything before it has changed. */
const PRESERVES_THOUGHTS = /(?:fable|mythos)-5-[12]\b|(?:opus|sonnet|haiku)-5-5\b/;

/**
 * Selects the form in which the API accepts whole steps. Older models need the thoughts of an open step with its
 * results, but `--resume` would duplicate claude's rows with thoughts; for these models the steps become words of the
 * user.
 */
export function stepForm(messages: readonly Message[], model: string): StepForm {
  return hasOpenStep(messages) && !PRESERVES_THOUGHTS.test(model) && hasThoughts(messages) ? QUOTED_FORM : BUILT_FORM;
}

/** Whether the model has thought in the current turn. A thought appears as a message without words and calls. */
function hasThoughts(messages: readonly Message[]): boolean {
  const prompt = messages.findLastIndex((message) => message.role === 'user' && !isResult(message));
  return messages.slice(prompt + 1).some(({ role, text, toolUses }) => {
    return role === 'assistant' && text === '' && toolUses.length === 0;
  });
}

/**
 * Builds new rows for a step. With claude's own rows of tool calls, a session would resume from everything before the
 * compaction.
 */
function buildStep({ words, calls }: Round, results: readonly ToolResult[]): Message[] {
  const toolUses = calls.map(({ use: { tool_use_id, tool, input } }) => ({ tool_use_id, tool, input }));
  const reply = createMessage('assistant', words, { toolUses });
  return results.length === 0 ? [reply] : [reply, createMessage('user', '', { toolResults: results })];
}

function quoteStep(round: Round, results: readonly ToolResult[]): Message[] {
  if (round.calls.length === 0) return [createMessage('assistant', round.words)];
  const texts = new Map(results.map(({ tool_use_id, text }) => [tool_use_id, text]));
  const calls = round.calls.map(
    ({ use }) => `${use.tool} ${JSON.stringify(use.input)}\n${texts.get(use.tool_use_id) ?? ''}`,
  );
  return [createMessage('user', stepText(stepLines(round), calls))];
}

const BUILT_FORM: StepForm = { maxSteps: 3, write: buildStep };
const QUOTED_FORM: StepForm = { maxSteps: 1, write: quoteStep };

/** Why unseen results cannot be kept; undefined if all are text. */
export function lossReason({ messages }: Round): string | undefined {
  const results = messages.flatMap(({ toolResults = [] }) => toolResults);
  const isLost = results.some((result) => !hasText(result) || isPicture(result));
  return isLost ? 'the model has yet to see what a tool gave back beside text' : undefined;
}

/** Files that a text does not fully represent. */
const NON_TEXT_TYPES: readonly unknown[] = ['image', 'pdf', 'parts', 'notebook'];

function isPicture({ result }: ToolResult): boolean {
  return [result, ...listOf(result)].some((part) => NON_TEXT_TYPES.includes(fieldsOf(part).type));
}
