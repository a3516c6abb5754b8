import { commandOf, isNotice, isSeenBefore, isSummary } from '../protocol/blocks.ts';
import { type MidTurnPrompt, notAmong } from '../protocol/exact-plan.ts';
import { built, isResult, type Message, type ToolResult, type ToolUse } from './message.ts';
import { heardText, isOwn, isStep, type Own, readOwn, reportLine } from './own-words.ts';

export type Part =
  /** `heard`: words of the user in mid-turn, if `message` is ctxb's own. */
  | { readonly kind: 'prompt'; readonly message: Message; readonly heard?: string }
  | Round
  | Exclude<Own, { kind: 'heard' }>;

/** Texts of prompts, block by block, without blanks around them. */
type Known = ReadonlySet<string>;

/** A whole reply of the model, and the results of its tool calls. */
export interface Round {
  readonly kind: 'round';
  readonly messages: readonly Message[];
  readonly words: string;
  /** In the order they were asked for; the result is missing where the turn was interrupted. */
  readonly calls: readonly { readonly use: ToolUse; readonly result: ToolResult | undefined }[];
}

/**
 * Takes a conversation apart. claude's own messages in the user's place (commands, their output, interruptions) are left
 * out, and so are results whose call is gone.
 *
 * @param known what is certain to be a prompt, whatever it looks like
 */
export function partsOf(messages: readonly Message[], known: Known): Part[] {
  const parts: Part[] = [];
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  let from = 0;
  while (from < messages.length) {
    const message = messages[from] as Message;
    const end = isSpoken(message) ? from + 1 : roundEnd(messages, from);
    if (from > answered && isStep(message.text) && !known.has(message.text.trim()))
      parts.push({ kind: 'prompt', message });
    else
      parts.push(...(isSpoken(message) ? spoken(message, messages[end], known) : [roundOf(messages.slice(from, end))]));
    from = end;
  }
  const [last, newest] = [parts.at(-1), messages.at(-1)];
  // Nothing has answered it yet.
  const isRunning = newest !== undefined && (last?.kind === 'asked' || reportIn(newest.text, known) !== undefined);
  const all: Part[] = isRunning ? [...parts.slice(0, -1), { kind: 'prompt', message: newest }] : parts;
  return all.filter((part) => part.kind !== 'round' || part.words !== '' || part.calls.length > 0);
}

/**
 * Inserts missing messages of the user from mid-turn: after the step before them, else after the last one. The report
 * of a task becomes a line once it is answered.
 */
export function withMidTurn(parts: readonly Part[], said: readonly MidTurnPrompt[], known: Known): Part[] {
  const all = [...parts];
  const end = parts.at(-1);
  const isOpen = end?.kind === 'round' && end.messages.some(isResult);
  for (const { text, after } of notAmong(parts.flatMap(toldIn), said, ({ text }) => reportIn(text, known) ?? text)) {
    const report = reportIn(text, known);
    const isLate = report !== undefined && !isOpen;
    let at = behind(all, after) ?? Math.max(0, all.findLastIndex(({ kind }) => kind === 'round') + (isLate ? 0 : 1));
    while (all.slice(at, at + 1).some((part) => toldIn(part).length > 0)) at++;
    const message = built('user', report === undefined ? heardText(text) : text);
    const isAnswered = report !== undefined && at < all.length;
    all.splice(at, 0, isAnswered ? { kind: 'lines', lines: [report] } : { kind: 'prompt', message, heard: text });
  }
  return all;
}

/** Whether it is the user's: requests of ctxb and reports of claude can stay as prompts too. */
export function isOfUser(part: Part, known: Known): boolean {
  if (part.kind !== 'prompt') return false;
  const { heard, message } = part;
  const isKnown = known.has(message.text.trim());
  return (
    isKnown || (reportIn(heard ?? message.text, known) === undefined && (heard !== undefined || !isOwn(message.text)))
  );
}

/** The end of a task as a line, where claude reports it. */
function reportIn(text: string, known: Known): string | undefined {
  return known.has(text.trim()) ? undefined : reportLine(text);
}

function behind(parts: readonly Part[], call: string): number | undefined {
  const step = parts.findIndex(
    (part) => part.kind === 'round' && part.calls.some(({ use }) => use.tool_use_id === call),
  );
  return step < 0 ? undefined : step + 1;
}

function toldIn(part: Part): readonly string[] {
  if (part.kind === 'lines') return part.lines;
  return part.kind === 'prompt' && part.heard !== undefined ? [part.heard] : [];
}

/** In the user's place, and no result. */
function isSpoken(message: Message): boolean {
  return message.role === 'user' && !isResult(message);
}

/** Behind the messages of one reply and the results that follow it. */
function roundEnd(messages: readonly Message[], from: number): number {
  let end = from;
  while (messages[end]?.role === 'assistant') end++;
  while (messages[end] !== undefined && isResult(messages[end] as Message)) end++;
  return end;
}

function roundOf(messages: readonly Message[]): Round {
  const results = new Map(
    messages.flatMap(({ toolResults = [] }) => toolResults.map((one) => [one.tool_use_id, selfContained(one)])),
  );
  // A step that was open at a compaction comes twice after `--resume`.
  const uses = new Map(messages.flatMap(({ toolUses }) => toolUses.map((use) => [use.tool_use_id, use])));
  const words = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text.trim());
  return {
    kind: 'round',
    messages,
    words: [...new Set(words)].filter((text) => text !== '').join('\n\n'),
    calls: [...uses.values()].map((use) => ({ use, result: results.get(use.tool_use_id) })),
  };
}

/** Between claude's words about its summary and its instruction to continue. */
const SUMMARY = /\nSummary:\s([\s\S]*?)(?:\n\nIf you need specific details from before|$)/;

/** claude's answer to a call of a skill, whose text comes separately. */
const SKILL = 'Launching skill: ';

export const GONE =
  '[ctxb] The content here was removed (a picture, tools that were looked up, a file seen before, the text of a skill): ask for it again.';

/** Pictures and definitions of tools have no text here; built without it a result would pass for an empty one. */
function selfContained(result: ToolResult): ToolResult {
  return hasText(result) ? result : { ...result, text: GONE };
}

/** Whether its text says what it gave. */
export function hasText({ text }: ToolResult): boolean {
  return text !== '' && !isSeenBefore(text) && !text.startsWith(SKILL);
}

function spoken(message: Message, next: Message | undefined, known: Known): Part[] {
  const { text, handle } = message;
  if (known.has(text.trim())) return [{ kind: 'prompt', message }];
  if (isOwn(text)) {
    const own = readOwn(text);
    return [own.kind === 'heard' ? { kind: 'prompt', message, heard: own.text } : own];
  }
  if (isSummary(text)) return [{ kind: 'summary', text: SUMMARY.exec(text)?.[1] ?? text }];
  const report = reportLine(text);
  if (report !== undefined) return [{ kind: 'lines', lines: [report] }];
  // A picture has no text; a row of claude's without text is kept unchanged.
  const isClaudes = isNotice(text) && !hasAsked(text, next);
  if (isClaudes && (text !== '' || handle === undefined)) return [];
  return [{ kind: 'prompt', message }];
}

/** Whether a command made a request to the model: after some of claude's own commands it works, or is about to. */
function hasAsked(text: string, next: Message | undefined): boolean {
  const command = commandOf(text);
  if (command === undefined || command.asked) return command !== undefined;
  return next === undefined || !isSpoken(next) || isOwn(next.text);
}
