import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { createLineSink } from '../../../src/flow/run/run-step.ts';

const TEXT = 'one\n\r\nthree é\r\nthe last one';

it('passes on complete lines, however the bytes are split', async () => {
  const bytes = Buffer.from(TEXT);
  for (let at = 0; at <= bytes.length; at++) {
    const lines: string[] = [];
    const sink = createLineSink((line) => void lines.push(line));
    sink.write(bytes.subarray(0, at));
    await finished(sink.end(bytes.subarray(at)));
    expect(lines).toEqual(['one', '', 'three é', 'the last one']);
  }
});

it('is destroyed by an error of its reader', async () => {
  const sink = createLineSink(() => {
    throw new Error('enough');
  });
  sink.write('a line\n');
  await expect(finished(sink)).rejects.toThrow('enough');
});
