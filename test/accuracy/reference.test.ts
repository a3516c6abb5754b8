import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { runWith } from '../support/governor.ts';
import { asRead, FIXTURE_RECORDINGS, linesOf, SHARED_RECORDINGS } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';
import { readReference } from './reference.ts';
import { readSample } from './sample.ts';

const LOGS = [...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS].filter(({ path }) => path.endsWith('.jsonl'));

describe('the reference, which shares no code with ctxb,', () => {
  it.each(LOGS)('counts the contexts and compactions of $name alike', ({ path }) => {
    const run = runWith({ mode: 'replay' });
    const replay = createSessionReplay({ run, series: true, mask: unmasked });
    for (const line of linesOf(path)) replay.line(asRead(line));
    const { series = [], compactions } = replay.summary(path);
    const { contexts, boundaries } = readReference(path);
    expect(series.map(({ messageId, context }) => [messageId, context])).toEqual([...contexts]);
    expect(compactions.map(({ preTokens }) => preTokens)).toEqual(boundaries);
  });
});

it('the lists name each file once, by commit and hash', () => {
  const lists = ['sample.txt', 'copies.txt'].map((list) => readFileSync(`test/accuracy/${list}`, 'utf8'));
  const sources = lists.flatMap(readSample);
  const files = sources.flatMap((source) => source.files);
  expect(new Set(files.map(({ hash }) => hash)).size).toBe(files.length);
  expect(files.length).toBeGreaterThan(400);
  for (const { commit } of sources) expect(commit).toMatch(/^[0-9a-f]{40}$/);
  for (const { hash, path } of files)
    expect([hash, path]).toEqual([expect.stringMatching(/^[0-9a-f]{40}$/), expect.stringMatching(/\.jsonl$/)]);
});
