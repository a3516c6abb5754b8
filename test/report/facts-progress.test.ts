import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createFactsProgress } from '../../src/report/facts-progress.ts';

it.each([
  { title: 'a terminal', isTTY: true, total: 3, says: ['0 of 3 facts looked at', '2 of 3 facts looked at', ''] },
  { title: 'no terminal', isTTY: false, total: 3, says: [''] },
  { title: 'nothing to look at', isTTY: true, total: 0, says: [''] },
])('on $title', ({ isTTY, total, says }) => {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  const progress = createFactsProgress(stderr, total);
  progress.add(2);
  progress.clear();
  const drawn = String(stderr.read() ?? '').split('\r\u001b[2K');
  expect(drawn.length > 1 ? drawn.slice(1) : drawn).toEqual(says);
});
