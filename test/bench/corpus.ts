import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createRandom, type Random } from '../support/random.ts';
import { createSession } from './corpus-session.ts';
import { between } from './corpus-text.ts';

/** What was written, in bytes and lines. */
export interface Corpus {
  readonly folder: string;
  readonly files: number;
  readonly bytes: number;
  readonly lines: number;
}

const MEGABYTE = 1_000_000;

/** Sessions are short and long: so many bytes the shortest and the longest. */
const SHORTEST = 0.2 * MEGABYTE;
const LONGEST = 16 * MEGABYTE;

/** Writes session logs of at least so many bytes, as Claude Code lays them out: projects/<project>/<session>.jsonl. */
export function writeCorpus(folder: string, bytes: number): Corpus {
  const random = createRandom(7);
  const sum = { files: 0, bytes: 0, lines: 0 };
  while (sum.bytes < bytes) {
    const project = join(folder, 'projects', `-home-dev-project-${random.whole(1, 12)}`);
    mkdirSync(project, { recursive: true });
    const size = Math.min(bytes - sum.bytes, between(SHORTEST, LONGEST, random));
    const id = `${String(sum.files).padStart(8, '0')}-0000-4000-8000-000000000000`;
    appendLog(join(project, `${id}.jsonl`), { id, size, random }, sum);
    sum.files++;
  }
  return { folder, ...sum };
}

/** One session log of at least so many bytes. */
export function writeLog(path: string, size: number): Corpus {
  const sum = { files: 1, bytes: 0, lines: 0 };
  const id = '00000000-0000-4000-9000-000000000000';
  appendLog(path, { id, size, random: createRandom(8) }, sum);
  return { folder: path, ...sum };
}

interface Log {
  readonly id: string;
  readonly size: number;
  readonly random: Random;
}

function appendLog(path: string, { id, size, random }: Log, sum: Sums): void {
  const file = openSync(path, 'w');
  const end = sum.bytes + size;
  const session = createSession(id, random);
  while (sum.bytes < end) {
    const lines = session.turn().map((line) => Buffer.from(`${line}\n`));
    sum.lines += lines.length;
    sum.bytes += writeSync(file, Buffer.concat(lines));
  }
  closeSync(file);
}

type Sums = { -readonly [Name in keyof Omit<Corpus, 'folder'>]: Corpus[Name] };
