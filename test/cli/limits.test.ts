import { describe, expect, it } from 'vitest';
import { writeCorpus } from '../bench/corpus.ts';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, fake, type Place } from './fakes.ts';

/** A command of ctxb under a limit of the shell. */
function limited({ env, cwd }: Place, limit: string, args: readonly string[]) {
  const script = `ulimit ${limit}; exec "$@"`;
  return runProgram('sh', ['-c', script, 'sh', process.execPath, CTXB, ...args], { env, cwd });
}

const COMPACT = fixture('compact.ndjson');

describe.skipIf(process.platform !== 'linux')('what the system does not give is no bug of ctxb', () => {
  // Node itself does not start with less than about 900 MB of addresses.
  it.each([1_500_000, 8_000_000])('%d KiB of addresses: everything is read without threads', async (kb) => {
    await using place = await createPlace();
    writeCorpus(place.cwd, 12_000_000);
    for (const args of [
      ['replay', '--json', '--no-cache', COMPACT],
      ['replay', '--json', '--no-cache', place.path('projects')],
      ['handoff', 'write', COMPACT],
    ]) {
      const free = await limited(place, '-c 0', args);
      const run = await limited(place, `-v ${kb}`, args);
      expect(run).toMatchObject({ code: 0, stderr: free.stderr });
      if (args[0] === 'replay') expect(run.stdout.equals(free.stdout)).toBe(true);
    }
  });

  it('few open files: the limit is named, and the exit code is that of the system', async () => {
    await using place = await createPlace();
    const codes = new Set<number | null>();
    for (const args of [['replay', COMPACT], ['config'], ['run', '--prompt', 'one', '--', fake('echoes'), '-p']]) {
      for (const most of [20, 22, 24, 26, 28, 30, 40, 64]) {
        const run = await limited(place, `-n ${most}`, args);
        expect(run.stderr).not.toContain('bug in ctxb');
        // With fewer still, Node cannot load ctxb at all.
        if (!run.stderr.startsWith('ctxb: ')) continue;
        codes.add(run.code);
        expect(run.stderr).toMatch(/^ctxb: .*raise the limit.*\(ulimit -n\)/);
      }
      expect((await limited(place, '-n 256', args)).code).toBe(0);
    }
    expect([...codes]).toEqual([71]);
  });
});
