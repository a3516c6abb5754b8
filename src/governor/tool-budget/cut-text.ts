import { FAILURES } from './failure-words.ts';

/** A text that was cut, and where its reader can go on. */
export interface CutText {
  readonly text: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** The first line that is not there whole, from 1. */
  readonly nextLine: number;
}

/** UTF-16 offsets; `to` is the first that does not belong to it. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** How the room is shared. What one part does not need goes to the beginning. */
const END_SHARE = 0.3;
const FAILURES_SHARE = 0.25;

/** Room for the words that say what is left out in one place. */
const GAP = 60;

/** So much of each end of what is not shown is looked through for failures: claude waits meanwhile. */
const SCAN = 500_000;

/** Of a line that says what failed, and of its neighbours. */
const LINE_LENGTH = 400;

/**
 * The beginning and the end of a text, and of what is between them the places that say that something failed, with the
 * lines before and after. Each gap says what is not there. The text is cut at the ends of lines where it has any.
 *
 * @param room UTF-16 units for all of it
 */
export function cutText(text: string, room: number): CutText {
  const end: Span = { from: startOfLine(text, text.length - Math.floor(room * END_SHARE)), to: text.length };
  const failures = failuresIn(text, end.from, Math.floor(room * FAILURES_SHARE));
  const taken = [...failures, end].reduce((sum, span) => sum + span.to - span.from + GAP, GAP);
  const start: Span = { from: 0, to: endOfLine(text, Math.max(0, room - taken)) };
  const shown = joined([start, ...failures, end]);
  return { ...written(text, shown), nextLine: linesBefore(text, 0, start.to) + 1 };
}

/** The first place from `at` on where a line begins; `at` itself where lines are too long for that. */
function startOfLine(text: string, at: number): number {
  const next = text.indexOf('\n', at - 1) + 1;
  return next > 0 && next - at < (text.length - at) / 2 ? next : wholeCharacter(text, at);
}

/** The last place up to `at` where a line has ended. */
function endOfLine(text: string, at: number): number {
  const last = text.lastIndexOf('\n', at - 1) + 1;
  return last > at / 2 ? last : wholeCharacter(text, at);
}

/** Never between the two units of one character. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

/** Places before `end`, the first ones first, as long as there is room. */
function failuresIn(text: string, end: number, room: number): Span[] {
  const spans: Span[] = [];
  let left = room;
  let done = 0;
  for (const index of failurePlaces(text, end)) {
    if (index < done) continue;
    const span = withNeighbours(text, index, done);
    left -= span.to - span.from + GAP;
    if (left < 0) break;
    spans.push(span);
    done = span.to;
  }
  return spans;
}

function* failurePlaces(text: string, end: number): Generator<number> {
  const parts = end <= 2 * SCAN ? [0] : [0, end - SCAN];
  for (const from of parts) {
    const part = text.slice(from, parts.length === 1 ? end : from + SCAN);
    for (const { index } of part.matchAll(FAILURES)) yield from + index;
  }
}

function withNeighbours(text: string, index: number, done: number): Span {
  const line = text.lastIndexOf('\n', index - 1) + 1;
  const before = line === 0 ? 0 : text.lastIndexOf('\n', line - 2) + 1;
  const after = lineEnd(text, lineEnd(text, index));
  const from = Math.max(done, line - before > LINE_LENGTH ? line : before, index - LINE_LENGTH);
  return { from: wholeCharacter(text, from), to: wholeCharacter(text, Math.min(after, index + 2 * LINE_LENGTH)) };
}

/** Behind the line feed that ends the line `at` is in. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Spans in order, those that touch as one. */
function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last === undefined || span.from > last.to) all.push(span);
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return all;
}

function written(text: string, shown: readonly Span[]): Pick<CutText, 'text' | 'lines'> {
  let line = 1;
  let done = 0;
  let all = '';
  for (const { from, to } of shown) {
    const skipped = linesBefore(text, done, from);
    if (from > done) all += `${all === '' || all.endsWith('\n') ? '' : '\n'}${gapText(from - done, line, skipped)}\n`;
    all += text.slice(from, to);
    line += skipped + linesBefore(text, from, to);
    done = to;
  }
  return { text: all, lines: text.endsWith('\n') ? line - 1 : line };
}

function gapText(chars: number, line: number, lines: number): string {
  if (lines === 0) return `[… ${chars} characters of line ${line} left out …]`;
  return lines === 1 ? `[… line ${line} left out …]` : `[… lines ${line}-${line + lines - 1} left out …]`;
}

/** Line feeds from one offset to another. */
function linesBefore(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
