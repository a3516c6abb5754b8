import { describe, expect, it } from 'vitest';
import { CTXB } from '../support/ctxb.ts';
import { quoted } from '../support/interactive.ts';
import { atTerminal } from '../support/pty.ts';
import { createPlace, fakeArguments, type Place } from './fakes.ts';

/** Prompts to a claude that takes its time, with a person at the terminal. */
function watched({ cwd, env }: Place, prompts: readonly string[], flags: readonly string[] = []) {
  const all = [...prompts.flatMap((text) => ['--prompt', text]), ...flags];
  const args = fakeArguments({ fake: 'takes-its-time', flags: all });
  return atTerminal(quoted([process.execPath, CTXB, ...args]), { cwd, env });
}

describe('the question at a limit of cost', () => {
  it('stays on the terminal until it is answered, whatever claude does', async () => {
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
