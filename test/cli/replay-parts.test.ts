import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../support/claude.ts';
import { readCsv } from '../support/csv.ts';
import { installCtxb } from '../support/ctxb.ts';
import { DOCS } from '../support/pages.ts';
import { fixture } from '../support/recordings.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const NAMES = ['clear.ndjson', 'compact.ndjson', 'crossing.session.jsonl', 'native-mid-turn.session.jsonl'];

/** Recordings in a folder of the place, and two partials that overlap. */
async function withPartials(place: Place, ...flags: readonly string[]): Promise<void> {
  mkdirSync(place.path('logs'));
  for (const name of NAMES) await copyFile(fixture(name), place.path(`logs/${name}`));
  const [a = '', b = '', c = '', d = ''] = NAMES.map((name) => `logs/${name}`);
  for (const [name, files] of [
    ['one.part', [c, a]],
    ['two.part', [b, d, a]],
  ] as const) {
    const { stdout } = await ctxb(place, ['replay', '--partial', ...flags, ...files]);
    await place.file(name, stdout);
  }
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

/** A home with logs of Claude Code, one of them with a subagent, and a shell with ctxb. */
async function withHome(place: Place): Promise<Record<string, string>> {
  const project = place.path('.claude/projects/-home-dev-project');
  mkdirSync(join(project, 'subagent.session/subagents'), { recursive: true });
  for (const name of [...NAMES.slice(2), 'subagent.session.jsonl']) await copyFile(fixture(name), join(project, name));
  const log = 'subagent.session/subagents/agent-a1207fa5aad315583.jsonl';
  await copyFile(fixture(log), join(project, log));
  mkdirSync(place.path('bin'));
  installCtxb(place.path('bin'));
  return { ...place.env, PATH: `${place.path('bin')}:${place.env.PATH}` };
}

describe('what the page shows', () => {
  it('xargs: the parts give what a replay of all gives', async () => {
    await using place = await createPlace();
    const env = await withHome(place);
    const [command = ''] = /^find .* xargs .*$/m.exec(DOCS) ?? [];
    const small = command.replace('-n 50', '-n 1');
    const shell = ['-c', `mkdir parts && ${small} && ctxb replay --csv parts/*`];
    const run = await runProgram('/bin/sh', shell, { env, cwd: place.cwd });
    const whole = await ctxb(place, ['replay', '--csv', place.path('.claude/projects/')]);
    expect(run.stderr).toBe('');
    expect(readCsv(run.stdout.toString())).toHaveLength(3);
    expect(run.stdout.toString()).toBe(whole.stdout.toString());
  });

  it.runIf(hasPython)('Spark: its map and its reduce', async () => {
    await using place = await createPlace();
    const env = await withHome(place);
    const [, code = ''] = /```python\n([\s\S]*?)^total = /m.exec(DOCS) ?? [];
    const files = [...NAMES, 'subagent.session.jsonl'].map(fixture);
    const batches = JSON.stringify([files.slice(0, 2), [], files.slice(1, 4), files.slice(3)]);
    const reduced = `${code}
import functools, sys
parts = [part for batch in ${batches} for part in judge(iter(batch))]
sys.stdout.buffer.write(functools.reduce(merge, parts))`;
    const run = await runProgram('python3', ['-c', reduced], { env, cwd: place.cwd });
    const merged = await ctxb(place, ['replay', '--csv'], { stdin: run.stdout });
    expect(readCsv(merged.stdout.toString()).map(({ file }) => file)).toEqual([...files].sort());
  });
});

const FORMATS = ['--json', '--csv', '--markdown', '--ndjson', '--detail', '--partial'];

describe('parts of a replay', () => {
  it.each(sampled([...FORMATS.map((format) => [format]), []], 3))(
    'prints what a replay of all would: %s',
    async (...format) => {
      await using place = await createPlace();
      const series = ['--json', '--partial'].includes(format[0] ?? '') ? ['--series'] : [];
      await withPartials(place, '--series');
      const merged = await ctxb(place, ['replay', ...format, 'two.part', 'one.part']);
      const replayed = await ctxb(place, ['replay', ...format, ...series, 'logs']);
      expect(merged.stderr).toBe('ctxb: 1 session more than once, each counts once\n');
      expect(merged.stdout.toString()).toBe(replayed.stdout.toString());
      expect(merged.code).toBe(0);
    },
  );

  it('reads partials from stdin, one after another, also merged ones', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const first = await ctxb(place, ['replay', '--partial', 'one.part', 'two.part']);
    const again = await ctxb(place, ['replay', '--csv', '-', 'one.part'], {
      stdin: Buffer.concat([first.stdout, first.stdout]),
    });
    expect(readCsv(again.stdout.toString()).map(({ file }) => file)).toEqual(NAMES.map((name) => `logs/${name}`));
  });

  it('has gates and filters too', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const gated = await ctxb(place, ['replay', '--max-unplanned', '0', '--model', 'sonnet', 'one.part', 'two.part']);
    expect(gated).toMatchObject({ code: 3, stderr: expect.stringContaining('logs/native-mid-turn.session.jsonl (') });
    const filtered = await ctxb(place, [
      'replay',
      '--max-unplanned',
      '0',
      '--project',
      '/else',
      'one.part',
      'two.part',
    ]);
    expect(filtered).toMatchObject({ code: 3, stderr: expect.stringContaining('none of 4 sessions is') });
  });

  it('says which sessions it has no calls of', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const run = await ctxb(place, ['replay', '--ndjson', 'one.part']);
    expect(run.code).toBe(2);
    expect(run.stderr.match(/: make its partial with ctxb replay --partial --series\n/g)).toHaveLength(2);
    expect(run.stdout.toString()).toBe('');
  });

  it('takes recordings beside parts, and counts each session once', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const run = await ctxb(place, ['replay', '--csv', 'one.part', 'logs', 'missing.part']);
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/^ctxb: missing\.part: cannot be read/m);
    expect(run.stderr).toMatch(/^ctxb: 2 sessions more than once, each counts once$/m);
    expect(readCsv(run.stdout.toString()).map(({ file }) => file)).toEqual(NAMES.map((name) => `logs/${name}`));
  });

  it('names a damaged part, and counts what is whole of it', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const text = readFileSync(place.path('two.part'), 'utf8');
    await place.file('two.part', text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1));
    const run = await ctxb(place, ['replay', '--csv', 'two.part']);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('two.part is cut off (3 sessions of it') });
    expect(readCsv(run.stdout.toString())).toHaveLength(3);
  });

  it('tries policies on parts that were made with their calls', async () => {
    await using place = await createPlace();
    await withPartials(place, '--series');
    const parts = await ctxb(place, ['replay', '--what-if', 'grid', 'one.part', 'two.part']);
    const whole = await ctxb(place, ['replay', '--what-if', 'grid', 'logs']);
    expect(parts.stdout.toString()).toBe(whole.stdout.toString());
  });

  it('ctxb merge still merges, and says the new name', async () => {
    await using place = await createPlace();
    await withPartials(place);
    const run = await ctxb(place, ['merge', '--csv', 'one.part']);
    expect(run).toMatchObject({ code: 0, stderr: 'ctxb: "ctxb merge" is called "ctxb replay" now\n' });
    expect(readCsv(run.stdout.toString())).toHaveLength(2);
  });

  it('repeats what the replay could not read', async () => {
    await using place = await createPlace();
    const { stdout, code } = await ctxb(place, ['replay', '--partial', 'missing.ndjson', fixture('clear.ndjson')]);
    expect(code).toBe(2);
    const run = await ctxb(place, ['replay'], { stdin: stdout });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('missing.ndjson: cannot be read') });
    expect(run.stdout.toString()).toContain('clear.ndjson');
  });
});
