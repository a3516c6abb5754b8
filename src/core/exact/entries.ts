import { summarizeCall } from '../memory/call-summary/summarize-call.ts';
import { endCall } from '../memory/extract/tool-calls.ts';
import { groupsIn } from '../protocol/fields.ts';
import { oneLine, shorten, unmasked } from '../text/words.ts';
import { resultBlock, tokensOfText, useBlock } from './message.ts';
import { isSaidLine, summaryText, wordsLine } from './own-words.ts';
import { type Part, REMOVED_NOTICE, type Round } from './parts.ts';
import type { Whole } from './whole-rounds.ts';

/** A kept part of the older conversation. */
export interface Entry {
  readonly part: Part;
  /** `line`: a step or the words next to it. `reply`: the model's final answer. */
  readonly kind: 'line' | 'reply' | 'summary';
  readonly text: string;
}

/** Maximum code points of an older answer. */
const REPLY_LENGTH = 600;

/** Maximum code points; the conversation contains claude's summary only here. */
const SUMMARY_LENGTH = 16_000;

/**
 * Entries of all parts in order, including parts that stay whole, because they make the others older.
 *
 * @param room tokens for all entries; a summary leaves a share to the others
 */
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

/**
 * Keeps the most valuable entries of parts that do not stay whole. Of equal lines, of runs of a command with the same
 * outcome, and of summaries, keeps only the last. Value falls with each later entry, so old lines are dropped first;
 * lookups are dropped before changes and failures, commands that ran once before repeated ones.
 *
 * @param room tokens for all entries
 * @param maxTokens tokens for lines and answers
 * @returns number of tool-call lines that are kept (`steps`) and dropped (`gone`)
 */
export function withinRoom(entries: readonly Entry[], whole: Whole, room: number, maxTokens: number) {
  const older = entries
    .map((entry, index) => ({ entry, age: entries.length - index }))
    .filter(({ entry: { part } }) => part.kind !== 'round' || !whole.has(part));
  const latest = new Map<string, (typeof older)[number] & { readonly times: number }>();
  for (const { entry, age } of older) {
    const key = keyOf(entry);
    latest.set(key, { entry, age, times: (latest.get(key)?.times ?? 0) + timesIn(entry) });
  }
  const ranked = [...latest.values()].map(({ entry, age, times }) => {
    return { entry: withTimes(entry, times), age, worth: (priorityOf(entry) * times) / age };
  });
  const chosen = new Set<(typeof ranked)[number]>();
  const summary = entries.findLast(({ kind }) => kind === 'summary');
  let remaining = Math.min(room, maxTokens + (summary === undefined ? 0 : costOf(summary)));
  for (const one of ranked.toSorted((first, second) => second.worth - first.worth)) {
    remaining -= costOf(one.entry);
    if (remaining < 0) break;
    chosen.add(one);
  }
  const inOrder = [...chosen].sort((first, second) => second.age - first.age).map(({ entry }) => entry);
  const steps = inOrder.filter(isStep).length;
  return { kept: inOrder, steps, gone: older.filter(({ entry }) => isStep(entry)).length - steps };
}

function keyOf({ kind, text }: Entry): string {
  if (kind !== 'line') return kind === 'summary' ? kind : text;
  const [command] = groupsIn(COMMAND, text);
  return command === undefined ? text : `${command} ${FAILED.test(text)}`;
}

const COMMAND = /^(Bash `[^`]+`)/;

/** Number of runs of a command that one line represents. */
const RUN_COUNT = / \(run (\d{1,6}) times\)$/;

function timesIn({ text }: Entry): number {
  return Number(groupsIn(RUN_COUNT, text)[0] ?? 1);
}

function withTimes(entry: Entry, times: number): Entry {
  if (times === 1 || !COMMAND.test(entry.text)) return entry;
  return { ...entry, text: `${entry.text.replace(RUN_COUNT, '')} (run ${times} times)` };
}

function isStep({ kind, text }: Entry): boolean {
  return kind === 'line' && !isSaidLine(text);
}

/** Tokens of the entry as a message, or as a line with its bullet. */
function costOf({ kind, text }: Entry): number {
  return tokensOfText(kind === 'summary' ? summaryText(text) : text) + 2;
}

const FAILED = /\bexit (?!0\b)\d|\b(?:failed|refused|cancelled)\b/;
const CHANGE_TOOLS = /^(?:Edit|Write|MultiEdit|NotebookEdit|Agent|Task|Skill)\b/;
const READ_TOOLS = /^(?:Read|Grep|Glob|LS|WebFetch|WebSearch|ToolSearch)\b/;

function priorityOf({ kind, text }: Entry): number {
  if (kind !== 'line') return kind === 'summary' ? Number.POSITIVE_INFINITY : 10;
  if (isSaidLine(text)) return 1;
  if (FAILED.test(text)) return 8;
  if (CHANGE_TOOLS.test(text)) return 6;
  return READ_TOOLS.test(text) ? 2 : 3;
}

/** Maximum code points of a line: enough for a command and its last output. */
const LINE_LENGTH = 320;
const SAID_LENGTH = 160;

/** The lines of an older reply: its words, and each tool call with its outcome. */
export function stepLines({ words, calls }: Round): string[] {
  const wordLines = words === '' ? [] : [wordsLine(shorten(oneLine(words, 4 * SAID_LENGTH), SAID_LENGTH))];
  return [...wordLines, ...calls.map(callLine)];
}

function callLine({ use, result }: Round['calls'][number]): string {
  const content = result?.text === REMOVED_NOTICE ? { ...result, text: '' } : result;
  const block = resultBlock(content ?? { tool_use_id: use.tool_use_id, text: 'no result', isError: true });
  const call = { use: useBlock(use), agent: null, begun: undefined, root: undefined };
  // The tool's structured report is shortened here, and would look like an empty result.
  const line = summarizeCall(endCall(call, block, undefined, undefined), { mask: unmasked });
  const skillNote =
    use.tool === 'Skill' && content !== result ? ' (it is gone: call it again where it still holds)' : '';
  return shorten(line, LINE_LENGTH) + skillNote;
}
