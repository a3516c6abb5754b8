import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { FAULTS, type Fault, UNANSWERED } from '../support/faults.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, fake, isAlive } from './fakes.ts';

const SOURCE = new URL('../../src/', import.meta.url);

/** Files that wait for something, and the tests of what befalls them there where it is not in the table. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'ask-person': 'run/ask-person',
  'caller-input': 'cli/open-stdin',
  'claude-options': 'cli/prompts',
  'end-claude': 'claude/end-claude',
  executables: 'claude/find-claude',
  'find-claude': 'claude/find-claude',
  'prompt-text': 'run/stdin-text',
  'resume-run': 'e2e/recovery',
};

describe('what the user sees and what is lost', () => {
  it.each(sampled(FAULTS, 2))('$fault', async ({ play, says, code, lost, stdout = 'one\ntwo\n' }) => {
    await using place = await createPlace();
    play.prepare?.(place);
    const program = play.program?.(place) ?? (play.fault === undefined ? fake('echoes') : fake('misbehaves'));
    const command = ['run', ...(play.flags ?? []), '--prompt', 'one', '--prompt', 'two', '--', program];
    const env = { ...place.env, PLAY_FAULT: play.fault ?? '' };
    const script = play.script ?? '"$@"';
    const run = await runProgram('sh', ['-c', script, 'sh', process.execPath, CTXB, ...command], {
      env,
      cwd: place.cwd,
    });
    expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code, stdout });
    if (says === undefined) expect(run.stderr).toBe('');
    else expect(run.stderr).toContain(says);
    expect(run.stderr).not.toContain('bug in ctxb');
    if (existsSync(place.path('pid'))) expect(isAlive(Number(readFileSync(place.path('pid'), 'utf8')))).toBe(false);
    if (lost !== UNANSWERED) return;
    const resumed = await ctxb(place, ['run', '--resume-run', '--', fake('echoes')]);
    expect(stdout + resumed.stdout).toBe('one\ntwo\n');
  });
});

it('docs/faults.md tells the same', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/faults.md');
});

it('every file of the session that waits for something is in the table, or has a test of its own', () => {
  const waiting = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(run|claude)\/.*\.ts$/.test(name))
    .filter((name) => /\bawait\s|\.then\(/.test(readFileSync(new URL(name, SOURCE), 'utf8')))
    .map((name) => basename(name, '.ts'));
  const covered = new Set([...FAULTS.flatMap(({ at }) => at), ...Object.keys(ELSEWHERE)]);
  expect(waiting.filter((name) => !covered.has(name))).toEqual([]);
  const tests = new URL('..', import.meta.url);
  for (const test of Object.values(ELSEWHERE))
    expect(readFileSync(new URL(`${test}.test.ts`, tests), 'utf8')).not.toBe('');
});

/** Measured once, on two processors shared with others; the tests hold what is said of them, not the numbers. */
const FIGURES: readonly (readonly [tried: string, figure: string, command: string])[] = [
  [
    'odd and broken lines through a run, chunks cut anywhere',
    '5,014,774 lines, 593 MB: each byte passed on, 4,980 planted calls and results judged; heap 26 MB behind the first stream, 27 MB behind the twentieth',
    '`CTXB_FUZZ_LINES=5000000 npx vitest run --config test/vitest.config.ts test/run/fuzz.test.ts` (`CTXB_FUZZ_SEED=7` for other lines; a million in each test run)',
  ],
  [
    'a session of 2,000 turns, 1,000,000 lines, with notes',
    'heap 12.3 MB at turn 200, 11.9 MB at the end; 23 files, 11 listeners all the time',
    '`npm run soak:load`',
  ],
  ['200 runs at once in one folder', 'all end with 0, and the journal has each of them', '`test/cli/load.test.ts`'],
  [
    'a job of 40 turns, ctxb and claude killed in turns',
    'each prompt reaches the model in order and is answered: 20 kills in the test, 300 in the long form, no fault',
    '`test/e2e/killed-job.test.ts`, `npm run soak:recovery`',
  ],
];

function page(): string {
  return [
    '# When something goes wrong',
    '',
    'Each row is a test: `npx vitest run --config test/vitest.config.ts --project cli test/cli/faults.test.ts`, which also',
    'fails when this page says something else (`-u` writes it anew).',
    '',
    '| what goes wrong | stderr says `ctxb: …` | exit code | lost |',
    '| --- | --- | ---: | --- |',
    ...FAULTS.map(row),
    '',
    'The exit code is that of claude where claude ended by itself, but 7 instead of 0 where prompts have no answer. A line of stderr longer than 1 MiB is relayed in pieces, and',
    'one of stdout longer than 256 MiB is judged in pieces; it is passed on whole. ctxb keeps about four times the length of',
    'the line that it reads in memory. A reader that is slow makes claude wait, and nothing else: `test/cli/back-pressure.test.ts`.',
    'A run that `--resume-run` resumes keeps its own settings, and what it has cost: `test/cli/resume.test.ts`.',
    'What Ctrl-C does at a terminal and in a script: `test/cli/questions.test.ts`.',
    '',
    '## Figures',
    '',
    '| what was tried | figure | printed by |',
    '| --- | --- | --- |',
    ...FIGURES.map((figure) => `| ${figure.join(' | ')} |`),
    '',
  ].join('\n');
}

function row({ fault, says, code, lost }: Fault): string {
  return `| ${fault} | ${says === undefined ? 'nothing' : `\`${says}\``} | ${code} | ${lost} |`;
}
