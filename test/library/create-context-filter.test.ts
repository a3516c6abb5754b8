import { readFileSync } from 'node:fs';
import { Duplex, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { ContextGauge, type ContextReading, createContextFilter } from '../../src/index.ts';
import { callLine, initLine } from '../support/governor.ts';
import { fixture, linesOf } from '../support/recordings.ts';

const RECORDING = fixture('crossing.ndjson');
const BYTES = readFileSync(RECORDING);

/** Every figure as it changes from line to line. */
const READINGS = linesOf(RECORDING).reduce<{ gauge: ContextGauge; seen: ContextReading[] }>(
  ({ gauge, seen }, line) => {
    const before = gauge.reading;
    gauge.add(line);
    const changed = JSON.stringify(before) !== JSON.stringify(gauge.reading);
    return { gauge, seen: changed ? [...seen, gauge.reading] : seen };
  },
  { gauge: new ContextGauge(), seen: [] },
).seen;

function* inPieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('a context filter', () => {
  it.each([1, 7, 1_000, BYTES.length])(
    'passes bytes on unchanged and tells of each figure: chunks of %i',
    async (size) => {
      const told: ContextReading[] = [];
      const heard: ContextReading[] = [];
      const zones: string[] = [];
      const filter = createContextFilter({ onContext: (context) => told.push(context) });
      filter.on('context', (context) => heard.push(context));
      filter.on('zone', ({ zone }, before) => zones.push(`${before} → ${zone}`));
      const passed = await buffer(Readable.from(inPieces(BYTES, size)).pipe(filter));
      expect(passed.equals(BYTES)).toBe(true);
      expect(told).toEqual(READINGS);
      expect(heard).toEqual(READINGS);
      expect(zones).toEqual(['ok → warning', 'warning → critical', 'critical → handoff']);
      expect(filter.gauge.reading).toEqual(READINGS.at(-1));
    },
  );

  it.each([
    { name: 'texts', lines: linesOf(RECORDING) },
    { name: 'texts that end in their line feed', lines: linesOf(RECORDING).map((line) => `${line}\n`) },
    { name: 'bytes', lines: linesOf(RECORDING).map((line) => Buffer.from(line)) },
  ])('passes the same lines on: $name', async ({ lines }) => {
    const told: ContextReading[] = [];
    const filter = createContextFilter({ lines: true, onContext: (context) => told.push(context) });
    const passed: unknown[] = await Readable.from(lines as Iterable<string | Buffer>)
      .pipe(filter)
      .toArray();
    expect(passed.length).toBe(lines.length);
    expect(passed.every((line, index) => line === lines[index])).toBe(true);
    expect(told).toEqual(READINGS);
  });

  it('can be converted to a web stream', async () => {
    const filter = createContextFilter();
    const web = Readable.toWeb(Readable.from(inPieces(BYTES, 1_000))).pipeThrough(Duplex.toWeb(filter));
    const passed = await buffer(web);
    expect(passed.equals(BYTES)).toBe(true);
    expect(filter.gauge.reading).toEqual(READINGS.at(-1));
  });

  it('passes an incomplete line on immediately, and reads a last line without its end', async () => {
    const filter = createContextFilter();
    const line = JSON.stringify(callLine(50_000));
    filter.write(JSON.stringify(initLine()));
    filter.write('\n');
    filter.write(line.slice(0, 20));
    expect(String(filter.read())).toBe(`${JSON.stringify(initLine())}\n${line.slice(0, 20)}`);
    filter.end(line.slice(20));
    expect((await buffer(filter)).toString()).toBe(line.slice(20));
    expect(filter.gauge.used).toBe(50_000);
  });

  it('reads no faster than its reader', async () => {
    let taken = 0;
    const source = new Readable({
      highWaterMark: 1_000,
      read() {
        taken += 1_000;
        this.push(taken > 10_000_000 ? null : Buffer.alloc(1_000, 'x'));
      },
    });
    const filter = createContextFilter();
    await new Promise((resolve) => source.once('pause', resolve).pipe(filter));
    const { readableHighWaterMark, writableHighWaterMark } = filter;
    expect(taken).toBeLessThan(2 * (readableHighWaterMark + writableHighWaterMark));
    expect((await buffer(filter)).length).toBe(10_000_000);
  });

  it('fails with the error that a listener throws', async () => {
    const filter = createContextFilter();
    filter.on('zone', () => {
      throw new Error('enough');
    });
    await expect(pipeline(Readable.from(inPieces(BYTES, 1_000)), filter, drain)).rejects.toThrow('enough');
  });
});

async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}
