import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/summary.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb } from './fakes.ts';

const FILES = ['tool-turn.ndjson', 'crossing.ndjson', 'compact.ndjson'].map(fixture);

describe('replay --accuracy', () => {
  it('prints a table over all recordings and a line for each', async () => {
    await using place = await createPlace();
    const { code, stdout } = await ctxb(place, ['replay', '--accuracy', ...FILES]);
    const text = stdout.toString();
    expect(code).toBe(0);
    expect(text).toMatch(/^Error of the predicted next call, in tokens and in % of what was measured$/m);
    expect(text).toMatch(/^ {2}last usage alone +\d+( +[\d,]+){3}( +[\d.]+ %){3}$/m);
    expect(text).toMatch(
      /^ {2}output count not known: \d+; a picture came in: 0; not compared: \d+ first calls?, 0 after/m,
    );
    // Their names take what room the figures leave.
    const rows = text
      .slice(text.indexOf('by session'))
      .split('\n')
      .slice(2, 2 + FILES.length);
    expect(rows.map((row) => row.length)).toEqual(rows.map(() => 80));
    for (const [at, file] of FILES.entries()) expect(rows[at]).toContain(basename(file).slice(0, 7));
  });

  it('with --json adds it to each session and to the report', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--accuracy', '--json', ...FILES]);
    const { sessions, accuracy } = JSON.parse(stdout.toString()) as ReplayReport;
    const counts = sessions.map((session) => session.accuracy?.calls.ctxb?.tokens.count ?? 0);
    expect(accuracy?.calls.ctxb?.tokens).toMatchObject({
      count: counts.reduce((sum, count) => sum + count, 0),
      median: expect.any(Number),
      p99: expect.any(Number),
    });
    expect(sessions[2]?.accuracy?.boundaries.ctxb?.tokens.count).toBe(1);
  });

  it('is not there where it was not asked for', async () => {
    await using place = await createPlace();
    const { stdout } = await ctxb(place, ['replay', '--json', ...FILES]);
    expect(stdout.toString()).not.toContain('"accuracy"');
  });
});
