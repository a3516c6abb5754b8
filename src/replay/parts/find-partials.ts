import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { PARTIAL_BEGINNING } from './partial.ts';

/** What is named, by what it is. */
export interface FoundPartials {
  readonly partials: readonly string[];
  /** Recordings, folders, and what cannot be looked at. */
  readonly others: readonly string[];
  /** stdin, from its beginning. */
  readonly stdin: Readable;
}

/** Finds out which files are partials, by how they begin. Folders are not searched for them. @param files `-` is stdin */
export async function findPartials(files: readonly string[], stdin: Readable): Promise<FoundPartials> {
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
  const chunks = stream[Symbol.asyncIterator]();
  const first: Buffer[] = [];
  let failure: unknown;
  try {
    while (sizeOf(first) < PARTIAL_BEGINNING.length) {
      const next = await chunks.next();
      if (next.done) break;
      first.push(next.value as Buffer);
    }
  } catch (error) {
    failure = error;
  }

  async function* whole() {
    yield* first;
    if (failure !== undefined) throw failure;
    yield* { [Symbol.asyncIterator]: () => chunks };
  }

  const beginning = Buffer.concat(first).toString('latin1', 0, PARTIAL_BEGINNING.length);
  return { beginning, stream: Readable.from(whole()) };
}

function sizeOf(chunks: readonly Buffer[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}
