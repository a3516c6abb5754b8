import { expect, it } from 'vitest';
import { inSoak, sampled } from '../support/size.ts';
import { createPlace, journalOf, runFake } from './fakes.ts';

const AGAIN = ['silence', 'restart'];
/** The shortest that is taken. */
const AFTER = ['--stall-after', '30s'];

// They wait for time to pass.
it.concurrent.each(
  sampled(
    [
      { stop: 'before anything', decided: AGAIN },
      { stop: 'behind its first line', decided: AGAIN },
      { stop: 'in the middle of a line', decided: AGAIN },
      { stop: 'behind an answer', decided: AGAIN },
      { stop: 'behind a tool', decided: AGAIN },
      { stop: 'behind its last result', decided: ['silence'] },
    ],
    4,
  ),
)('a claude that hangs $stop is restarted, and the prompt is answered once', async ({ stop, decided }) => {
  await using place = await createPlace();
  const run = await runFake(place, {
    fake: 'stops',
    flags: [...AFTER, '--prompt', 'one'],
    claude: ['-p'],
    env: { PLAY_STOP: stop },
  });
  expect(run.stdout.toString()).toBe('answer to one\n');
  expect(run.code).toBe(0);
  const journal = journalOf(place);
  expect(journal.flatMap(({ kind }) => (kind === 'silence' || kind === 'restart' ? [kind] : []))).toEqual(decided);
});

inSoak.concurrent(
  'the fourth hang ends the run with 6',
  async () => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake: 'stops',
      flags: [...AFTER, '--prompt', 'one'],
      claude: ['-p'],
      env: { PLAY_STOP: 'behind its first line', PLAY_AGAIN: '1' },
    });
    expect([run.code, run.stdout.toString()]).toEqual([6, '']);
    expect(journalOf(place).flatMap(({ kind, tries }) => (kind === 'silence' ? [tries] : []))).toEqual([1, 2, 3, 4]);
    expect(run.stderr).toMatch(/claude has said nothing for \d+\.\d s: ending the run\n/);
    expect(run.stderr).toContain('1 prompt not answered');
  },
  240_000,
);
