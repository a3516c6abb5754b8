import { describe, expect, it } from 'vitest';
import { inSoak, sampled } from '../support/size.ts';
import { createPlace, type FakeRun, gist, inputLines, journalOf, type Place, runFake, STREAM } from './fakes.ts';

/** 80 % after the second turn: a compaction is due before the third. */
const FULL = '30000,160000';
const LANDED = `${FULL},31000`;
const WHOLE_TURNS = ['one', 'two', 'three'].flatMap((text) => [
  'init',
  `answer to ${text}`,
  `result answer to ${text}`,
]);

async function runPrompts(place: Place, run: Partial<FakeRun> & { readonly fake: string }) {
  const { flags = [], env = {} } = run;
  const finished = await runFake(place, {
    ...run,
    claude: STREAM,
    flags: [...flags, '--prompt', 'one', '--prompt', 'two', '--prompt', 'three'],
    env: { PLAY_CONTEXTS: FULL, PLAY_INPUT: place.path('input'), ...env },
  });
  const lines = finished.stdout.toString().split('\n').filter(Boolean);
  return { ...finished, seen: lines.map((line) => gist(JSON.parse(line) as Record<string, unknown>)) };
}

function contentsTo(place: Place): string[] {
  const prompts = inputLines(place).filter((line) => line.type === 'user');
  return prompts.map(({ message }) => (message as { content: string }).content);
}

function verdicts(place: Place): unknown[] {
  return journalOf(place).flatMap(({ kind, verdict }) => (kind === 'compacted' ? [verdict] : []));
}

describe('a compaction that works', () => {
  it('is hidden, precedes the held prompt, and is reported on stderr', async () => {
    await using place = await createPlace();
    const run = await runPrompts(place, { fake: 'answers', env: { PLAY_CONTEXTS: LANDED } });
    expect(run.seen).toEqual(WHOLE_TURNS);
    expect(run.code).toBe(0);
    expect(contentsTo(place)).toEqual(['one', 'two', expect.stringMatching(/^\/compact /), 'three']);
    expect(verdicts(place)).toEqual(['success']);
    expect(run.stderr).toMatch(/^ctxb: compacted 160k → \d+k \(−\d+%\), by a summary$/m);
    expect(journalOf(place).map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['start', 'warn', 'compact', 'compacted', 'landed', 'end']),
    );
  });

  it('is shown with --show-injected', async () => {
    await using place = await createPlace();
    const env = { PLAY_CONTEXTS: LANDED };
    const run = await runPrompts(place, { fake: 'answers', flags: ['--show-injected'], env });
    expect(run.seen).toEqual([
      ...WHOLE_TURNS.slice(0, 6),
      'status compacting',
      'status success',
      'init',
      'compact_boundary',
      expect.stringMatching(/^This session is being continued/),
      '<local-command-stdout>Compacted </local-command-stdout>',
      'result',
      ...WHOLE_TURNS.slice(6),
    ]);
  });

  inSoak('does not change text output', async () => {
    await using place = await createPlace();
    const flags = ['--prompt', 'one', '--prompt', 'two', '--prompt', 'three'];
    const run = await runFake(place, { fake: 'answers', flags, env: { PLAY_CONTEXTS: LANDED } });
    expect(run.stdout.toString()).toBe('answer to one\nanswer to two\nanswer to three\n');
  });

  inSoak('is not requested with --no-compaction', async () => {
    await using place = await createPlace();
    // Below the level of a handoff, which takes its place above.
    const env = { PLAY_CONTEXTS: '157000' };
    const run = await runPrompts(place, { fake: 'answers', flags: ['--no-compaction'], env });
    expect(run.seen).toEqual(WHOLE_TURNS);
    expect(contentsTo(place)).toEqual(['one', 'two', 'three']);
  });

  it('happens at the level that the caller names', async () => {
    await using place = await createPlace();
    const flags = ['--compact-at', '55%', '--warn-at', '30%'];
    await runPrompts(place, { fake: 'answers', flags, env: { PLAY_CONTEXTS: '30000,120000,31000' } });
    expect(verdicts(place)).toEqual(['success']);
  });

  inSoak('has the task and the state in its focus', async () => {
    await using place = await createPlace();
    const flags = ['--task', 'the parser', '--state', 'half done'];
    await runPrompts(place, { fake: 'answers', flags, env: { PLAY_CONTEXTS: LANDED } });
    expect(contentsTo(place)[2]).toMatch(
      /^\/compact focus on the parser -- current state is half done -- say that notes .* are in \S+\/scratch\.md$/,
    );
  });

  inSoak("does not turn the exit code of the caller's own error into 0", async () => {
    await using place = await createPlace();
    const run = await runPrompts(place, {
      fake: 'ends-with',
      flags: ['--compact-when', 'boundary'],
      env: { PLAY_ERRORS: '0,0,1', PLAY_CONTEXTS: LANDED },
    });
    expect(run.code).toBe(1);
  });

  it('does not happen after the last prompt', async () => {
    await using place = await createPlace();
    const env = { PLAY_CONTEXTS: `20000,${FULL}` };
    await runPrompts(place, { fake: 'answers', flags: ['--compact-when', 'boundary'], env });
    expect(contentsTo(place)).toEqual(['one', 'two', 'three']);
  });
});

interface VerdictCase {
  readonly title: string;
  readonly fake: string;
  readonly error?: string;
  readonly verdict: string;
}

