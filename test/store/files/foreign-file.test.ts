import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readForeign, readNamed, readPiped } from '../../../src/store/files/foreign-file.ts';

let folder: string;
const at = (name: string) => join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-given-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LIMIT = 100_000;

describe.each([
  { name: 'a file that ctxb finds', read: readForeign },
  { name: 'a file that the user names', read: readNamed },
])('$name', ({ read }) => {
  it.each([0, 1, 65_535, 65_536, 65_537, LIMIT])('is read whole with %d bytes', (size) => {
    writeFileSync(at('file'), 'x'.repeat(size));
    symlinkSync(at('file'), at('link'));
    for (const name of ['file', 'link']) expect(read(at(name), LIMIT).toString()).toBe('x'.repeat(size));
  });

  it.each([LIMIT + 1, 700 * 1024 * 1024])('is refused with %d bytes', (size) => {
    writeFileSync(at('file'), '');
    truncateSync(at('file'), size);
    expect(() => read(at('file'), LIMIT)).toThrow(`expected at most ${LIMIT} bytes, found ${size}`);
  });

  it('reads a file in /proc, which has no size', () => {
    expect(read('/proc/self/status', LIMIT).toString()).toContain('VmRSS');
  });

  it.each([
    { title: 'nothing', make: () => {}, says: 'ENOENT' },
    { title: 'a folder', make: () => mkdirSync(at('file')), says: /found a folder|EISDIR/ },
    {
      title: 'a link to a device without an end',
      make: () => symlinkSync('/dev/zero', at('file')),
      says: /^expected /,
    },
  ])('refuses $title', ({ make, says }) => {
    make();
    expect(() => read(at('file'), LIMIT)).toThrow(says);
  });
});

it('waits for a pipe only if the user has named it', async () => {
  execFileSync('mkfifo', [at('pipe')]);
  expect(() => readForeign(at('pipe'), LIMIT)).toThrow('expected a file, found a special file');
  const writer = spawn('sh', ['-c', `printf said > '${at('pipe')}'`]);
  expect(readNamed(at('pipe'), LIMIT).toString()).toBe('said');
  await once(writer, 'exit');
});

it('reads a stream up to the limit, and no further', async () => {
  const chunks = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(LIMIT / 4, 'x')));
  expect(await readPiped(chunks(4), LIMIT)).toHaveLength(LIMIT);
  await expect(readPiped(chunks(5), LIMIT)).rejects.toThrow(`expected at most ${LIMIT} bytes, found more`);
});

/** What opens files by itself, and why it may. */
const OPENERS: Readonly<Record<string, string>> = {
  'cli/flow-studio.ts': 'ctxb itself',
  'cli/print-report.ts': 'ctxb itself',
  'cli/replay-sources.ts': 'ctxb itself',
  'demo/live-run.ts': 'its own record',
  'process-io.ts': 'the null device, in the place of a stdin that cannot be read',
  'replay/read/read-values.ts': 'a recording that is named, or a file in a folder; line by line, up to a bound',
  'replay/recall.ts': 'recordings, found as regular files',

  'replay/threads.ts': '/proc',
  'claude/child.ts': 'the null device, to see whether there is room',
  'store/files/compile-cache.ts': 'a folder that only the user may write to',
  'store/files/foreign-file.ts': 'the careful opener of what is not ctxb’s',
  'store/files/plain-file.ts': 'the careful opener of what is ctxb’s',
  'store/files/process-mark.ts': '/proc',
  'store/files/write-file.ts': 'only what it makes anew',
};

it('every file is opened by one of the safe functions', () => {
  const source = new URL('../../../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const opens =
    /import \{[^}]*\b(?:open|openSync|readFile|readFileSync|createReadStream|promises)\b[^}]*\} from 'node:fs/;
  const openers = files.filter((name) => opens.test(readFileSync(new URL(name, source), 'utf8')));
  expect(openers.sort()).toEqual(Object.keys(OPENERS).sort());
});
