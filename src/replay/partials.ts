import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { counted } from '../core/memory/words.ts';
import { type Fields, fieldsOf, isFields, textsOf } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import type { Merge } from './merge.ts';
import type { ReadLine } from './read/line-feed.ts';
import { readValues } from './read/read-values.ts';
import type { SessionSummary } from './summary.ts';

// The sessions of one part of the work, as lines of JSON: an opening with the version, a line for each session, and a
// closing with their number, so that a partial that was cut off is known as one. Partials may follow each other in a file.

/** Of the summaries in it. A reader takes no other. */
const PARTIAL_VERSION = 2;

/** A file that begins with these bytes is a partial. */
const PARTIAL_BEGINNING = '{"ctxb":"partial"';

/** @param faults what could not be read of this part */
export function* partialLines(sessions: readonly SessionSummary[], faults: readonly string[]): Generator<string> {
  yield JSON.stringify({ ctxb: 'partial', version: PARTIAL_VERSION });
  for (const session of sessions) yield JSON.stringify(session);
  yield JSON.stringify({ ctxb: 'end', sessions: sessions.length, faults });
}

/**
 * Finds out which files are partials, by how they begin. Folders are not searched for them.
 *
 * @param files `-` is stdin
 * @returns `others`: recordings, folders, and what cannot be looked at; `stdin` from its beginning
 */
export async function findPartials(files: readonly string[], stdin: Readable) {
  const peeked = files.includes('-') ? await peek(stdin) : { beginning: '', stream: stdin };
  const isPartial = (file: string) => (file === '-' ? peeked.beginning : beginningOf(file)) === PARTIAL_BEGINNING;
  const partials = new Set(files.filter(isPartial));
  return { partials: [...partials], others: files.filter((file) => !partials.has(file)), stdin: peeked.stream };
}

function beginningOf(file: string): string {
  try {
    // What is read of a pipe is gone.
    if (!statSync(file).isFile()) return '';
    const handle = openSync(file, 'r');
    try {
      const bytes = Buffer.alloc(PARTIAL_BEGINNING.length);
      return bytes.toString('latin1', 0, readSync(handle, bytes));
    } finally {
      closeSync(handle);
    }
  } catch {
    // Reading it will give the error.
    return '';
  }
}

/** The beginning of a stream, and a stream that has all of it. */
async function peek(stream: Readable) {
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  let first = Buffer.alloc(0);
  let failure: unknown;
  try {
    while (first.length < PARTIAL_BEGINNING.length) {
      const next = await chunks.next();
      if (next.done) break;
      first = Buffer.concat([first, next.value]);
    }
  } catch (error) {
    failure = error;
  }

  async function* whole() {
    if (first.length > 0) yield first;
    if (failure !== undefined) throw failure;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }

  return { beginning: first.toString('latin1', 0, PARTIAL_BEGINNING.length), stream: Readable.from(whole()) };
}

/** Reads partials; what is whole of a damaged one counts. @returns what is wrong, now and when they were made */
export async function readPartials(files: readonly string[], stdin: Readable, merge: Merge): Promise<CtxbError[]> {
  const faults: CtxbError[] = [];
  for (const file of files) {
    const reader = createReader(file, merge.add);
    try {
      await readValues(file, { stdin }, reader.line);
      reader.end();
    } catch (error) {
      if (!(error instanceof CtxbError)) throw error;
      faults.push(error);
    }
    faults.push(...reader.faults);
  }
  return faults;
}

const NOT_ONE = ' is not a partial: make one with ctxb replay --partial';
const BROKEN = ' is not a partial, or is damaged: make it again with ctxb replay --partial';

/** Reads the lines of one or more partials that follow each other. Of each damaged one the first fault is told. */
function createReader(file: string, add: (session: SessionSummary) => void) {
  const faults: CtxbError[] = [];
  let state: 'outside' | 'inside' | 'damaged' = 'outside';
  let sessions = 0;
  let number = 0;
  /** A line of a session is taken: an opening of this version came before it. */
  let takes = false;

  function damage(problem: string): void {
    if (state !== 'damaged') faults.push(unreadable(`${file}${problem}`));
    state = 'damaged';
  }

  function cutOff(): void {
    damage(` is cut off (${counted(sessions, 'session')} of it counted): make it again with ctxb replay --partial`);
  }

  function open(version: unknown): void {
    if (state === 'inside') cutOff();
    state = 'inside';
    sessions = 0;
    takes = version === PARTIAL_VERSION;
    const other = `another version of ctxb (${String(version)}, expected ${PARTIAL_VERSION})`;
    if (!takes) damage(` is a partial of ${other}: make it again with this one`);
  }

  function close(count: number, said: readonly string[]): void {
    faults.push(...said.map(unreadable));
    if (state === 'outside') damage(NOT_ONE);
    else if (count !== sessions) cutOff();
    state = 'outside';
  }

  function take(line: Fields): void {
    if (line.ctxb === 'partial') open(line.version);
    else if (line.ctxb === 'end' && typeof line.sessions === 'number') close(line.sessions, textsOf(line.faults));
    else if (!isSession(line)) damage(`, line ${number}${NOT_ONE}`);
    else if (!takes) damage(NOT_ONE);
    else {
      add(line);
      sessions++;
    }
  }

  return {
    faults,
    line(line: ReadLine): void {
      number++;
      if (line.kind === 'value') take(line.value);
      if (line.kind === 'malformed') damage(`, line ${number}${BROKEN}`);
    },
    end(): void {
      if (state === 'inside') cutOff();
      if (!takes && faults.length === 0) damage(' is empty: make a partial with ctxb replay --partial');
    },
  };
}

function unreadable(message: string): CtxbError {
  return new CtxbError('unreadable-input', message);
}

/** The parts that reports and gates are made from; what made the partial is known from its opening. */
export function isSession(line: Fields): line is Fields & SessionSummary {
  return (
    typeof line.file === 'string' &&
    typeof line.calls === 'number' &&
    [line.window, line.time, line.context, line.traffic, line.cost, line.growth, line.lines].every(isFields) &&
    [line.compactions, line.actions, line.largest, line.lineage, line.subagents].every(Array.isArray) &&
    Array.isArray(line.ledger) &&
    line.ledger.every((call) => isFields(fieldsOf(call).usage)) &&
    [line.pauses, line.waits].every((part) => part === undefined || isFields(part)) &&
    hasFigures(line)
  );
}

/** Sums are made of these. What is not known is null. */
function hasFigures(line: Fields): boolean {
  const [context, lines, traffic] = [fieldsOf(line.context), fieldsOf(line.lines), fieldsOf(line.traffic)];
  const sums = [fieldsOf(traffic.main), fieldsOf(traffic.subagents)];
  const { usd } = fieldsOf(line.cost);
  const { count = 0, expired = 0, tokens = 0, usd: dearer = 0, cachedUsd = 0 } = fieldsOf(line.pauses);
  return [
    ...[line.turns, fieldsOf(line.window).tokens ?? 0, context.last, context.peak, context.peakCall],
    context.peakFraction ?? 0,
    ...[lines.total, lines.unknown, lines.malformed, ...Object.values(fieldsOf(line.growth)), usd ?? 0],
    ...[count, expired, tokens, dearer, cachedUsd, ...Object.values(fieldsOf(line.waits))],
    ...sums.flatMap(({ input, cacheCreation, cacheRead, output }) => [input, cacheCreation, cacheRead, output]),
  ].every((figure) => typeof figure === 'number');
}
