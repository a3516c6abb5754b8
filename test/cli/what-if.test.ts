import { mkdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { dateOf } from '../../src/replay/sums.ts';
import { runProgram } from '../support/claude.ts';
import { CTXB } from '../support/ctxb.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb } from './fakes.ts';

const SESSION = fixture('native-mid-turn.ndjson');

describe('--what-if', () => {
  it('prints what happened beside the estimate with ctxb', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--what-if', SESSION]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout.toString()).toMatch(/\n {2}what happened .* 1\n {2}with ctxb /);
  });

  it('as JSON: per session and in total; the context of each call only with --series', async () => {
    await using place = await createPlace();
    const report = async (...more: string[]) => {
      const files = [SESSION, fixture('tool-turn.ndjson')];
      return JSON.parse((await ctxb(place, ['replay', '--what-if', '--json', ...more, ...files])).stdout.toString());
    };
    const plain = await report();
    const figures = { reliefs: expect.any(Number), peak: expect.any(Number), usd: expect.any(Number) };
    expect(plain).toMatchObject({
      sessions: [{ whatIf: { actual: figures, ctxb: figures } }, { whatIf: { actual: figures, ctxb: figures } }],
      whatIf: { sessions: 2, actual: figures, ctxb: figures },
    });
    expect(plain.sessions[0].whatIf).not.toHaveProperty('curve');
    const [{ series, whatIf }] = (await report('--series')).sessions;
    expect(whatIf.curve).toHaveLength(series.length);
  });

  it('uses the configuration of this folder, and flags', async () => {
    await using place = await createPlace();
    const estimate = async (...flags: string[]) => {
      const run = await ctxb(place, ['replay', '--what-if', '--json', ...flags, fixture('crossing.ndjson')]);
      return JSON.parse(run.stdout.toString()).whatIf.ctxb;
    };
    const [early, late] = [await estimate('--compact-at', '30%'), await estimate()];
    expect(early.reliefs).toBeGreaterThan(0);
    expect(early.peak).toBeLessThan(late.peak);
    await place.file('.contextbudgetrc', '{"compaction": {"enabled": false}}');
    expect((await estimate()).reliefs).toBe(0);
  });

  it('without files and sessions of the last 30 days, names the option for older ones', async () => {
    await using place = await createPlace();
    await mkdir(place.path('.claude/projects/-old'), { recursive: true });
    const log = await readFile(fixture('crossing.session.jsonl'), 'utf8');
    const old = log.replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"2020-01-01T00:00:00.000Z"');
    await place.file('.claude/projects/-old/old.jsonl', old);
    const words = ['-c', '"$@" < /dev/null', 'bash', process.execPath, CTXB, 'replay', '--what-if'];
    const run = await runProgram('bash', words, place);
    expect(run.stderr).toBe('ctxb: none of 1 session is of the last 30 days: --since 90d takes more\n');
  });

  it("without files, reads all of claude's logs of the last 30 days", async () => {
    await using place = await createPlace();
    const logs = ['crossing', 'native-mid-turn', 'tool-turn'];
    for (const name of logs) {
      const log = await readFile(fixture(`${name}.session.jsonl`), 'utf8');
      const time = name === 'tool-turn' ? '2020-01-01T00:00:00.000Z' : new Date().toISOString();
      await mkdir(place.path(`.claude/projects/-${name}`), { recursive: true });
      const timed = log.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${time}"`);
      await place.file(`.claude/projects/-${name}/${name}.jsonl`, timed);
    }
    const words = ['-c', '"$@" < /dev/null', 'bash', process.execPath, CTXB, 'replay', '--what-if'];
    const run = await runProgram('bash', words, place);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const since = dateOf(Date.now() - 30 * 24 * 60 * 60 * 1000);
    expect(run.stdout.toString()).toMatch(
      new RegExp(
        `^Since ${since} {2}2 sessions, [^]*\\n {2}what happened .*\\n {2}with ctxb [^]*\\n {2}2 rows left out`,
      ),
    );
  });

  it("is in the page's chart", async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--what-if', '--html', 'page.html', SESSION]);
    expect(run).toMatchObject({ code: 0, stderr: `ctxb: page: ${place.path('page.html')}\n` });
    expect(await readFile(place.path('page.html'), 'utf8')).toMatch(/"curve":\[\d+,/);
  });

  it.each(sampled(['--csv', '--ndjson', '--detail', '--markdown'], 2))('is not shown by %s: exit 2', async (format) => {
    await using place = await createPlace();
    const run = await ctxb(place, ['replay', '--what-if', format, SESSION]);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toContain(`${format} and --what-if exclude each other`);
  });
});
