import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../src/config/defaults.ts';
import { packed } from '../../../src/replay/ledger.ts';
import { type DepthOptions, readAll, type SessionAttempt } from '../../../src/replay/replay.ts';
import { bytesOf, findSources } from '../../../src/replay/sources.ts';
import { type FromWorker, replayInThread, shareWork, takeNext } from '../../../src/replay/threads.ts';
import { fixture } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const own = { stdin: Readable.from([]), mask: unmasked };
const options: DepthOptions = { policy: DEFAULTS, depth: 'full', series: true, ...own };
const sources = [
  ...findSources(dirname(fixture('compact.ndjson'))),
  { file: fixture('missing.ndjson'), subagents: [] },
];

describe('the shared work', () => {
  it('is taken in order of size, largest first, each recording once', () => {
    const share = shareWork(sources, options);
    const sizes = sources.map(() => bytesOf([takeNext(share)?.source ?? { file: '-', subagents: [] }]) ?? 0);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    expect(takeNext(share)).toBeUndefined();
  });

  it('can be sent to a thread', () => {
    expect(() => structuredClone(shareWork(sources, { ...options, onBytes: () => {} }))).not.toThrow();
  });
});

it('gives the same results with several threads as with one, and reports unreadable files', async () => {
  const share = shareWork(sources, options);
  const told: FromWorker[] = [];
  await Promise.all([
    replayInThread(share, own, (message) => told.push(message)),
    replayInThread(share, own, (message) => told.push(message)),
  ]);
  const expected: SessionAttempt[] = [];
  for await (const judged of readAll(sources, options)) expected.push(judged);
  const found = sources.map((_, place) => told.find((message) => 'at' in message && message.at === place));
  expect(told.filter((message) => 'at' in message)).toHaveLength(sources.length);
  expect(found).toEqual(
    expected.map((judged, at) => ('found' in judged ? { at, found: packed(judged.found) } : { at, ...judged })),
  );
  expect(found.at(-1)).toMatchObject({ fault: expect.stringContaining('missing.ndjson') });
});
