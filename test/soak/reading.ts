// Compares all ways to read a recording over lines with things wrong or odd in them, without end by default.
// Usage: npm run soak:reading [lines] [first seed]
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { oddLine } from '../support/odd-line.ts';
import { createRandom } from '../support/random.ts';
import { createReaders, meaningOf, readIn, readPacked } from '../support/reading.ts';

const LINES_A_SEED = 200;
const SEEDS_A_REPORT = 1_000;

const [wanted = Number.POSITIVE_INFINITY, first = 1] = process.argv.slice(2).map(Number);
const readers = createReaders();
const kinds: Record<string, number> = {};
let lines = 0;

for (let seed = first; lines < wanted; seed++) {
  const random = createRandom(seed);
  const recording = Buffer.concat(Array.from({ length: LINES_A_SEED }, () => oddLine(random)));
  const plain = readIn(readers.plain, recording);
  const chunk = random.whole(100, 100_000);
  const fast = readIn(readers.fast, recording, { chunk });
  const packed = readPacked(readers.packer, recording, { chunk });
  lines += plain.length;
  for (const { kind } of plain) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const expected = meaningOf(plain);
  const isSame = [fast, packed].every((lines) => isDeepStrictEqual(meaningOf(lines), expected));
  if (!isSame) fail(seed, chunk, recording);
  if (seed % SEEDS_A_REPORT === 0) report(seed);
}
report('the last');

function report(seed: number | string): void {
  console.log(`seed ${seed}: ${lines.toLocaleString('en-US')} lines are the same, ${JSON.stringify(kinds)}`);
}

function fail(seed: number, chunk: number, recording: Buffer): never {
  const file = join(tmpdir(), `ctxb-reading-${seed}.jsonl`);
  writeFileSync(file, recording);
  throw new Error(`seed ${seed}: not the same in chunks of ${chunk}; the lines are in ${file}`);
}
