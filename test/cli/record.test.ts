import { statSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, inputOf, journalOf, runFake, STREAM } from './fakes.ts';

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
  it.each(CASES)('$title', async ({ fake, flags = [], env }) => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake,
      flags: [...flags, '--record', place.path('rec'), ...THREE_PROMPTS],
      claude: STREAM,
      env,
    });
    expect(run.code).toBe(0);
    const replayed = await ctxb(place, ['replay', '--json', place.path('rec')]);
    const [session] = (JSON.parse(replayed.stdout.toString()) as { sessions: { actions: unknown[]; turns: number }[] })
      .sessions;
    const decisions = journalOf(place).flatMap(({ v, t, ...entry }) => ('gauge' in entry ? [entry] : []));
    expect(session?.actions).toEqual(decisions);
    expect(session?.turns).toBe(3);

    const checked = await ctxb(place, ['replay', '--check', 'rec']);
    const same = { 0: 'no action, as in the run', 1: 'the same 1 action' }[decisions.length];
    expect(checked.stdout.toString()).toBe(`rec: ${same ?? `the same ${decisions.length} actions`}\n`);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
  });
});

it('a record can be read by its owner only', async () => {
  await using place = await createPlace();
  await runFake(place, { fake: 'answers', flags: ['--record', 'rec', '--prompt', 'one'] });
  expect((statSync(place.path('rec')).mode & 0o777).toString(8)).toBe('600');
});

it.each([
  { title: 'a folder that is not there', path: 'missing/rec' },
  { title: 'a folder', path: '.' },
])('a record that cannot be written ($title): exit 2, and claude is not started', async ({ path }) => {
  await using place = await createPlace();
  const flags = ['--record', place.path(path), '--prompt', 'one'];
  const run = await runFake(place, { fake: 'answers', flags, env: { PLAY_INPUT: place.path('input') } });
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(`--record ${place.path(path)}: cannot be written`);
  await expect(inputOf(place)).rejects.toThrow('ENOENT');
});
