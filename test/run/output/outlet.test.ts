import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createOutlet } from '../../../src/run/output/outlet.ts';

/** A reader that takes a chunk only when it is told to. */
function slowReader() {
  const taken: string[] = [];
  let take = (_?: Error) => {};
  const stream = new Writable({
    highWaterMark: 1,
    write(chunk, _, done) {
      taken.push(String(chunk));
      take = (error) => done(error);
    },
  });
  return { stream, taken, take: (error?: Error) => take(error) };
}

function gone(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.once('close', resolve));
}

describe('an outlet', () => {
  it('writes in order and is not blocked while the reader keeps up', async () => {
    const stream = new PassThrough();
    const outlet = createOutlet(
      stream,
      () => {},
      () => {},
    );
    outlet.write('a');
    outlet.write(Buffer.from('b'));
    expect(outlet.isBlocked).toBe(false);
    await outlet.finish();
    expect(String(stream.read())).toBe('ab');
  });

  it('calls back immediately if nothing is pending', () => {
    const outlet = createOutlet(
      new PassThrough(),
      () => {},
      () => {},
    );
    let called = 0;
    outlet.whenDrained(() => called++);
    expect(called).toBe(1);
  });

  it('is blocked by a slow reader, and calls everybody back once after draining', async () => {
    const { stream, take } = slowReader();
    const outlet = createOutlet(
      stream,
      () => {},
      () => {},
    );
    outlet.write('abc');
    expect(outlet.isBlocked).toBe(true);
    const calls: string[] = [];
    outlet.whenDrained(() => calls.push('first'));
    const drained = new Promise<void>((resolve) => outlet.whenDrained(resolve));
    expect(calls).toEqual([]);
    take();
    await drained;
    expect(calls).toEqual(['first']);
    expect(outlet.isBlocked).toBe(false);
  });

  it('reports a closed reader once, releases waiting callers, and writes no more', async () => {
    const { stream, taken } = slowReader();
    let told = 0;
    const outlet = createOutlet(
      stream,
      () => told++,
      () => {},
    );
    outlet.write('abc');
    const released = new Promise<void>((resolve) => outlet.whenDrained(resolve));
    const closed = gone(stream);
    stream.destroy(new Error('write EPIPE'));
    await Promise.all([released, closed]);
    stream.emit('error', new Error('write EPIPE'));
    outlet.write('more');
    await outlet.finish();
    expect({ told, taken, isGone: outlet.isGone, isBlocked: outlet.isBlocked }).toEqual({
      told: 1,
      taken: ['abc'],
      isGone: true,
      isBlocked: false,
    });
  });

  it('finishes even if the reader closes while the last bytes are pending', async () => {
    const { stream, take } = slowReader();
    const outlet = createOutlet(
      stream,
      () => {},
      () => {},
    );
    outlet.write('abc');
    const finished = outlet.finish();
    take(new Error('write EPIPE'));
    await finished;
  });

  it('finishes without a reader that does not read, once it is given up', async () => {
    const { stream, taken } = slowReader();
    let told = 0;
    const outlet = createOutlet(
      stream,
      () => told++,
      () => {},
    );
    outlet.write('abc');
    const released = new Promise<void>((resolve) => outlet.whenDrained(resolve));
    const finished = outlet.finish();
    outlet.giveUp();
    await Promise.all([released, finished]);
    outlet.write('more');
    expect({ taken, told, isBlocked: outlet.isBlocked }).toEqual({ taken: ['abc'], told: 0, isBlocked: false });
  });

  it('does not give up a reader that has read everything', () => {
    const outlet = createOutlet(
      new Writable({ write: (_chunk, _, done) => done() }),
      () => {},
      () => {},
    );
    outlet.write('abc');
    outlet.giveUp();
    expect(outlet.isGone).toBe(false);
  });

  it('clears the status line before each write', () => {
    const order: string[] = [];
    const stream = new Writable({
      write(chunk, _, done) {
        order.push(String(chunk));
        done();
      },
    });
    const outlet = createOutlet(
      stream,
      () => {},
      () => order.push('clear'),
    );
    outlet.write('a');
    outlet.write('b');
    expect(order).toEqual(['clear', 'a', 'clear', 'b']);
  });
});
