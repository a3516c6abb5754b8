import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { CTXB, untilClosing } from '../support/ctxb.ts';
import { FAULTS, type Fault, RESUMED } from '../support/faults.ts';
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

describe('the message to the user, and the lost data', () => {
  it.each(sampled(FAULTS, 2))('$fault', async ({ play, says, code, lost, stdout = 'one\ntwo\n' }) => {
    await using place = await createPlace();
    play.prepare?.(place);
    const program = play.program?.(place) ?? (play.fault === undefined ? fake('echoes') : fake('misbehaves'));
    const command = ['run', ...(play.flags ?? []), '--prompt', 'one', '--prompt', 'two', '--', program];
    const env = { ...place.env, PLAY_FAULT: play.fault ?? '' };
    const script = play.script ?? '"$@"';
    const started = ['-c', script, 'sh', process.execPath, CTXB, ...command];
    const run = untilClosing(await runProgram('sh', started, { env, cwd: place.cwd }));
    expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code, stdout });
    if (says === undefined) expect(run.stderr).toBe('');
    else expect(run.stderr).toContain(says);
    expect(run.stderr).not.toContain('bug in ctxb');
    if (existsSync(place.path('pid'))) expect(isAlive(Number(readFileSync(place.path('pid'), 'utf8')))).toBe(false);
    if (!lost.endsWith(RESUMED)) return;
    const resumed = await ctxb(place, ['run', '--resume-run', '--', fake('echoes')]);
    expect(stdout + resumed.stdout).toBe('one\ntwo\n');
  });
});

it('docs/faults.md matches', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/faults.md');
});

it('every file of the session that waits is in the table, or has its own test', () => {
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

function page(): string {
  return [
    '# When something goes wrong',
    '',
    'For each fault: what ctxb prints, its exit code, and what is lost. A test covers each row. To look up one message, see',
    '[troubleshooting](troubleshooting.md).',
    '',
    '| fault | `ctxb: …` on stderr | exit code | lost |',
    '| --- | --- | ---: | --- |',
    ...FAULTS.map(row),
    '',
    "If claude ends by itself, the exit code is claude's. If prompts have no answer, it is 7 instead of 0. If some of those were never",
    'sent, it is also 7 instead of 1. ctxb relays a line of stderr longer than 1 MiB in pieces. It passes on a longer line of stdout',
    'whole, and judges one longer than 256 MiB in pieces. In memory ctxb keeps about four times the length of the line that it reads.',
    'If a reader is slow, claude waits.',
    '',
    '[Quality](quality.md) says how ctxb is tested.',
    '',
  ].join('\n');
}

function row({ fault, says, code, lost }: Fault): string {
  return `| ${fault} | ${says === undefined ? 'nothing' : `\`${says}\``} | ${code} | ${lost} |`;
}
