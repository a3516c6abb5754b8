import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import type { ReadLine } from '../../../src/replay/read/read-line.ts';
import { readValues } from '../../../src/replay/read/read-values.ts';
import { readAhead } from '../../../src/replay/workers/read-ahead.ts';
import { type ReadingTask, readFor } from '../../../src/replay/workers/read-for.ts';
import { oddLine } from '../../support/odd-line.ts';
import { createRandom } from '../../support/random.ts';
import { fixture } from '../../support/recordings.ts';

const MEGABYTE = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'ctxb-read-ahead-'));
const options = { stdin: Readable.from([]), how: 'fast' } as const;

afterAll(() => rmSync(folder, { recursive: true }));

/** The other end of a channel, which ends as a thread does. */
function startReader(task: ReadingTask): Worker {
  const { port1, port2 } = new MessageChannel();
  void readFor(task, port1);
  const terminate = async () => port2.close();
  return Object.assign(port2, { terminate }) as unknown as Worker;
}

async function linesOf(read: typeof readValues, file: string): Promise<ReadLine[]> {
  const lines: ReadLine[] = [];
  // Of what is read on, the first line has a text again.
  await read(file, options, (line) => lines.push(lines.length === 0 ? line : { ...line, text: '' }));
  return lines;
}

function written(name: string, content: string | Buffer): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

const line = (text: string) => JSON.stringify({ type: 'user', message: { content: text } });
const odd = createRandom(3);

describe('with a thread that reads ahead', () => {
  const ahead: typeof readValues = (file, given, onLine) => readAhead(file, given, onLine, startReader);

  it.each([
    { name: 'a recording', file: fixture('compact.ndjson') },
    { name: 'nothing', file: written('nothing', '') },
    {
      name: 'lines of every kind',
      file: written('odd', Buffer.concat(Array.from({ length: 1_000 }, () => oddLine(odd)))),
    },
    {
      name: 'more than is under way at a time',
      file: written('many', `${line('word '.repeat(300))}\r\n`.repeat(8_000)),
    },
    { name: 'lines of more than a chunk', file: written('long', `${line('é\n'.repeat(MEGABYTE))}\n`.repeat(3)) },
    { name: 'a line that is cut off', file: written('cut', `{}\n${line('x'.repeat(MEGABYTE))}`.slice(0, -9)) },
    {
      name: 'lines that are too long for two',
      file: written('longer', `{}\n${line('é\n'.repeat(4 * MEGABYTE))}\n{}\n`),
    },
    { name: 'a line that is too long', file: written('endless', `{}\n${'x'.repeat(65 * MEGABYTE)}\n{}`) },
  ])('$name is what it is without', async ({ file }) => {
    // Not `toEqual`: what it would print of a difference has no end.
    expect(isDeepStrictEqual(await linesOf(ahead, file), await linesOf(readValues, file))).toBe(true);
  });

  it.each([
    { name: 'all lines', content: `${line('word')}\n`.repeat(20_000) },
    { name: 'a long line', content: `${line('word')}\n${line('x'.repeat(12 * MEGABYTE))}\n${line('word')}` },
  ])('tells each byte of $name once, and where whole lines end', async ({ content }) => {
    const file = written('bytes', content);
    const from = { offset: line('word').length + 1, lines: 1 };
    const told = async (read: typeof readValues) => {
      let bytes = 0;
      const ends: unknown[] = [];
      const lines: ReadLine[] = [];
      const listen = { onBytes: (count: number) => (bytes += count), onWhole: (end: unknown) => ends.push(end) };
      await read(file, { ...options, ...listen, from }, ({ text: _, ...each }) => lines.push(each));
      return { bytes, ends, lines };
    };
    const alone = await told(readValues);
    expect(alone.bytes).toBe(content.length);
    expect(await told(ahead)).toEqual(alone);
  });

  it.each([fixture('missing.ndjson'), fixture('.')])('says that %s cannot be read', async (file) => {
    const said = await linesOf(readValues, file).catch(({ code, message }) => ({ code, message }));
    await expect(linesOf(ahead, file)).rejects.toMatchObject(said);
  });

  it('ends with a file that shrinks meanwhile', async () => {
    const file = written('shrinks', `${line('x'.repeat(1_000))}\n`.repeat(20_000));
    let lines = 0;
    await ahead(file, options, () => lines++ === 0 && truncateSync(file, 0));
    expect(lines).toBeLessThan(20_000);
  });

  it('leaves the faults of the one who listens alone', async () => {
    const fault = new Error('a bug');
    const failing = ahead(fixture('compact.ndjson'), options, () => {
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
  });

  it('is done without where none can be started', async () => {
    const file = fixture('compact.ndjson');
    const alone: typeof readValues = (name, given, onLine) =>
      readAhead(name, given, onLine, () => {
        throw new Error('no more threads');
      });
    expect(await linesOf(alone, file)).toEqual(await linesOf(readValues, file));
  });
});
