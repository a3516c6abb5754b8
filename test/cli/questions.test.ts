import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/claude.ts';
import { CTXB, outputLines } from '../support/ctxb.ts';
import { quoted } from '../support/interactive.ts';
import { atTerminal } from '../support/pty.ts';
import { createPlace, ctxb, fake, fakeArguments, type Place, STREAM } from './fakes.ts';

/** What a run that goes on answers, in order. */
async function goesOn(place: Place): Promise<string[]> {
  const resumed = await ctxb(place, ['run', '--resume-run', '--', fake('answers'), ...STREAM]);
  return outputLines(resumed).flatMap(({ result }) => (typeof result === 'string' ? [result] : []));
}

/** Prompts to a claude that takes its time, with a person at the terminal. */
function watched(
  { cwd, env }: Place,
  prompts: readonly string[],
  flags: readonly string[] = [],
  claude: readonly string[] = [],
) {
  const all = [...prompts.flatMap((text) => ['--prompt', text]), ...flags];
  const args = fakeArguments({ fake: 'takes-its-time', flags: all, claude });
  // In the place of the shell, which hears of Ctrl-C too and ends with that.
  return atTerminal(`exec ${quoted([process.execPath, CTXB, ...args])}`, { cwd, env });
}

describe('the question at a cost limit', () => {
  it('stays on the terminal until it is answered', async () => {
    await using place = await createPlace();
    await using run = watched(place, ['one', 'two'], ['--cost-limit', '0.01']);
    await run.shows(/Goon\?\[y:upto\$0\.02,/);
    const shown = await run.shows(/afterone.*Goon\?\[y:upto\$0\.02,asumindollars,n:wrapup\]/);
    expect(shown).not.toMatch(/[█░]/);
    run.type('1\r');
    await run.shows(/answertotwo/);
    expect(await run.ended).toBe(0);
  });
});

describe('Ctrl-C at a terminal', () => {
  const CTRL_C = '\u0003';

  it('ends the run with the turn, and prints how to continue', async () => {
    await using place = await createPlace();
    await using run = watched(place, ['one', 'long two', 'three'], [], STREAM);
    await run.shows(/answertolongtwo/);
    run.type(CTRL_C);
    const shown = await run.shows(/therunwasstopped:2promptsnotanswered.*continuewithctxbrun--resume-run/);
    expect(shown).not.toContain('answertothree');
    expect(await run.ended).toBe(130);
    expect(await goesOn(place)).toEqual(['answer to long two', 'answer to three']);
  });

  it('in the last turn, reports the unanswered prompt, and the run can be resumed with it', async () => {
    await using place = await createPlace();
    await using run = watched(place, ['one', 'long two'], [], STREAM);
    await run.shows(/answertolongtwo/);
    run.type(CTRL_C);
    await run.shows(/therunwasstopped:1promptnotanswered\(“longtwo”\);continuewithctxbrun--resume-run/);
    expect(await run.ended).toBe(130);
    expect(await goesOn(place)).toEqual(['answer to long two']);
  });
});

describe('SIGINT in a script', () => {
  it('ends the run after its turn and the script, and prints how to continue', async () => {
    await using place = await createPlace();
    const run = ['run', '--prompt', 'long one', '--prompt', 'two', '--', fake('takes-its-time'), ...STREAM];
    const command = quoted([process.execPath, CTXB, ...run]);
    const script = `for round in first second; do echo "{\\"round\\":\\"$round\\"}"; ${command}; done; echo behind`;
    const program = startProgram('bash', ['-c', script], { env: place.env, cwd: place.cwd, group: true });
    program.stdin.end();
    await program.waitForLine((line) => JSON.stringify(line).includes('answer to long one'));
    program.kill('SIGINT');
    const { stdout, stderr, signal } = await program.finished;
    expect(stdout.toString()).not.toMatch(/second|behind|answer to two/);
    expect(stderr).toContain('the run was stopped: 2 prompts not answered');
    expect(signal).toBe('SIGINT');
  });
});