const FAILURES: readonly VerdictCase[] = [
  { title: 'claude never answers', fake: 'compact-silent', verdict: 'silent' },
  {
    title: 'the summary is refused',
    fake: 'compact-fails',
    error: 'Error during compaction: 400 bad request',
    verdict: 'failed',
  },
  {
    title: 'there are not enough messages',
    fake: 'compact-fails',
    error: 'Not enough messages to compact.',
    verdict: 'empty',
  },
  { title: 'there are no messages', fake: 'compact-says', error: 'Error: No messages to compact', verdict: 'empty' },
  {
    title: 'slash commands are off',
    fake: 'compact-says',
    error: "/compact isn't available in this environment.",
    verdict: 'refused',
  },
  {
    title: 'the API is overloaded',
    fake: 'compact-fails',
    error: 'Error during compaction: API Error: 529 Overloaded',
    verdict: 'unavailable',
  },
];

const WITHOUT_HANDOFF = '{"handoff":{"enabled":false}}';

describe('a compaction that does not work', () => {
  it.each(sampled(FAILURES, 3))(
    '$title: $verdict, and the next prompt is still sent',
    async ({ fake, error = '', verdict }) => {
      await using place = await createPlace();
      await place.file('.contextbudgetrc.json', WITHOUT_HANDOFF);
      const env = { PLAY_ERROR: error, CTXB_COMPACTION_TIMEOUT_SECONDS: '0.3' };
      const run = await runPrompts(place, { fake, env });
      expect(run.seen).toEqual(WHOLE_TURNS);
      expect(run.code).toBe(0);
      expect(verdicts(place)).toEqual([verdict]);
      expect(run.stderr).toContain(`not compacted (${verdict})`);
      expect(contentsTo(place)).toEqual(['one', 'two', expect.stringMatching(/^\/compact/), 'three']);
    },
  );

  it('is shown with --show-injected', async () => {
    await using place = await createPlace();
    const env = { PLAY_ERROR: 'Not enough messages to compact.' };
    const run = await runPrompts(place, { fake: 'compact-fails', flags: ['--show-injected'], env });
    expect(run.seen.slice(6, -3)).toEqual([
      'status compacting',
      'status failed',
      'Not enough messages to compact.',
      'result Not enough messages to compact.',
    ]);
  });

  const texts = ['one', 'two', 'three', 'four', 'five'];
  const failing = (place: Place): FakeRun => ({
    fake: 'compact-fails',
    flags: texts.flatMap((text) => ['--prompt', text]),
    env: { PLAY_CONTEXTS: FULL, PLAY_ERROR: 'Error during compaction: 400', PLAY_INPUT: place.path('input') },
  });

  inSoak('is given up after the allowed number, and every prompt is still sent', async () => {
    await using place = await createPlace();
    await place.file('.contextbudgetrc.json', WITHOUT_HANDOFF);
    const run = await runFake(place, failing(place));
    expect(run.stdout.toString()).toBe(texts.map((text) => `answer to ${text}\n`).join(''));
    expect(contentsTo(place).filter((text) => text.startsWith('/compact'))).toHaveLength(2);
    expect(contentsTo(place).filter((text) => !text.startsWith('/compact'))).toEqual(texts);
    expect(journalOf(place).filter(({ kind }) => kind === 'give-up')).toHaveLength(1);
  });

  it('is followed by a handoff that the caller does not see; every prompt is sent once', async () => {
    await using place = await createPlace();
    const run = await runFake(place, failing(place));
    expect(run.code).toBe(0);
    expect(run.stdout.toString()).toBe(texts.map((text) => `answer to ${text}\n`).join(''));
    expect(contentsTo(place).filter((text) => texts.includes(text))).toEqual(texts);
    const kinds = journalOf(place).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'handoff' || kind === 'handed-over')).toEqual(['handoff', 'handed-over']);
  });
});

inSoak('shows the whole turn that a background task starts meanwhile', async () => {
  await using place = await createPlace();
  const run = await runPrompts(place, { fake: 'compact-after-task', env: { PLAY_CONTEXTS: LANDED } });
  expect(run.seen).toEqual([
    ...WHOLE_TURNS.slice(0, 6),
    'init',
    'the task is done',
    'result the task is done',
    ...WHOLE_TURNS.slice(6),
  ]);
  expect(verdicts(place)).toEqual(['success']);
});

inSoak('does not mistake the late answer of a compaction for the next turn', async () => {
  await using place = await createPlace();
  const env = { CTXB_COMPACTION_TIMEOUT_SECONDS: '0.2', PLAY_CONTEXTS: LANDED };
  const run = await runPrompts(place, { fake: 'compact-late', env });
  expect(run.code).toBe(0);
  expect(run.seen.filter((line) => line.startsWith('result'))).toEqual([
    'result answer to one',
    'result answer to two',
    'result answer to three',
  ]);
  expect(contentsTo(place)).toEqual(['one', 'two', expect.stringMatching(/^\/compact/), 'three']);
});

inSoak('does not repeat a successful compaction, however large the first call was', async () => {
  // A long prompt, or a session that goes on: the first call of this process has 160,000 tokens already.
  await using place = await createPlace();
  const run = await runPrompts(place, { fake: 'answers', env: { PLAY_CONTEXTS: '160000,31000,32000' } });
  expect(run.seen).toEqual(WHOLE_TURNS);
  expect(contentsTo(place)).toEqual(['one', expect.stringMatching(/^\/compact/), 'two', 'three']);
});
