import { commandOf, isNotice, isSummary, isUnchangedRead } from '../protocol/blocks.ts';
import { type MidTurnPrompt, withoutKnown } from '../protocol/exact-plan.ts';
import { groupsIn } from '../protocol/fields.ts';
import { createMessage, isResult, type Message, type ToolResult, type ToolUse } from './message.ts';
import { isOwnMessage, isStep, midTurnText, type OwnMessage, readOwnMessage, reportLine } from './own-words.ts';

export type Part =
  /** `heard`: the user's words during a turn, if ctxb built `message`. */
  | { readonly kind: 'prompt'; readonly message: Message; readonly heard?: string }
  | Round
  | Exclude<OwnMessage, { kind: 'heard' }>;

/** Trimmed texts of prompts, one per block. */
type Known = ReadonlySet<string>;

/** A complete reply of the model, with the results of its tool calls. */
export interface Round {
  readonly kind: 'round';
  readonly messages: readonly Message[];
  readonly words: string;
  readonly calls: readonly Call[];
}

/** An interrupted call has no result. */
export interface Call {
  readonly use: ToolUse;
  readonly result: ToolResult | undefined;
}

/**
 * Drops claude's own messages in the user's place (commands, their output, interruptions), and results without a call.
 *
 * @param known texts that are certain to be prompts, even if they look like claude's or ctxb's messages
 */
export function partsOf(messages: readonly Message[], known: Known): Part[] {
  const parts: Part[] = [];
  const answered = messages.findLastIndex(({ role }) => role === 'assistant');
  let from = 0;
  while (from < messages.length) {
    const message = messages[from] as Message;
    const isUsers = isUserMessage(message);
    const end = isUsers ? from + 1 : roundEnd(messages, from);
    if (isUsers) parts.push(...userParts(message, messages[end], known, from < answered));
    else parts.push(roundOf(messages.slice(from, end)));
    from = end;
  }
  return parts.filter((part) => part.kind !== 'round' || part.words !== '' || part.calls.length > 0);
}

/** Inserts missing messages from running turns after their step, or at the end; an answered report becomes a line. */
export function withMidTurn(parts: readonly Part[], midTurn: readonly MidTurnPrompt[], known: Known): Part[] {
  const all = [...parts];
  const end = parts.at(-1);
  const isOpen = end?.kind === 'round' && end.messages.some(isResult);
  const heard = midTurn.map((prompt) => ({ ...prompt, report: reportIn(prompt.text, known) }));
  for (const { text, after, report } of withoutKnown(parts.flatMap(linesIn), heard, (one) => one.report ?? one.text)) {
    const isLate = report !== undefined && !isOpen;
    let at =
      stepAfterCall(all, after) ?? Math.max(0, all.findLastIndex(({ kind }) => kind === 'round') + (isLate ? 0 : 1));
    while (all.slice(at, at + 1).some((part) => linesIn(part).length > 0)) at++;
    const message = createMessage('user', report === undefined ? midTurnText(text) : text);
    const isAnswered = report !== undefined && at < all.length;
    all.splice(at, 0, isAnswered ? { kind: 'lines', lines: [report] } : { kind: 'prompt', message, heard: text });
  }
  return all;
}

/** Whether the user wrote the prompt: ctxb's requests and claude's reports can stay as prompts too. */
export function isFromUser(part: Part, known: Known): boolean {
  if (part.kind !== 'prompt') return false;
  const { heard, message } = part;
  const isKnown = known.has(message.text.trim());
  return (
    isKnown ||
    (reportIn(heard ?? message.text, known) === undefined && (heard !== undefined || !isOwnMessage(message.text)))
  );
}

/** The end of a task as a line, if claude reports one. */
function reportIn(text: string, known: Known): string | undefined {
  return known.has(text.trim()) ? undefined : reportLine(text);
}

function stepAfterCall(parts: readonly Part[], call: string): number | undefined {
  const step = parts.findIndex(
    (part) => part.kind === 'round' && part.calls.some(({ use }) => use.tool_use_id === call),
  );
  return step < 0 ? undefined : step + 1;
}

function linesIn(part: Part): readonly string[] {
  if (part.kind === 'lines') return part.lines;
  return part.kind === 'prompt' && part.heard !== undefined ? [part.heard] : [];
}

function isUserMessage(message: Message): boolean {
  return message.role === 'user' && !isResult(message);
}

/** Index after the messages of one reply and the results that follow. */
function roundEnd(messages: readonly Message[], from: number): number {
  let end = from;
  while (messages[end]?.role === 'assistant') end++;
  while (messages[end] !== undefined && isResult(messages[end] as Message)) end++;
  return end;
}

function roundOf(messages: readonly Message[]): Round {
  const results = new Map(
    messages.flatMap(({ toolResults = [] }) =>
      toolResults.map((one) => [one.tool_use_id, hasText(one) ? one : { ...one, text: REMOVED_NOTICE }]),
    ),
  );
  // After `--resume` a step that was open at a compaction appears twice.
  const uses = new Map(messages.flatMap(({ toolUses }) => toolUses.map((use) => [use.tool_use_id, use])));
  const words = messages.filter(({ role }) => role === 'assistant').map(({ text }) => text.trim());
  return {
    kind: 'round',
    messages,
    words: [...new Set(words)].filter((text) => text !== '').join('\n\n'),
    calls: [...uses.values()].map((use) => ({ use, result: results.get(use.tool_use_id) })),
  };
}

/** The text between claude's heading of its summary and its instruction to continue. */
const SUMMARY = /\nSummary:\s([\s\S]*?)(?:\n\nIf you need specific details from before|$)/;

/** claude's result of a skill call; the skill's text comes separately. */
const SKILL = 'Launching skill: ';

/** Pictures and tool definitions have no text here; without a placeholder the result would look empty. */
export const REMOVED_NOTICE =
  '[ctxb] The content here was removed (a picture, tools that were looked up, a file seen before, the text of a skill): ask for it again.';

export function hasText({ text }: ToolResult): boolean {
  return text !== '' && !isUnchangedRead(text) && !text.startsWith(SKILL);
}

function userParts(message: Message, next: Message | undefined, known: Known, isAnswered: boolean): Part[] {
  const { text, handle } = message;
  const [own, report] = [readOwnMessage(text), reportLine(text)];
  const isOpen = !isAnswered && (isStep(text) || own?.kind === 'asked' || report !== undefined);
  if (isOpen || known.has(text.trim())) return [{ kind: 'prompt', message }];
  if (own !== undefined) return [own.kind === 'heard' ? { kind: 'prompt', message, heard: own.text } : own];
  if (isSummary(text)) return [{ kind: 'summary', text: groupsIn(SUMMARY, text)[0] ?? text }];
  if (report !== undefined) return [{ kind: 'lines', lines: [report] }];
  // Pictures have no text; claude's rows without text stay unchanged.
  const isFromClaude = isNotice(text) && !hasAsked(text, next);
  if (isFromClaude && (text !== '' || handle === undefined)) return [];
  return [{ kind: 'prompt', message }];
}

/** Whether the model works after one of claude's own commands, or is about to. */
function hasAsked(text: string, next: Message | undefined): boolean {
  return commandOf(text) !== undefined && (next === undefined || !isUserMessage(next) || isOwnMessage(next.text));
}
