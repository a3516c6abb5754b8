import { crc32, deflateSync } from 'node:zlib';
import type { Random } from '../support/random.ts';
import type { DeadEnd, Evidence, JobFile } from './job.ts';

export const WORDS: readonly [string, ...string[]] = [
  ...(['account', 'batch', 'cursor', 'digest', 'entry', 'field', 'guard', 'handle', 'index', 'journal'] as const),
  ...(['ledger', 'marker', 'notice', 'offset', 'packet', 'query', 'record', 'shard', 'token', 'vector'] as const),
];

/** UTF-16 units of what a check prints: drawn evenly between these. */
const PRINTED = [1_500, 7_000] as const;

/** Lines of a source file. */
export interface SourceSize {
  readonly lines: number;
  /** A page of a file has a sign every so many lines: a reader knows what it has not seen. */
  readonly signEvery: number;
}

/** A file with signs, a value to find, and two lines below it the line that is to be changed. */
export interface Source {
  readonly file: JobFile;
  readonly signs: readonly Evidence[];
  readonly fact: Evidence;
  readonly target: string;
}

export function sourceFile(random: Random, path: string, { lines: count, signEvery }: SourceSize): Source {
  const id = path.replaceAll('/', '.');
  const signs: Evidence[] = [];
  const fact: Evidence = {
    id: `${id}:fact`,
    kind: 'number',
    sign: String(random.whole(1_000_000, 9_999_999)),
    file: path,
    line: random.whole(10, count - 10),
  };
  const target = `export const ${random.pick(WORDS)}_${random.whole(1_000, 9_999)}_limit = 0;`;
  const lines = Array.from({ length: count }, (_, index) => {
    const line = index + 1;
    if (line === fact.line) return `// measured on the last run: ${fact.sign} units`;
    if (line === fact.line + 2) return target;
    if (line % signEvery !== 0 && line !== count) return sourceLine(random);
    const sign = `§${random.whole(1_000_000, 9_999_999).toString(36)}`;
    signs.push({ id: `${id}:${line}`, kind: 'path', sign, file: path, line });
    return `// ${sign}`;
  });
  return { file: { path, text: `${lines.join('\n')}\n` }, signs, fact, target };
}

export function sourceLine(random: Random): string {
  const word = () => random.pick(WORDS);
  return `  const ${word()}${random.whole(1, 99)} = ${word()}.${word()}(${word()}, '${word()}-${random.whole(100, 999)}'); // ${word()} ${word()}`;
}

export interface Picture {
  readonly file: JobFile;
  /** A part of the picture as a request holds it. */
  readonly sign: Evidence;
}

/** The API counts a token for each square of 28 pixels (Anthropic's documentation of vision). */
const SQUARE = 28;
const SQUARES = 38;
const PIXELS = SQUARES * SQUARE;

/** Tokens of a picture. */
export const PICTURE_TOKENS = SQUARES ** 2;

/** A picture of random grey squares. */
export function pictureFile(random: Random, path: string): Picture {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, PIXELS);
  view.setUint32(4, PIXELS);
  // 8 bits a pixel, grey.
  header[8] = 8;
  const greys = Array.from({ length: SQUARES ** 2 }, () => random.whole(0, 255));
  const rows = Uint8Array.from({ length: PIXELS * (PIXELS + 1) }, (_, at) => {
    const [x, y] = [(at % (PIXELS + 1)) - 1, Math.floor(at / (PIXELS + 1))];
    return x < 0 ? 0 : (greys[Math.floor(y / SQUARE) * SQUARES + Math.floor(x / SQUARE)] ?? 0);
  });
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    ...[chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', new Uint8Array())],
  ]);
  const sign = png.toString('base64').slice(100, 160);
  return { file: { path, text: png }, sign: { id: path, kind: 'path', sign, file: path, line: 1 } };
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [data.length, crc32(body)].map((number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(number);
    return bytes;
  }) as [Buffer, Buffer];
  return Buffer.concat([length, body, sum]);
}

/** The programs in bin/: each prints the same whenever it is called alike, and dead ends fail. */
export function tools(deadEnds: readonly DeadEnd[]): JobFile[] {
  const names = new Set([
    'inspect',
    'check',
    'patch',
    'serve',
    'load',
    'note',
    'deploy',
    'table',
    'publish',
    ...deadEnds.map(({ id }) => id),
  ]);
  const failing = deadEnds.map(
    ({ command }) =>
      `  "${command}") echo "error: ${command.split(' ')[1]}: no incremental state, and none can be made here" >&2; exit 2;;`,
  );
  const script = [
    '#!/bin/sh',
    'case "bin/$(basename "$0") $*" in',
    ...failing,
    'esac',
    `sum=$(printf '%s' "$*" | cksum | cut -d' ' -f1)`,
    `awk -v s="$sum" 'BEGIN { srand(s); n = ${PRINTED[0]} + int(rand() * ${PRINTED[1] - PRINTED[0]}); while (n > 0) { l = sprintf("%06d ok %s step %d took %d ms", rand() * 999999, ARGV[1], rand() * 500, rand() * 4000); n -= length(l) + 1; print l } }' "$(basename "$0")"`,
    'echo "finished: $(basename "$0") $*"',
    '',
  ].join('\n');
  return [...names].map((name) => ({ path: `bin/${name}`, text: script, executable: true as const }));
}
