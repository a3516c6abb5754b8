import { chownSync, existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { sampled } from '../support/size.ts';
import { createPlace, ctxb, journalOf, type Place, runFake } from './fakes.ts';

const RUN_ID = '11111111-2222-4333-8444-555555555555';

/** A run that somebody else has put there: taking it up would start a program of his choice. */
function plantRun({ path }: Place, seal = ''): void {
  const mark = { pid: 4_194_000, start: '1', boot: 'b' };
  const start = { v: 1, t: '2026-01-02T12:00:00.000Z', kind: 'start', runId: RUN_ID, claude: mark, ctxb: mark };
  const words = ['/bin/sh', '-c', `touch ${path('owned')}`, '-p'];
  const said = { type: 'user', uuid: RUN_ID, message: { role: 'user', content: 'hello' } };
  const run = JSON.stringify({ v: 1, words, prompts: [{ uuid: RUN_ID, line: JSON.stringify(said), fate: 'waiting' }] });
  mkdirSync(path('.context/runs'), { recursive: true });
  writeFileSync(path('.context/journal.ndjson'), `${JSON.stringify(start)}\n`);
  writeFileSync(path(`.context/runs/${RUN_ID}.ndjson`), `${run.slice(0, -1)}${seal}}\n`);
}

describe('a folder with files of another user', () => {
  it.each([
    { name: 'without a seal', seal: '' },
    { name: 'with a made-up seal', seal: `,"seal":"${'0'.repeat(64)}"` },
  ])('starts no program because of a planted run $name', async ({ seal }) => {
    await using place = await createPlace();
    plantRun(place, seal);
    const run = await ctxb(place, ['run', '--resume-run']);
    expect(run.stderr).toMatch(/runs\/1{8}\S+ is not used, because it is not sealed with your key.*Start a new run/);
    expect(run.code).toBe(2);
    expect(existsSync(place.path('owned'))).toBe(false);
  });

  it.each([
    { name: 'by going up', contextDir: '../../elsewhere' },
    { name: 'by an absolute path', contextDir: '/tmp/ctxb-elsewhere' },
    { name: 'by a link on the way', contextDir: 'link/elsewhere' },
    { name: 'to the folder itself', contextDir: '.' },
  ])('writes no files outside $name', async ({ contextDir }) => {
    await using place = await createPlace();
    mkdirSync(place.path('a/repository'), { recursive: true });
    symlinkSync(place.path('a'), place.path('a/repository/link'));
    writeFileSync(place.path('a/repository/.contextbudgetrc'), JSON.stringify({ contextDir }));
    const run = await runFake(
      { ...place, cwd: place.path('a/repository') },
      { fake: 'answers', flags: ['--prompt', 'one'] },
    );
    expect(run.stderr).toContain('contextDir: expected a folder inside of');
    expect(run.code).toBe(2);
    expect(existsSync(place.path('elsewhere')) || existsSync(place.path('a/elsewhere'))).toBe(false);
  });

  it('may name a folder inside, also from a subfolder', async () => {
    await using place = await createPlace();
    mkdirSync(place.path('below'));
    await place.file('.contextbudgetrc', '{"contextDir": "../notes"}');
    const run = await runFake({ ...place, cwd: place.path('below') }, { fake: 'answers', flags: ['--prompt', 'one'] });
    expect(run.code).toBe(0);
    expect(existsSync(place.path('notes/journal.ndjson'))).toBe(true);
  });

  it('executes no configuration file', async () => {
    await using place = await createPlace();
    const program = `require('node:fs').writeFileSync(${JSON.stringify(place.path('owned'))}, '');`;
    for (const name of ['.contextbudgetrc.js', '.contextbudgetrc.cjs', 'contextbudget.config.js']) {
      await place.file(name, program);
    }
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
    expect(run.code).toBe(0);
    expect(existsSync(place.path('owned'))).toBe(false);
  });

  it('does not change a file that is hard-linked as its journal', async () => {
    await using place = await createPlace();
    openContextDir(place.path('.context'));
    linkSync(await place.file('target', 'mine\n'), place.path('.context/journal.ndjson'));
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
    expect(run.stderr).toContain('journal.ndjson is a hard link, so ctxb does not use it: move it away');
    expect(run.stdout.toString()).toBe('answer to one\n');
    expect(readFileSync(place.path('target'), 'utf8')).toBe('mine\n');
  });
});

// Only root can give a file to somebody else.
describe.runIf(process.getuid?.() === 0)('a folder that everybody can write to', () => {
  it.each([
    { name: 'another user’s file is not taken for the configuration', mode: 0o1777, owner: 12_345, code: 0 },
    { name: 'one’s own is', mode: 0o1777, owner: 0, code: 2 },
    { name: 'in a folder of one’s own another user’s is', mode: 0o755, owner: 12_345, code: 2 },
  ])('$name', async ({ mode, owner, code }) => {
    await using place = await createPlace();
    await chmod(place.cwd, mode);
    mkdirSync(place.path('work'));
    chownSync(await place.file('.contextbudgetrc', '{"unknown": 1}'), owner, owner);
    const run = await runFake({ ...place, cwd: place.path('work') }, { fake: 'answers', flags: ['--prompt', 'one'] });
    expect(run.code).toBe(code);
  });
});

it('the journal of a run does not contain the sealing key', async () => {
  await using place = await createPlace();
  await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'] });
  const key = readFileSync(`${place.env.XDG_STATE_HOME}/ctxb/key`, 'utf8');
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(JSON.stringify(journalOf(place))).not.toContain(key);
});

describe('commands that read a suspicious folder do not let it control the terminal', () => {
  const STEERING = '\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eevil\u2066';
  const STEERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

  it.each(
    sampled(
      [
        { title: 'a key', config: { [`bad${STEERING}`]: 1 } },
        { title: 'the name of a tool', config: { tools: { [`mcp__${STEERING}`]: 1000 } } },
        { title: 'a value', config: { contextDir: `a${STEERING}` } },
        { title: 'a faulty value', config: { strategy: STEERING } },
      ],
      3,
    ),
  )('ctxb config and doctor: $title, below a folder with such a name', async ({ config }) => {
    await using place = await createPlace();
    const cwd = place.path(`x${STEERING}`);
    mkdirSync(cwd);
    writeFileSync(`${cwd}/.contextbudgetrc`, JSON.stringify(config));
    for (const args of [
      ['config'],
      ['config', '--json'],
      ['doctor', '--quick'],
      ['cleanup'],
      ['health'],
      ['scratch'],
      ['flow', 'report'],
    ]) {
      const { stdout, stderr } = await ctxb({ ...place, cwd }, args);
      expect(`${stdout}${stderr}`, args.join(' ')).not.toMatch(STEERS);
    }
  });
});
