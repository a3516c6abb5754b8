import { mkdirSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../support/csv.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const NAMES = ['clear.ndjson', 'compact.ndjson', 'crossing.session.jsonl', 'native-mid-turn.session.jsonl'];

/** Recordings in a folder of the place, and two partials that overlap. */
async function withPartials(place: Place, ...flags: readonly string[]): Promise<void> {
  mkdirSync(place.path('logs'));
  for (const name of NAMES) await copyFile(fixture(name), place.path(`logs/${name}`));
  const [a = '', b = '', c = '', d = ''] = NAMES.map((name) => `logs/${name}`);
  for (const [name, files] of [
    ['one.part', [c, a]],
    ['two.part', [b, d, a]],
  ] as const) {
    const { stdout } = await ctxb(place, ['replay', '--partial', ...flags, ...files]);
    await place.file(name, stdout);
  }
}

const FORMATS = ['--json', '--csv', '--markdown', '--prometheus', '--ndjson', '--detail', '--partial'];

describe('ctxb merge', () => {
  it.each([...FORMATS.map((format) => [format]), []])('prints what a replay of all would: %s', async (...format) => {
    await using place = await createPlace();
    const series = ['--json', '--partial'].includes(format[0] ?? '') ? ['--series'] : [];
    await withPartials(place, '--series');
    const merged = await ctxb(place, ['merge', ...format, 'two.part', 'one.part']);
    const replayed = await ctxb(place, ['replay', ...format, ...series, 'logs']);
    expect(merged.stderr).toBe('ctxb: 1 session more than once, each counts once\n');
    expect(merged.stdout.toString()).toBe(replayed.stdout.toString());
    expect(merged.code).toBe(0);
  });

  it('reads partials from stdin, one after another, also merged ones', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const first = await ctxb(place, ['merge', '--partial', 'one.part', 'two.part']);
    const again = await ctxb(place, ['merge', '--csv', '-', 'one.part'], {
      stdin: Buffer.concat([first.stdout, first.stdout]),
    });
    expect(readCsv(again.stdout.toString()).map(({ file }) => file)).toEqual(NAMES.map((name) => `logs/${name}`));
  });

  it('has gates and filters too', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const gated = await ctxb(place, ['merge', '--max-unplanned', '0', '--model', 'sonnet', 'one.part', 'two.part']);
    expect(gated).toMatchObject({ code: 3, stderr: expect.stringContaining('logs/native-mid-turn.session.jsonl (') });
    const filtered = await ctxb(place, ['merge', '--max-unplanned', '0', '--project', '/else', 'one.part', 'two.part']);
    expect(filtered).toMatchObject({ code: 0, stderr: expect.stringContaining('none of 4 sessions is') });
  });

  it('says which sessions it has no calls of', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const run = await ctxb(place, ['merge', '--ndjson', 'one.part']);
    expect(run.code).toBe(2);
    expect(run.stderr.match(/: make its partial with ctxb replay --partial --series\n/g)).toHaveLength(2);
    expect(run.stdout.toString()).toBe('');
  });

  it('names what is no partial, counts the rest, and ends with 2', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const run = await ctxb(place, ['merge', '--csv', 'one.part', 'logs/clear.ndjson', 'missing.part']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^ctxb: logs\/clear\.ndjson.* is no partial: make one with ctxb replay --partial$/m);
    expect(run.stderr).toMatch(/^ctxb: missing\.part: cannot be read/m);
    expect(readCsv(run.stdout.toString())).toHaveLength(2);
  });

  it('repeats what the replay could not read', async () => {
    await using place = await createPlace();
    const { stdout, code } = await ctxb(place, ['replay', '--partial', 'missing.ndjson', fixture('clear.ndjson')]);
    expect(code).toBe(2);
    const run = await ctxb(place, ['merge'], { stdin: stdout });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('missing.ndjson: cannot be read') });
    expect(run.stdout.toString()).toContain('clear.ndjson');
  });
});
