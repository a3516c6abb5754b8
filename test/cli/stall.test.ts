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
      { stop: 'before anything', last: 'it has written no line at all', decided: AGAIN },
      { stop: 'behind its first line', last: 'the last that it wrote was the beginning of a turn', decided: AGAIN },
      { stop: 'in the middle of a line', last: 'the last that it wrote was the beginning of a turn', decided: AGAIN },
      { stop: 'behind an answer', last: 'the last that it wrote was an answer of the model', decided: AGAIN },
      { stop: 'behind a tool', last: 'the last that it wrote was the result of a tool', decided: AGAIN },
      { stop: 'behind its last result', last: 'the last that it wrote was the end of a turn', decided: ['silence'] },
    ],
    4,
  ),
)('a claude that hangs $stop is restarted, and the prompt is answered once', async ({ stop, last, decided }) => {
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
  expect(journal.find(({ kind }) => kind === 'silence')?.reason).toBe(last);
});

inSoak.concurrent(
  'the fourth hang ends the run with 6, and names the last event',
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
    expect(run.stderr).toMatch(
      /claude has said nothing for \d+\.\d s; the last that it wrote was the beginning of a turn: ending the run\n/,
    );
    expect(run.stderr).toContain('1 prompt not answered');
  },
  240_000,
);
