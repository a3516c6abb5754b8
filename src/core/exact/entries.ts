import { summarizeCall } from '../memory/call-summary/summarize-call.ts';
import { endCall } from '../memory/extract/tool-calls.ts';
import { fieldsOf, stringOf } from '../protocol/fields.ts';
import { sumOf } from '../text/sum-of.ts';
import { inBackticks, oneLine, shorten, unmasked } from '../text/words.ts';
import { tokensOfText, toolResultBlock, toolUseBlock } from './message.ts';
import { summaryText, WORDS_PREFIX } from './own-words.ts';
import { type Call, type Part, REMOVED_NOTICE, type Round } from './parts.ts';

/** A kept part of the older conversation. */
export interface Entry {
  readonly part: Part;
  /** `line`: a step or the words next to it. `reply`: the model's final answer. */
  readonly kind: 'line' | 'reply' | 'summary';
  readonly text: string;
}

/** Maximum code points of an older answer. */
const REPLY_LENGTH = 600;

/** Maximum code points of claude's summary. The conversation has no other copy of it. */
const SUMMARY_LENGTH = 16_000;

/** Entries of parts that do not stay whole. @param room tokens; a summary leaves a share of it to the others */
export function entriesOf(parts: readonly Part[], room: number): Entry[] {
  const summaryLength = Math.min(SUMMARY_LENGTH, Math.floor(room * 0.9));
  return parts.flatMap((part): Entry[] => {
    if (part.kind === 'summary') return [{ part, kind: 'summary', text: shorten(part.text, summaryLength) }];
    if (part.kind === 'lines') return part.lines.map((text) => ({ part, kind: 'line', text }));
    if (part.kind !== 'round') return [];
    if (part.calls.length === 0) return [{ part, kind: 'reply', text: shorten(part.words, REPLY_LENGTH) }];
    return stepLines(part).map((text) => ({ part, kind: 'line', text }));
  });
}

/** Maximum tokens for lines and answers: every call reads them, so more would cost more than looking up facts again. */
const LINES_TOKENS = 3_000;

/** Share of the room for edits. The note does not contain what they wrote, and finding it out again costs a call. */
const EDIT_SHARE = 0.75;

/**
 * Keeps the last summary, and as many of the newest other entries as fit, edits first. Of equal entries, keeps the last
 * one.
 *
 * @param room tokens
 * @returns number of tool-call lines that are kept (`steps`) and dropped (`gone`)
 */
export function withinRoom(entries: readonly Entry[], room: number) {
  const summary = entries.filter(({ kind }) => kind === 'summary').slice(-1);
  const latest = new Map(entries.map((entry) => [entry.text, entry]));
  const others = entries.filter((entry) => entry.kind !== 'summary' && latest.get(entry.text) === entry).reverse();
  const free = Math.min(room - sumOf(summary, costOf), LINES_TOKENS);
  const edits = firstWithin(others.filter(isEdit), EDIT_SHARE * free);
  const kept = new Set([...summary, ...edits]);
  const rest = others.filter((entry) => !kept.has(entry));
  for (const entry of firstWithin(rest, free - sumOf(edits, costOf))) kept.add(entry);
  const inOrder = entries.filter((entry) => kept.has(entry));
  const steps = inOrder.filter(isStep).length;
  return { kept: inOrder, steps, gone: entries.filter(isStep).length - steps };
}

/** The first entries that fit. Does not measure those after them. */
function firstWithin(entries: readonly Entry[], room: number): readonly Entry[] {
  let remaining = room;
  const end = entries.findIndex((entry) => {
    remaining -= costOf(entry);
    return remaining < 0;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function isEdit({ kind, text }: Entry): boolean {
  return kind === 'line' && text.startsWith('Edit ');
}

function isStep({ kind, text }: Entry): boolean {
  return kind === 'line' && !text.startsWith(WORDS_PREFIX);
}

/** Tokens of the entry as a message, or as a line with its bullet. */
function costOf({ kind, text }: Entry): number {
  return tokensOfText(kind === 'summary' ? summaryText(text) : text) + 2;
}

/** Maximum code points of a line: enough for a command and its last output. */
const LINE_LENGTH = 320;
const SAID_LENGTH = 160;

/** The lines of an older reply: its words, and each tool call with its outcome. */
export function stepLines({ words, calls }: Round): string[] {
  const wordLines = words === '' ? [] : [WORDS_PREFIX + shorten(oneLine(words, 4 * SAID_LENGTH), SAID_LENGTH)];
  return [...wordLines, ...calls.map(callLine)];
}

function callLine({ use, result }: Call): string {
  const content = result?.text === REMOVED_NOTICE ? { ...result, text: '' } : result;
  const block = toolResultBlock(content ?? { tool_use_id: use.tool_use_id, text: 'no result', isError: true });
  const call = { use: toolUseBlock(use), agent: null, begun: undefined, root: undefined };
  // The tool's structured report is shortened here, and would look like an empty result.
  const line = summarizeCall(endCall(call, block, undefined, undefined), { mask: unmasked });
  const skillNote =
    use.tool === 'Skill' && content !== result ? ' (it is gone: call it again where it still holds)' : '';
  const edited = content === undefined || content.isError ? '' : writtenLine(use);
  return shorten(line + edited, LINE_LENGTH) + skillNote;
}

/** Maximum code points of the line that an edit wrote. */
const WRITTEN_LENGTH = 60;

/** The first line that an edit wrote, so that the model need not read the file again to know it. */
function writtenLine({ tool, input }: Call['use']): string {
  if (tool !== 'Edit') return '';
  const { old_string: before, new_string: after } = fieldsOf(input);
  const old = stringOf(before);
  const line = stringOf(after)
    .split('\n')
    .find((text) => text.trim() !== '' && !old.includes(text.trim()));
  return line === undefined ? '' : `: ${inBackticks(shorten(line.trim(), WRITTEN_LENGTH), WRITTEN_LENGTH)}`;
}
