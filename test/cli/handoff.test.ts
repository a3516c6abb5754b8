import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../src/core/governor/relief/handoff-request.ts';
import { renderHandoffFile } from '../../src/core/memory/handoff/handoff-file.ts';
import { writeHandoff } from '../../src/store/sessions/handoffs.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place, runFake } from './fakes.ts';

const SESSION = '11111111-aaaa-4bbb-8ccc-000000000001';

/** A session in which one command passes and one fails. */
async function session(place: Place): Promise<void> {
  const flags = ['echo fine', 'echo "1 failed" && exit 3'].flatMap((text) => ['--prompt', text]);
  const run = { fake: 'runs-commands', flags, env: { PLAY_SESSION: SESSION } };
  expect(await runFake(place, run)).toMatchObject({ code: 0 });
}

function documentOf(bodies: Readonly<Record<string, string>> = {}): string {
  return HANDOFF_SECTIONS.map((section) => `## ${section}\n${bodies[section] ?? 'None'}\n`).join('\n');
}

const HEAD = { version: 1, t: 0, session: SESSION, reason: 'full', by: 'agent' } as const;
const UNKNOWN = { tokens: null, window: null, checks: [] } as const;
const NOT_LOOKED_UP = 'ctxb: the commands are not looked up: it names no session\n';

describe('ctxb handoff verify', () => {
  it('finds nothing wrong where nothing is', async () => {
    await using place = await createPlace();
    await place.file('handoff.md', documentOf());
    const run = await ctxb(place, ['handoff', 'verify', 'handoff.md']);
    expect(run).toMatchObject({ code: 0, stderr: NOT_LOOKED_UP });
    expect(run.stdout.toString()).toBe('Nothing is wrong with it.\n');
  });

  it('prints every problem and ends with 3', async () => {
    await using place = await createPlace();
    await session(place);
    await place.file('here.ts', '');
    const commands = '- `echo fine` — passed\n- `echo "1 failed" && exit 3` — passed';
    const body = documentOf({ Done: '', Files: '- `here.ts`\n- `gone.ts`', 'Commands to verify': commands });
    await place.file('handoff.md', renderHandoffFile({ ...HEAD, ...UNKNOWN }, body));
    const run = await ctxb(place, ['handoff', 'verify', 'handoff.md']);
    expect(run).toMatchObject({ code: 3, stderr: '' });
    expect(run.stdout.toString().trimEnd().split('\n')).toStrictEqual([
      'The section "Done" is empty: write None if there is nothing.',
      'The file gone.ts is named and does not exist: correct the path, or say (deleted) or (to create) behind it.',
      'The command "echo "1 failed" && exit 3" is called passed, but it failed when it last ran.',
    ]);
  });

  it('takes paths and notes from the folder that --cwd names', async () => {
    await using place = await createPlace();
    mkdirSync(place.path('deep'));
    await place.file('deep/a.ts', '');
    await place.file('handoff.md', documentOf({ Files: '- `a.ts`' }));
    expect(await ctxb(place, ['handoff', 'verify', 'handoff.md'])).toMatchObject({ code: 3 });
    expect(await ctxb(place, ['handoff', 'verify', 'handoff.md', '--cwd', 'deep'])).toMatchObject({ code: 0 });
  });

  it('reads stdin', async () => {
    await using place = await createPlace();
    expect(await ctxb(place, ['handoff', 'verify', '-'], { stdin: documentOf() })).toMatchObject({ code: 0 });
  });

  it('says what is too long to be a handoff', async () => {
    await using place = await createPlace();
    await place.file('log.md', 'x'.repeat(2 ** 20 + 1));
    const run = await ctxb(place, ['handoff', 'verify', 'log.md']);
    const why = 'expected at most 1048576 bytes, found 1048577';
    expect(run).toMatchObject({ code: 2, stderr: `ctxb: log.md: is no handoff, a text of at most 1 MiB (${why})\n` });
    const piped = await ctxb(place, ['handoff', 'verify', '-'], { stdin: 'x'.repeat(2 ** 20 + 1) });
    const tooLong = '-: is no handoff, a text of at most 1 MiB (expected at most 1048576 bytes, found more)';
    expect(piped).toMatchObject({ code: 2, stderr: `ctxb: ${tooLong}\n` });
  });

  it('shows no control characters of the document', async () => {
    await using place = await createPlace();
    const stdin = documentOf({ 'Commands to verify': 'None', Files: '- `src/\u001b[31m.ts`\n- `src/\u009b.ts`' });
    const run = await ctxb(place, ['handoff', 'verify', '-'], { stdin });
    expect(run.stdout.toString()).not.toMatch(/[\u001b\u009b]/);
  });

  it.each([
    { title: 'a file that is not there', args: ['gone.md'], says: 'name an existing file or folder' },
    {
      title: 'a folder',
      args: ['.'],
      says: '.: cannot be read (EISDIR: illegal operation on a directory): name a file, not a folder',
    },
    { title: 'a folder for --cwd that is none', args: ['-', '--cwd', 'gone'], says: 'is no folder' },
    { title: 'no file at all', args: [], says: "'file'" },
  ])('ends with 2 for $title', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'verify', ...args]);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toContain(says);
    expect(run.stderr).not.toContain('    at ');
  });
});

