import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import type { ReadLine } from '../../../src/replay/read/read-line.ts';
import { readValues } from '../../../src/replay/read/read-values.ts';
import { readAhead } from '../../../src/replay/workers/read-ahead.ts';
import { readFor } from '../../../src/replay/workers/read-for.ts';
import { oddLine } from '../../support/odd-line.ts';
import { createRandom } from '../../support/random.ts';
import { fixture } from '../../support/recordings.ts';

const MEGABYTE = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'ctxb-read-ahead-'));
const options = { stdin: Readable.from([]), how: 'fast' } as const;

afterAll(() => rmSync(folder, { recursive: true }));

/** The other end of a channel, which ends as a thread does. */
function startReader(file: string): Worker {
  const { port1, port2 } = new MessageChannel();
  void readFor(file, port1);
  const terminate = async () => port2.close();
  return Object.assign(port2, { terminate }) as unknown as Worker;
}

async function linesOf(read: typeof readValues, file: string): Promise<ReadLine[]> {
  const lines: ReadLine[] = [];
  await read(file, options, (line) => lines.push(line));
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
    { name: 'a line that is too long', file: written('endless', `{}\n${'x'.repeat(65 * MEGABYTE)}\n{}`) },
  ])('$name is what it is without', async ({ file }) => {
    expect(await linesOf(ahead, file)).toEqual(await linesOf(readValues, file));
  });

  it('tells each byte once', async () => {
    let bytes = 0;
    const file = written('bytes', `${line('word')}\n`.repeat(100_000));
    await readAhead(file, { ...options, onBytes: (count) => (bytes += count) }, () => {}, startReader);
    expect(bytes).toBe(100_000 * (line('word').length + 1));
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
