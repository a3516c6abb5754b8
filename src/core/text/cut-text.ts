import { sumOf } from './sum-of.ts';
import { lineFeeds, wholeCharacter } from './words.ts';

/** UTF-16 offsets; `to` is exclusive. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Shares of the room for the end and for failures. Unused room goes to the beginning. */
const END_SHARE = 0.3;
const FAILURES_SHARE = 0.25;

/** UTF-16 units reserved for the description of one gap. */
const GAP_LENGTH = 60;

/** Maximum UTF-16 units of a line that names a failure, and of its neighbors. */
const LINE_LENGTH = 400;

/**
 * Keeps the beginning and the end of a text, and the lines in between that report failures, with one line before and
 * after. Each gap describes the omitted part. Cuts fall at line ends where possible.
 *
 * @param room UTF-16 units for the whole result
 * @returns `lines`: number of lines of the whole text. `nextLine`: the first incomplete line, from 1, at which a reader
 *   can continue
 */
export function cutText(text: string, room: number) {
  const end: Span = { from: startOfLine(text, text.length - Math.floor(room * END_SHARE)), to: text.length };
  // The beginning gets at least this part, so failures inside it need no further room.
  const headMin = beginning(text, Math.floor(room * (1 - END_SHARE - FAILURES_SHARE)) - 2 * GAP_LENGTH);
  const failures = failuresIn(text, { from: headMin.to, to: end.from }, Math.floor(room * FAILURES_SHARE));
  const usedRoom = GAP_LENGTH + sumOf([...failures, end], (span) => span.to - span.from + GAP_LENGTH);
  const shown = mergeSpans([beginning(text, room - usedRoom), ...failures, end]);
  return { ...joinSpans(text, shown), nextLine: lineFeeds(text, 0, shown[0]?.to ?? 0) + 1 };
}

function beginning(text: string, length: number): Span {
  return { from: 0, to: length > 0 ? endOfLine(text, length) : 0 };
}

/** The start of the next line from `at` on; `at` itself if lines are too long. */
function startOfLine(text: string, at: number): number {
  const next = text.indexOf('\n', at - 1) + 1;
  return next > 0 && next - at < (text.length - at) / 2 ? next : wholeCharacter(text, at);
}

/** The end of the last complete line up to `at`; `at` itself if lines are too long. */
function endOfLine(text: string, at: number): number {
  const last = text.lastIndexOf('\n', at - 1) + 1;
  return last > at / 2 ? last : wholeCharacter(text, at);
}

/** The first failures with their neighbors, as room permits. */
function failuresIn(text: string, { from, to }: Span, room: number): Span[] {
  const spans: Span[] = [];
  let remaining = room;
  let done = from;
  for (const { index } of text.slice(from, to).matchAll(FAILURES)) {
    if (from + index < done) continue;
    const span = withContextLines(text, from + index, done);
    remaining -= span.to - span.from + GAP_LENGTH;
    if (remaining < 0) break;
    spans.push(span);
    done = span.to;
  }
  return spans;
}

function withContextLines(text: string, index: number, done: number): Span {
  const line = text.lastIndexOf('\n', index - 1) + 1;
  const before = line === 0 ? 0 : text.lastIndexOf('\n', line - 2) + 1;
  const after = lineEnd(text, lineEnd(text, index));
  const from = Math.max(done, line - before > LINE_LENGTH ? line : before, index - LINE_LENGTH);
  return { from: wholeCharacter(text, from), to: wholeCharacter(text, Math.min(after, index + 2 * LINE_LENGTH)) };
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

/** Merges overlapping spans. Expects them in order. */
function mergeSpans(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last === undefined || span.from > last.to) all.push(span);
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, span.to) };
  }
  return all;
}

function joinSpans(text: string, shown: readonly Span[]) {
  let line = 1;
  let done = 0;
  let all = '';
  for (const { from, to } of shown) {
    const skipped = lineFeeds(text, done, from);
    if (from > done)
      all += `${all === '' || all.endsWith('\n') ? '' : '\n'}${gapText(text, { from: done, to: from }, line, skipped)}\n`;
    all += text.slice(from, to);
    line += skipped + lineFeeds(text, from, to);
    done = to;
  }
  return { text: all, lines: text.endsWith('\n') ? line - 1 : line };
}

/** Describes a gap. @param first number of the line in which the gap begins */
function gapText(text: string, { from, to }: Span, first: number, lines: number): string {
  const isWhole = beginsLine(text, from) && (beginsLine(text, to) || to === text.length);
  const last = first + lines - (beginsLine(text, to) ? 1 : 0);
  const lineRange = first === last ? `line ${first}` : `lines ${first}-${last}`;
  return isWhole ? `[… ${lineRange} left out …]` : `[… ${to - from} characters of ${lineRange} left out …]`;
}

function beginsLine(text: string, at: number): boolean {
  return at === 0 || text[at - 1] === '\n';
}

const FAILED_TEST = /^[ \t]*(?:--- FAIL:|\(fail\) |FAIL(?:ED)?:?[ \t]+\S|not ok \d|[✗✘✖×][ \t]|test .* \.\.\. FAILED)/;

const ERROR =
  /\b[A-Z]\w{0,60}(?:Error|Exception|Failure)\b|\b(?:error|fatal|panic(?:ked)?)(?:\[\w{1,20}\])?(?: \w{1,8})?:|\berror TS\d|\b(?:ERROR|FATAL|CRITICAL|FAILED)\b|\bpanicked at\b|^Traceback \(most recent call last\)|^E {2,}\S/;

/** Matches failures in a tool's output; for `matchAll`. */
const FAILURES = new RegExp(`${FAILED_TEST.source}|${ERROR.source}`, 'gm');
