import { chmodSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type RunningProgram, runProgram, startProgram } from '../support/claude.ts';
import { CTXB, outputLines } from '../support/ctxb.ts';
import { createPlace, fake, isAlive, journalOf, type Place, STREAM } from './fakes.ts';

const NOBODY = '65534';

/** A folder in which every user of the machine may write. */
async function sharedPlace(): Promise<Place> {
  const place = await createPlace();
  chmodSync(place.cwd, 0o777);
  return place;
}

/** `ctxb run` of another user, and its environment: each has a home of their own. */
function commandOf(place: Place, user: 'root' | 'nobody', args: readonly string[]) {
  const HOME = place.path(`home-${user}`);
  mkdirSync(HOME, { recursive: true });
  chmodSync(HOME, 0o777);
  const as = user === 'root' ? [] : ['setpriv', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups'];
  const [program = '', ...rest] = [...as, process.execPath, CTXB, 'run', ...args];
  const { NODE_COMPILE_CACHE: _, XDG_STATE_HOME: __, ...env } = place.env;
  return [program, rest, { cwd: place.cwd, env: { ...env, HOME } }] as const;
}

function takenUpBy(place: Place, user: 'root' | 'nobody', flags: readonly string[] = []) {
  return runProgram(...commandOf(place, user, ['--resume-run', ...flags, '--', fake('answers'), ...STREAM]));
}

/** A run that is in its second turn. */
async function runningAs(place: Place, user: 'root' | 'nobody'): Promise<RunningProgram> {
  const prompts = ['--prompt', 'one', '--prompt', 'long two', '--prompt', 'three'];
  const run = startProgram(...commandOf(place, user, [...prompts, '--', fake('takes-its-time'), ...STREAM]));
  await run.waitForLine((line) => JSON.stringify(line).includes('answer to long two'));
  return run;
}

/** Waits for claude too, which ends with its ctxb. */
async function kill(place: Place, run: RunningProgram): Promise<void> {
  const pids = journalOf(place).flatMap(({ claude }) => (claude as { pid?: number } | undefined)?.pid ?? []);
  run.kill('SIGKILL');
  await run.finished;
  await expect.poll(() => pids.some(isAlive), { timeout: 20_000 }).toBe(false);
}

// Only root can play another user.
describe.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'a run of another user of the machine',
  () => {
    it('is not resumed while it is active', async () => {
      await using place = await sharedPlace();
      const run = await runningAs(place, 'nobody');
      const other = await takenUpBy(place, 'root');
      expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/is still active \(process \d+\)/) });
      await kill(place, run);
    });

    it('takes no request from another user, even if its card is readable', async () => {
      await using place = await sharedPlace();
      const run = await runningAs(place, 'nobody');
      const HOME = place.path('home-nobody');
      const { XDG_STATE_HOME: _, ...env } = place.env;
      const ask = runProgram(process.execPath, [CTXB, 'stop', '--timeout', '5'], {
        cwd: place.cwd,
        env: { ...env, HOME },
      });
      expect(await ask).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/belongs to another user .*: run ctxb as that user/),
      });
      expect(journalOf(place).map(({ kind }) => kind)).not.toContain('end');
      await kill(place, run);
    });

    it.each([
      { by: 'root', of: 'nobody', says: /not sealed with your key, .*: somebody else may have written it/ },
      { by: 'nobody', of: 'root', says: /\.context.*EACCES/ },
    ] as const)(
      '$of is left alone by $by, also with --at-reset, and its owner can resume it',
      async ({ by, of, says }) => {
        await using place = await sharedPlace();
        await kill(place, await runningAs(place, of));
        for (const flags of [[], ['--at-reset']]) {
          const other = await takenUpBy(place, by, flags);
          expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(says) });
          expect(other.stdout.toString()).toBe('');
        }
        const own = await takenUpBy(place, of);
        expect(own.code).toBe(0);
        const results = outputLines(own).flatMap(({ result }) => (typeof result === 'string' ? [result] : []));
        expect(results).toEqual(['answer to long two', 'answer to three']);
      },
    );
  },
);
