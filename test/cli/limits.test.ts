import { describe, expect, it } from 'vitest';
import { shortageOf } from '../../src/errors.ts';
import { writeCorpus } from '../bench/corpus.ts';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, fake, type Place } from './fakes.ts';

/** A command of ctxb under a limit of the shell. */
function limited({ env, cwd }: Place, limit: string, args: readonly string[]) {
  const script = `ulimit ${limit}; exec "$@"`;
  return runProgram('sh', ['-c', script, 'sh', process.execPath, CTXB, ...args], { env, cwd });
}

const COMPACT = fixture('compact.ndjson');

describe.skipIf(process.platform !== 'linux')('a shortage of system resources is not reported as a bug', () => {
  // Node itself does not start with less than about 900 MB of addresses.
  it.each(sampled([1_500_000, 8_000_000], 2))(
    '%d KiB of address space: reads everything without threads',
    async (kb) => {
      await using place = await createPlace();
      writeCorpus(place.cwd, 12_000_000);
      for (const args of [
        ['replay', '--json', '--no-cache', COMPACT],
        ['replay', '--json', '--no-cache', place.path('projects')],
        ['receipts', COMPACT],
      ]) {
        const free = await limited(place, '-c 0', args);
        const run = await limited(place, `-v ${kb}`, args);
        expect(run).toMatchObject({ code: 0, stderr: free.stderr });
        if (args[0] === 'replay') expect(run.stdout.equals(free.stdout)).toBe(true);
      }
    },
  );

  it.each(
    sampled(
      [
        { args: ['replay', COMPACT], most: [20, 24, 28] },
        { args: ['config'], most: [20] },
        { args: ['run', '--prompt', 'one', '--', fake('echoes'), '-p'], most: [20, 24, 26] },
      ],
      3,
    ),
  )('few open files: $args names the limit, and ends with the exit code of the system', async ({ args, most }) => {
    await using place = await createPlace();
    for (const files of most) {
      const run = await limited(place, `-n ${files}`, args);
      expect(run.stderr).not.toContain('bug in ctxb');
      // With fewer still, Node cannot load ctxb at all; with more, there is no fault.
      if (run.code === 0 || !run.stderr.startsWith('ctxb: ')) continue;
      expect(run).toMatchObject({ code: 71, stderr: expect.stringMatching(/raise the limit.*\(ulimit -n\)/) });
    }
    expect((await limited(place, '-n 256', args)).code).toBe(0);
  });
});

it.each([
  { thrown: Object.assign(new Error('EMFILE: too many'), { code: 'EMFILE' }), says: /ulimit -n/ },
  { thrown: Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN', syscall: 'spawn sh' }), says: /ulimit -u/ },
  { thrown: Object.assign(new Error('x'), { code: 'ERR_WORKER_INIT_FAILED' }), says: /no more threads/ },
  { thrown: new RangeError('Array buffer allocation failed'), says: /not enough memory.*ulimit -v/ },
  { thrown: new RangeError('Invalid string length'), says: /not enough memory/ },
])('$thrown.message is a shortage', ({ thrown, says }) => {
  expect(shortageOf(thrown)).toMatchObject({ code: 'resources', exitCode: 71, message: expect.stringMatching(says) });
});

it.each([
  Object.assign(new Error('EAGAIN, read'), { code: 'EAGAIN', syscall: 'read' }),
  new TypeError('x is not a function'),
  new RangeError('Maximum call stack size exceeded'),
  'out of memory',
])('%s is not a shortage', (thrown) => {
  expect(shortageOf(thrown)).toBeUndefined();
});
