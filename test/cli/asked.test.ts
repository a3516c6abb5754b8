import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import type { RunningProgram } from '../support/claude.ts';
import { createPlace, ctxb, type Place, STREAM, startFake } from './fakes.ts';

const PROMPTS = ['--prompt', 'one', '--prompt', 'long two', '--prompt', 'three'];

/** A run whose second turn goes on until it is interrupted. */
async function started(place: Place, ...flags: readonly string[]): Promise<RunningProgram> {
  const run = startFake(place, { fake: 'takes-its-time', flags: [...PROMPTS, ...flags], claude: STREAM });
  run.stdin.end();
  await run.waitForLine((line) => JSON.stringify(line).includes('answer to long two'));
  return run;
}

async function asked(place: Place, ...words: readonly string[]) {
  const { code, stdout, stderr } = await ctxb(place, words);
  return { code, said: `${stdout}${stderr}` };
}

async function listed(place: Place): Promise<readonly { readonly runId: string; readonly end: object | null }[]> {
  return JSON.parse((await asked(place, 'runs', '--json')).said).runs;
}

describe('a request to a run', () => {
  it('without a name goes to the only run of the folder; reports if none or several exist', async () => {
    await using place = await createPlace();
    expect(await asked(place, 'compact')).toMatchObject({ code: 2, said: expect.stringMatching(/no run is active/) });
    const runs = [await started(place), await started(place)];
    const ids = (await listed(place)).map(({ runId }) => runId.slice(0, 8));
    const both = await asked(place, 'compact');
    expect(both).toMatchObject({ code: 2, said: expect.stringMatching(/several runs match: name one of /) });
    for (const id of ids) expect(both.said).toContain(id);
    expect(await asked(place, 'stop', ids[0] ?? '', '--now')).toMatchObject({ code: 0 });
    expect(await asked(place, 'stop', '--now')).toMatchObject({ code: 0 });
    await Promise.all(runs.map(({ finished }) => finished));
  });

  it('stays if no answer comes in time, and reports a run that was killed', async () => {
    await using place = await createPlace();
    const run = await started(place, '--record', 'run.ndjson');
    const late = JSON.parse((await asked(place, 'compact', '--timeout', '1', '--json')).said);
    expect(late).toMatchObject({
      outcome: 'timeout',
      done: false,
      text: expect.stringMatching(/the run is in turn 2/),
    });
    const heard = () => readFileSync(place.path('run.ndjson'), 'utf8').split(/\bask\b/).length;
    const before = heard();
    const waiting = asked(place, 'compact');
    await vi.waitFor(() => expect(heard()).toBeGreaterThan(before), { timeout: 20_000 });
    run.kill('SIGKILL');
    expect(await waiting).toMatchObject({ code: 3, said: 'ctxb: the run ended before it could answer\n' });
    await run.finished;
    const [{ runId } = { runId: '' }] = await listed(place);
    await vi.waitFor(async () => expect((await listed(place))[0]?.end).toMatchObject({ reason: 'died' }), {
      timeout: 20_000,
    });
    expect(await asked(place, 'compact', runId)).toMatchObject({
      code: 2,
      said: expect.stringMatching(/has ended \(died\)/),
    });
  });
});
