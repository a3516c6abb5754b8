import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { measureFile } from '../../../src/store/runs/tool-files.ts';
import { createRandom } from '../../support/random.ts';

const folder = mkdtempSync(join(tmpdir(), 'ctxb-measure-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

function written(content: string | Buffer): string {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, content);
  return path;
}

/** The same, by the plainest means. Read shows a line as its number, a tab, the line and a line feed. */
function model(text: string, { offset, chars }: { offset: number; chars: number }) {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let fitting = 0;
  let left = chars;
  for (const [at, line] of lines.slice(offset - 1).entries()) {
    left -= `${offset + at}\t${line}\n`.length;
    if (left < 0) break;
    fitting++;
  }
  return { lines: lines.length, fitting };
}

const LINES = ['', 'a', 'some words', 'x'.repeat(200), '😀😀😀', '漢字かな', 'é', '\ufeffb', '\t', ' '] as const;

describe('a file is measured as by a plain model', () => {
  const SEEDS = Array.from({ length: 300 }, (_, seed) => seed + 1);

  it('with any lines and line ends', () => {
    const faults = SEEDS.flatMap((seed) => {
      const random = createRandom(seed);
      const end = random.pick(['\n', '\n', '\r\n']);
      const lines = Array.from({ length: random.whole(0, 60) }, () => random.pick(LINES));
      const bom = random.chance(0.2) ? '\ufeff' : '';
      const text = bom + lines.join(end) + (random.chance(0.5) && lines.length > 0 ? end : '');
      const asked = { offset: random.whole(1, 70), chars: random.whole(1, 3_000) };
      const [found, expected] = [measureFile(written(text), asked), model(text, asked)];
      return JSON.stringify(found) === JSON.stringify(expected)
        ? []
        : [`seed ${seed}: ${JSON.stringify({ asked, found, expected })}`];
    });
    expect(faults).toEqual([]);
  });

  it.each([
    { what: 'larger than what is read at once', line: 'some words of a line', count: 120_000 },
    { what: 'with lines that are larger than that', line: 'x'.repeat(1_300_000), count: 3 },
  ])('$what', ({ line, count }) => {
    const text = `${line}\n`.repeat(count);
    const path = written(text);
    for (const offset of [1, 2, count, count + 1]) {
      const asked = { offset, chars: 30_000 };
      expect(measureFile(path, asked)).toEqual(model(text, asked));
    }
  });
});

describe('first and last lines', () => {
  it.each([
    { text: '', lines: 0 },
    { text: '\n', lines: 1 },
    { text: 'a', lines: 1 },
    { text: 'a\n', lines: 1 },
    { text: 'a\n\n', lines: 2 },
    { text: '\r\n\r\n', lines: 2 },
    { text: 'a\rb', lines: 1 },
  ])('$text has $lines lines', ({ text, lines }) => {
    expect(measureFile(written(text), { offset: 1, chars: 1_000 })).toEqual({ lines, fitting: lines });
  });

  it('nothing fits beyond the end', () => {
    expect(measureFile(written('a\nb\n'), { offset: 3, chars: 1_000 })).toEqual({ lines: 2, fitting: 0 });
    expect(measureFile(written('a\nb'), { offset: 9e15, chars: 1_000 })).toEqual({ lines: 2, fitting: 0 });
  });

  it('nothing fits into nothing', () => {
    expect(measureFile(written('a\nb'), { offset: 1, chars: 0 })).toEqual({ lines: 2, fitting: 0 });
  });
});

describe('a file is not measured:', () => {
  it.each([
    { what: 'a file that is not there', path: () => join(folder, 'missing') },
    { what: 'a folder', path: () => folder },
    { what: 'a file with a NUL', path: () => written(Buffer.from([97, 0, 98])) },
    { what: 'a link to nowhere', path: () => linked(join(folder, 'nowhere')) },
    { what: 'a device', path: () => '/dev/zero' },
    { what: 'a name with a NUL', path: () => 'a\0b' },
    { what: 'an empty name', path: () => '' },
  ])('$what', ({ path }) => {
    expect(measureFile(path(), { offset: 1, chars: 1_000 })).toBeUndefined();
  });

  it('a pipe without a writer, without waiting for one', () => {
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    expect(measureFile(path, { offset: 1, chars: 1_000 })).toBeUndefined();
  });

  it('a file so large that claude would have to wait', () => {
    const path = written('a\n');
    truncateSync(path, 65 * 1024 * 1024);
    expect(measureFile(path, { offset: 1, chars: 1_000 })).toBeUndefined();
  });
});

it('a link to a file is followed, as Read follows it', () => {
  expect(measureFile(linked(written('a\nb\n')), { offset: 1, chars: 1_000 })).toEqual({ lines: 2, fitting: 2 });
});

it('bytes that are not UTF-8 cause no failure', () => {
  const latin = Buffer.from('caf\u00e9\n'.repeat(100), 'latin1');
  expect(measureFile(written(latin), { offset: 1, chars: 10_000 })).toEqual({ lines: 100, fitting: 100 });
});

function linked(target: string): string {
  const path = join(folder, `link-${++files}`);
  mkdirSync(folder, { recursive: true });
  symlinkSync(target, path);
  return path;
}
