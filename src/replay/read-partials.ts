import type { Readable } from 'node:stream';
import { CtxbError } from '../errors.ts';
import { counted } from '../memory/words.ts';
import { createMerge } from './merge.ts';
import { NoPartial, PARTIAL_VERSION, type PartialLine, readPartialLine } from './partial.ts';
import { readLines } from './read-lines.ts';
import type { SessionSummary } from './summary.ts';

/** What partials amount to. */
export interface Partials {
  readonly sessions: readonly SessionSummary[];
  /** Sessions that were in there again, and count once. */
  readonly repeated: number;
  /** What is wrong with the partials, and what could not be read when they were made. */
  readonly faults: readonly CtxbError[];
}

/** Reads and merges partials. What is whole of a damaged one counts. @param files `-` is stdin */
export async function readPartials(files: readonly string[], stdin: Readable): Promise<Partials> {
  const merge = createMerge();
  const faults: CtxbError[] = [];
  for (const file of files) {
    const reader = createReader(file, merge.add);
    try {
      await readLines(file, stdin, reader.line);
      reader.end();
    } catch (error) {
      if (!(error instanceof CtxbError)) throw error;
      faults.push(error);
    }
    faults.push(...reader.faults);
  }
  return { sessions: merge.sessions(), repeated: merge.repeated, faults };
}

/** Reads the lines of one or more partials that follow each other. Of each damaged one the first fault is told. */
function createReader(file: string, add: (session: SessionSummary) => void) {
  const faults: CtxbError[] = [];
  let at = 0;
  let state: 'outside' | 'inside' | 'damaged' = 'outside';
  let sessions = 0;
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
    if (!takes) damage(` ${otherVersion(version)}`);
  }

  function close(line: Extract<PartialLine, { readonly kind: 'closing' }>): void {
    faults.push(...line.faults.map(unreadable));
    if (state === 'outside') damage(NOT_ONE);
    else if (line.sessions !== sessions) cutOff();
    state = 'outside';
  }

  function take(line: PartialLine): void {
    if (line.kind === 'opening') open(line.version);
    else if (line.kind === 'closing') close(line);
    else if (!takes) damage(NOT_ONE);
    else {
      add(line.session);
      sessions++;
    }
  }

  return {
    faults,
    line(text: string): void {
      at++;
      if (text.trim() === '') return;
      try {
        take(readPartialLine(text));
      } catch (error) {
        if (!(error instanceof NoPartial)) throw error;
        damage(`, line ${at} ${error.message}`);
      }
    },
    end(): void {
      if (state === 'inside') cutOff();
      if (!takes && faults.length === 0) damage(' is empty: make a partial with ctxb replay --partial');
    },
  };
}

const NOT_ONE = ' is no partial: make one with ctxb replay --partial';

function otherVersion(version: unknown): string {
  const found = `is a partial of another version of ctxb (${String(version)}, expected ${PARTIAL_VERSION})`;
  return `${found}: make it again with this one`;
}

function unreadable(message: string): CtxbError {
  return new CtxbError('unreadable-input', message);
}
