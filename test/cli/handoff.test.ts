import { existsSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkHandoff } from '../../src/core/memory/handoff/check-handoff.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place, runFake } from './fakes.ts';

const SESSION = '11111111-aaaa-4bbb-8ccc-000000000001';

/** A session in which one command passes and one fails. */
async function session(place: Place): Promise<void> {
  const flags = ['echo fine', 'echo "1 failed" && exit 3'].flatMap((text) => ['--prompt', text]);
  const run = { fake: 'runs-commands', flags, env: { PLAY_SESSION: SESSION } };
  expect(await runFake(place, run)).toMatchObject({ code: 0 });
}

describe('ctxb handoff write', () => {
  it.each([{ args: [] }, { args: ['1111'] }])('passes its own check for a session ($args)', async ({ args }) => {
    await using place = await createPlace();
    await session(place);
    const run = await ctxb(place, ['handoff', 'write', ...args]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const text = run.stdout.toString();
    expect(text).toContain(`\nsession: "${SESSION}"\n`);
    expect(text).toContain(`All notes: .context/sessions/${SESSION}/scratch.md`);
    expect(text).toContain('```text\necho fine\n```');
    expect(text).toContain('- `echo "1 failed" && exit 3` — failed (exit 3');
    expect(existsSync(place.path(`.context/sessions/${SESSION}/scratch.md`))).toBe(true);
    expect(checkHandoff(text, { exists: (path) => existsSync(place.path(path)), outcomeOf: () => 'unknown' })).toEqual(
      [],
    );
  });

  it('names no missing files for a recording', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'write', fixture('../notes/week.session.jsonl')]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toContain('Let the week begin on Monday');
    expect(run.stdout.toString()).toContain('- `git push origin main` — failed (exit 128');
    expect(run.stdout.toString()).not.toContain('scratch.md');
  });

  it('--out creates a file for its owner only, and replaces none', async () => {
    await using place = await createPlace();
    const args = ['handoff', 'write', fixture('tool-turn.ndjson'), '--out', 'handoff.md'];
    expect(await ctxb(place, args)).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const text = readFileSync(place.path('handoff.md'), 'utf8');
    expect(text).toContain('## Commands to verify\n');
    expect((statSync(place.path('handoff.md')).mode & 0o777).toString(8)).toBe('600');
    const again = await ctxb(place, args);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--out handoff.md exists already: name a new file');
    expect(readFileSync(place.path('handoff.md'), 'utf8')).toBe(text);
  });

  it.each([
    { title: 'no notes', args: [], says: 'there are no notes in' },
    { title: 'the beginning of no session id', args: ['9'], says: '9: no recording, and no session in' },
  ])('ends with 2 for $title, and creates nothing', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'write', ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(says);
    expect(existsSync(place.path('.context'))).toBe(false);
  });
});

it.each([[], ['bogus']])('ctxb handoff %s ends with 2', async (...args) => {
  await using place = await createPlace();
  const run = await ctxb(place, ['handoff', ...args]);
  expect(run.code).toBe(2);
  expect(run.stderr).not.toBe('');
});
