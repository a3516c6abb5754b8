import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { openStdin } from '../../src/cli/inputs.ts';

it('stdin is opened only where it is named', async () => {
  let opened = 0;
  const io = {
    get stdin() {
      opened++;
      return Readable.from(['x']);
    },
  };
  expect(await text(openStdin(['a.ndjson'], io))).toBe('');
  expect(opened).toBe(0);
  expect(await text(openStdin(['a.ndjson', '-'], io))).toBe('x');
});