describe('ctxb handoff write', () => {
  it.each([{ args: [] }, { args: ['1111'] }])('of a session ($args) passes its own check', async ({ args }) => {
    await using place = await createPlace();
    await session(place);
    const run = await ctxb(place, ['handoff', 'write', ...args]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const text = run.stdout.toString();
    expect(text).toContain(`\nsession: "${SESSION}"\n`);
    expect(text).toContain(`All of it: .context/sessions/${SESSION}/scratch.md`);
    expect(text).toContain('```text\necho fine\n```');
    expect(text).toContain('- `echo "1 failed" && exit 3` — failed (exit 3');
    expect(existsSync(place.path(`.context/sessions/${SESSION}/scratch.md`))).toBe(true);
    const check = await ctxb(place, ['handoff', 'verify', '-'], { stdin: text });
    expect(check).toMatchObject({ code: 0, stderr: '' });
  });

  it('of a recording names no files that are not there', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'write', fixture('../notes/week.session.jsonl')]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toContain('Let the week begin on Monday');
    expect(run.stdout.toString()).toContain('- `git push origin main` — failed (exit 128');
    expect(run.stdout.toString()).not.toContain('scratch.md');
  });

  it('--out makes a new file, for its owner only, and replaces none', async () => {
    await using place = await createPlace();
    const args = ['handoff', 'write', fixture('tool-turn.ndjson'), '--out', 'handoff.md'];
    expect(await ctxb(place, args)).toMatchObject({ code: 0, stdout: Buffer.alloc(0), stderr: '' });
    const text = readFileSync(place.path('handoff.md'), 'utf8');
    expect(text).toContain('## Commands to verify\n');
    expect((statSync(place.path('handoff.md')).mode & 0o777).toString(8)).toBe('600');
    const again = await ctxb(place, args);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain('--out handoff.md: is there already: name a new file');
    expect(readFileSync(place.path('handoff.md'), 'utf8')).toBe(text);
  });

  it.each([
    { title: 'no notes', args: [], says: 'there are no notes in' },
    { title: 'what no session begins with', args: ['9'], says: '9: no recording, and no session in' },
  ])('ends with 2 for $title, and makes nothing', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'write', ...args]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(says);
    expect(existsSync(place.path('.context'))).toBe(false);
  });
});

describe('ctxb handoff list', () => {
  /** Two handoffs as a run leaves them. */
  function leave(place: Place): void {
    const t = Date.UTC(2026, 10, 21, 8, 54, 3);
    const head = { ...HEAD, ...UNKNOWN };
    const memory = renderHandoffFile({ ...head, t, by: 'memory' }, documentOf());
    writeHandoff(place.path('.context'), { t, document: undefined, memory });
    const later = { ...head, t: t + 1_000, tokens: 170_000, window: 200_000, checks: ['wrong'], reason: '85% full' };
    writeHandoff(place.path('.context'), { t: t + 1_000, document: renderHandoffFile(later, documentOf()), memory });
  }

  it('has the newest first', async () => {
    await using place = await createPlace();
    leave(place);
    const run = await ctxb(place, ['handoff', 'list']);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString().trimEnd().split('\n')).toStrictEqual([
      '2026-11-21 08:54:04 UTC · by agent · 170,000 tokens · 85% full · 1 problem · .context/handoffs/handoff-2026-11-21T08-54-04-000Z.md',
      '2026-11-21 08:54:03 UTC · by memory · full · .context/handoffs/handoff-2026-11-21T08-54-03-000Z.memory.md',
    ]);
  });

  it('--json', async () => {
    await using place = await createPlace();
    leave(place);
    const { stdout } = await ctxb(place, ['handoff', 'list', '--json']);
    const { version, handoffs } = JSON.parse(stdout.toString());
    expect(version).toBe(1);
    expect(handoffs).toHaveLength(2);
    expect(handoffs[0]).toMatchObject({ head: { by: 'agent', session: SESSION, checks: ['wrong'] } });
  });

  it('of nothing is empty, and makes nothing', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['handoff', 'list']);
    expect(run).toMatchObject({ code: 0, stdout: Buffer.alloc(0) });
    expect(run.stderr).toBe(`ctxb: no handoffs in ${place.path('.context')}\n`);
    expect(existsSync(place.path('.context'))).toBe(false);
  });
});

it.each([[], ['bogus']])('ctxb handoff %s ends with 2', async (...args) => {
  await using place = await createPlace();
  const run = await ctxb(place, ['handoff', ...args]);
  expect(run.code).toBe(2);
  expect(run.stderr).not.toBe('');
});
