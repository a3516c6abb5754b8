import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { fixture, linesOf } from '../support/recordings.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const LINES = linesOf(fixture('compact.ndjson')).map((line) => `${line}\n`);

function start(place: Place, ...args: readonly string[]) {
  return startProgram(process.execPath, [CTXB, 'replay', '--follow', ...args], { env: place.env, cwd: place.cwd });
}

describe('--follow', () => {
  it.each([
    { signal: 'SIGINT' as const, args: [], code: 0 },
    { signal: 'SIGTERM' as const, args: [], code: 0 },
    { signal: 'SIGINT' as const, args: ['--max-cost', '0.2'], code: 3 },
  ])('prints lines as calls come, and ends with $signal $args: $code', async ({ signal, args, code }) => {
    await using place = await createPlace();
    const file = await place.file('run.ndjson', LINES.slice(0, 4).join(''));
    const run = start(place, '--ndjson', ...args, file);
    expect(await run.waitForLine(({ call }) => call === 1)).toMatchObject({ file, context: 100_000 });
    appendFileSync(file, LINES.slice(4, 6).join(''));
    expect(await run.waitForLine(({ call }) => call === 2)).toMatchObject({ context: 130_000 });
    run.kill(signal);
    const { stdout, stderr, code: found } = await run.finished;
    expect(found).toBe(code);
    const calls = stdout
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { call: number }).call);
    expect(calls).toEqual([1, 2, 3]);
    expect(stderr.includes('beyond that by call 1')).toBe(code === 3);
  });

  it('reports at the end of stdin, on what a person has seen come', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--follow'], { stdin: LINES.join('') });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toMatch(
      /^ {2}call {5}1 [\s\S]*\n {2}call {5}5 [\s\S]*\nsession .*\n- .* 80% [\s\S]* {2}lines {5}19\n$/,
    );
  });

  it('prints a report for a program whole, at the end', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--follow', '--json'], { stdin: LINES.join('') });
    const plain = await ctxb(place, ['replay', '--json'], { stdin: LINES.join('') });
    expect(run.stdout.toString()).toBe(plain.stdout.toString());
  });

  it.each([{ files: ['a', 'b'] }, { files: ['.'] }])('takes one file, not $files', async ({ files }) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--follow', ...files]);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('--follow: name one file') });
  });
});
