import type { Readable } from 'node:stream';
import { counted } from '../../core/memory/words.ts';
import { CtxbError } from '../../errors.ts';
import type { ReadLine } from '../read/line-feed.ts';
import { readValues } from '../read/read-values.ts';
import type { SessionSummary } from '../summary.ts';
import type { Merge } from './merge.ts';
import { NoPartial, PARTIAL_VERSION, type PartialLine, readPartialLine } from './partial.ts';

/**
 * Reads partials. What is whole of a damaged one counts.
 *
 * @param files `-` is stdin
 * @returns what is wrong with the partials, and what could not be read when they were made
 */
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
    line(line: ReadLine): void {
      number++;
      if (line.kind === 'blank') return;
      try {
        take(readPartialLine(line));
      } catch (error) {
        if (!(error instanceof NoPartial)) throw error;
        damage(`, line ${number} ${error.message}`);
      }
    },
    end(): void {
      if (state === 'inside') cutOff();
      if (!takes && faults.length === 0) damage(' is empty: make a partial with ctxb replay --partial');
    },
  };
}

const NOT_ONE = ' is not a partial: make one with ctxb replay --partial';

function otherVersion(version: unknown): string {
  const found = `is a partial of another version of ctxb (${String(version)}, expected ${PARTIAL_VERSION})`;
  return `${found}: make it again with this one`;
}

function unreadable(message: string): CtxbError {
  return new CtxbError('unreadable-input', message);
}
