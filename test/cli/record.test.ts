import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { recordedDecisions } from '../support/record.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, inputOf, journalOf, type Place, runFake, STREAM } from './fakes.ts';

const THREE_PROMPTS = ['--prompt', 'one', '--prompt', 'two', '--prompt', 'three'];

interface RecordCase {
  readonly title: string;
  readonly fake: string;
  readonly flags?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const CASES: readonly RecordCase[] = [
  { title: 'nothing happens', fake: 'answers', env: {} },
  { title: 'a compaction works', fake: 'answers', env: { PLAY_CONTEXTS: '30000,160000,31000' } },
  {
    title: 'a compaction fails',
    fake: 'compact-fails',
    env: { PLAY_CONTEXTS: '30000,160000', PLAY_ERROR: 'Error: 400' },
  },
  {
    title: 'claude is silent about a compaction',
    fake: 'compact-silent',
    env: { PLAY_CONTEXTS: '30000,160000', CTXB_COMPACTION_TIMEOUT_SECONDS: '0.2' },
  },
  { title: 'ctxb only observes', fake: 'answers', flags: ['--observe'], env: { PLAY_CONTEXTS: '30000,160000' } },
  { title: 'the levels are others', fake: 'answers', flags: ['--warn-at', '10%'], env: { PLAY_CONTEXTS: '30000' } },
];

describe('a record replays with the decisions of the journal', () => {
  it.each(sampled(CASES, 3))('$title', async ({ fake, flags = [], env }) => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake,
      flags: [...flags, '--record', place.path('rec'), ...THREE_PROMPTS],
      claude: STREAM,
      env,
    });
    expect(run.code).toBe(0);
    const replayed = await ctxb(place, ['replay', '--json', place.path('rec')]);
    const report = JSON.parse(replayed.stdout.toString()) as { sessions: { actions: object[]; turns: number }[] };
    const [session] = report.sessions;
    const decisions = journalOf(place).flatMap(({ v, t, runId, ...entry }) => ('gauge' in entry ? [entry] : []));
    // The journal does not say what a summary is to keep: those are words of a prompt.
    expect(session?.actions.map((action) => ({ ...action, focus: undefined }))).toEqual(decisions);
    expect(session?.turns).toBe(3);

    expect(session?.actions).toEqual(recordedDecisions(place.path('rec')));
  });
});

it('a record is readable only by its owner', async () => {
  await using place = await createPlace();
  await runFake(place, { fake: 'answers', flags: ['--record', 'rec', '--prompt', 'one'] });
  expect((statSync(place.path('rec')).mode & 0o777).toString(8)).toBe('600');
});

interface InTheWay {
  readonly title: string;
  readonly says: string;
  readonly prepare: (place: Place) => unknown;
}

const IN_THE_WAY: readonly InTheWay[] = [
  {
    title: 'a file that is not a record',
    says: 'it exists already',
    prepare: (place) => place.file('rec', '{"type":"system"}\n'),
  },
  {
    title: 'a link to a file',
    says: 'is a symbolic link',
    prepare: (place) => symlinkSync(place.path('target'), place.path('rec')),
  },
  {
    title: 'a dangling link',
    says: 'is a symbolic link',
    prepare: (place) => symlinkSync(place.path('nowhere'), place.path('rec')),
  },
  {
    title: 'a FIFO',
    says: 'is a special file',
    prepare: (place) => execFileSync('mkfifo', [place.path('rec')]),
  },
];

it.each(IN_THE_WAY)(
  'a record is not written to $title: exit 2, and claude is not started',
  async ({ prepare, says }) => {
    await using place = await createPlace();
    await place.file('target', 'mine\n');
    await prepare(place);
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, { fake: 'answers', flags: ['--record', 'rec', '--prompt', 'one'], env });
    expect(run.stderr).toContain('--record rec: cannot be written');
    expect(run.stderr).toContain(says);
    expect(run.code).toBe(2);
    await expect(inputOf(place)).rejects.toThrow('ENOENT');
    expect(readFileSync(place.path('target'), 'utf8')).toBe('mine\n');
    expect(existsSync(place.path('nowhere'))).toBe(false);
  },
);

it('keeps an older record, replaces an empty file, and makes the new one private', async () => {
  await using place = await createPlace();
  const record = () => runFake(place, { fake: 'answers', flags: ['--record', 'rec', '--prompt', 'one'] });
  await place.file('rec', '');
  chmodSync(place.path('rec'), 0o666);
  expect(await record()).toMatchObject({ code: 0, stderr: '' });
  expect((statSync(place.path('rec')).mode & 0o777).toString(8)).toBe('600');
  const old = readFileSync(place.path('rec'), 'utf8');
  const again = await record();
  expect(again.code).toBe(2);
  expect(again.stderr).toContain('--record rec: cannot be written (it exists already): name another file');
  expect(readFileSync(place.path('rec'), 'utf8')).toBe(old);
});

it.each([
  { title: 'a missing folder', path: 'missing/rec' },
  { title: 'a folder', path: '.' },
  { title: 'stdout', path: '-' },
])('a record that cannot be written ($title): exit 2, and claude is not started', async ({ path }) => {
  await using place = await createPlace();
  const flags = ['--record', place.path(path), '--prompt', 'one'];
  const run = await runFake(place, { fake: 'answers', flags, env: { PLAY_INPUT: place.path('input') } });
  expect(run.code).toBe(2);
  expect(run.stderr).toMatch(/: cannot be written \(.*\): name another file\n$/);
  await expect(inputOf(place)).rejects.toThrow('ENOENT');
});
