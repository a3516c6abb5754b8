import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import type { ReadLine } from '../../../src/replay/read/line-feed.ts';
import { readValues } from '../../../src/replay/read/read-values.ts';
import { fixture } from '../../support/recordings.ts';

describe('reading a recording', () => {
  async function read(file: string, stdin = Readable.from([])): Promise<ReadLine[]> {
    const lines: ReadLine[] = [];
    await readValues(file, { stdin }, (line) => lines.push(line));
    return lines;
  }

  it('reads a file', async () => {
    expect((await read(fixture('compact.ndjson'))).at(-1)).toMatchObject({ kind: 'value', value: { type: 'result' } });
  });

  describe('of a large file', () => {
    // Larger than the size from which the next chunk is read ahead; rows of many lengths begin anywhere in a chunk.
    const rows = 9_000;
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-read-'));
    const file = join(folder, 'large.ndjson');
    const row = (number: number) => `{"number":${number},"text":"${'x'.repeat((number * 37) % 16_000)}"}\n`;

    beforeAll(() => {
      writeFileSync(file, Array.from({ length: rows }, (_, number) => row(number)).join(''));
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    it('keeps all rows in order', async () => {
      const lines = await read(file);
      expect(statSync(file).size).toBeGreaterThan(64 * 1024 * 1024);
      const numbers = lines.map((line) => (line.kind === 'value' ? line.value.number : line.kind));
      expect(numbers).toEqual(Array.from({ length: rows }, (_, number) => number));
    });

    it('stops when told to', async () => {
      const lines: ReadLine[] = [];
      const shouldContinue = () => lines.length < 200;
      await readValues(file, { stdin: Readable.from([]), shouldContinue }, (line) => lines.push(line));
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.length).toBeLessThan(rows / 10);
    });
  });

  it('reads stdin, in pieces of any size', async () => {
    const bytes = Buffer.from('{"type":"user"}\n'.repeat(200_000));
    const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 2_500_000), bytes.subarray(2_500_000)];
    const lines = await read('-', Readable.from(pieces));
    expect(lines).toHaveLength(200_000);
    expect(lines.every(({ kind }) => kind === 'value')).toBe(true);
  });

  it.each([fixture('missing.ndjson'), fixture('.')])('reports that %s cannot be read', async (file) => {
    await expect(read(file)).rejects.toThrow(CtxbError);
    await expect(read(file)).rejects.toMatchObject({
      code: 'unreadable-input',
      message: expect.stringContaining(file),
    });
  });

  it('reports that stdin cannot be read', async () => {
    const stdin = new Readable({ read: () => stdin.destroy(new Error('gone')) });
    await expect(read('-', stdin)).rejects.toMatchObject({
      code: 'unreadable-input',
      message: '-: cannot be read (gone)',
    });
  });

  it('does not wrap errors of its callback', async () => {
    const fault = new Error('a bug');
    const failing = readValues('-', { stdin: Readable.from([Buffer.from('{}\n')]) }, () => {
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
  });
});
