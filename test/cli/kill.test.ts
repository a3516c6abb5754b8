import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonLine, promptLine } from '../support/claude.ts';
import { readLines } from '../support/ctxb.ts';
import { anyMoment, atNextEntry, createRandom, createVictim, duringRepair, SESSION } from '../support/kill.ts';
import { faultsAfterEnd, faultsAfterKill, leftovers, tear } from '../support/notes-check.ts';
import { sampled, sized } from '../support/size.ts';
import { createPlace, type Place, STREAM, startFake } from './fakes.ts';

const KILLS = sized(6, 10);
const CUTS = sized(2, 4);
/** Each is a run and one that takes it up. */
const PATIENCE_MS = 300_000;

describe('ctxb, killed while it writes notes', () => {
  it.each(sampled([{ seed: 1 }, { seed: 2 }], 2))(
    'loses and repeats nothing (seed $seed)',
    async ({ seed }) => {
      await using place = await createPlace();
      const random = createRandom(seed);
      const victim = createVictim(place, random);
      const { bytes } = await victim.run();
      for (let kills = 0; kills < KILLS; ) {
        // Every third one hits the run that takes up what the one before has left.
        const moments = [anyMoment, atNextEntry, duringRepair];
        const plan = moments[kills % 3]?.(random, bytes);
        const { killed } = await victim.run(plan);
        if (!killed) continue;
        kills++;
        expect(faultsAfterKill(victim)).toEqual([]);
        if (kills % 3 === 2) continue;
        await victim.run();
        expect(faultsAfterEnd(victim)).toEqual([]);
      }
    },
    PATIENCE_MS,
  );

  it.each(sampled([{ seed: 3 }, { seed: 4 }, { seed: 5 }], 3))(
    'repairs files that are cut at any byte (seed $seed)',
    async ({ seed }) => {
      await using place = await createPlace();
      const random = createRandom(seed);
      const victim = createVictim(place, random);
      await victim.run();
      for (let cuts = 0; cuts < CUTS; cuts++) {
        tear(victim, random);
        await victim.run();
        expect(faultsAfterEnd(victim)).toEqual([]);
      }
    },
    PATIENCE_MS,
  );

  it('leaves only files that the next run removes', async () => {
    await using place = await createPlace();
    const victim = createVictim(place, createRandom(6));
    await victim.run({ bytes: 20_000, ticks: 0 });
    // What a kill leaves that hits the copy of the index while it is replaced.
    const torn = join(victim.context, 'scratch.md.12345');
    writeFileSync(torn, '# Working');
    utimesSync(torn, 0, 0);
    await victim.run();
    expect(leftovers(victim.context)).toEqual([]);
  });
});

describe('two runs of one session at once', () => {
  it('keep separate, complete notes', async () => {
    await using place = await createPlace();
    const runs = [startWorker(place, 1_000), startWorker(place, 2_000)];
    // The first has the session's folder before the second begins.
    for (const turn of [1, 2, 3]) {
      for (const run of runs) {
        run.send(promptLine(`turn ${turn}`));
        await run.waitForLine(isResult);
      }
    }
    for (const run of runs) run.stdin.end();
    const ended = await Promise.all(runs.map(({ finished }) => finished));

    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(ended[0]?.stderr).not.toContain('another run keeps the notes');
    expect(ended[1]?.stderr).toContain(`another run keeps the notes of session ${SESSION}`);
    const sessions = join(place.path('.context'), 'sessions');
    const folders = readdirSync(sessions).sort();
    expect(folders).toEqual([SESSION, expect.stringMatching(new RegExp(`^${SESSION}\\.[\\w-]{8}$`))]);
    expect(folders.map((folder) => callsIn(join(sessions, folder)))).toEqual([numbers(1_000, 15), numbers(2_000, 15)]);
    expect(leftovers(place.path('.context'))).toEqual([]);
  });
});

function startWorker(place: Place, first: number) {
  const claude = ['-p', '--input-format', 'stream-json', ...STREAM, '--session-id', SESSION];
  return startFake(place, { fake: 'works', claude, env: { PLAY_CALLS: '5', PLAY_FIRST: String(first) } });
}

function isResult({ type }: JsonLine): boolean {
  return type === 'result';
}

function callsIn(folder: string): number[] {
  const calls = readLines(join(folder, 'memory.ndjson')).filter(({ kind }) => kind === 'tool');
  return calls.map(({ id }) => Number(String(id).slice('toolu_'.length)));
}

function numbers(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
