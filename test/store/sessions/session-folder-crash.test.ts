import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { listSessions, openSessionFolder } from '../../../src/store/sessions/sessions.ts';
import { sized } from '../../support/size.ts';
import { bundleStore, type StoreProgram, startStoreProgram } from '../store-program.ts';

let bundles: string;
let bundle: string;
let folder: string;
let root: string;
let programs: StoreProgram[];

beforeAll(async () => {
  bundles = await mkdtemp(join(tmpdir(), 'ctxb-bundle-'));
  bundle = await bundleStore(bundles);
});
afterAll(() => rm(bundles, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
  root = join(folder, '.context');
  programs = [];
});
afterEach(async () => {
  for (const program of programs) await program.kill();
  await rm(folder, { recursive: true, force: true });
});

function start(code: string, limit?: number): StoreProgram {
  const program = startStoreProgram(bundle, `const root = ${JSON.stringify(root)};${code}`, limit);
  programs.push(program);
  return program;
}

const HOLD = `const s = store.openSessionFolder(root, 'abc', runId); say(s.id); setInterval(() => {}, 1000);`;

function openHere() {
  return openSessionFolder(root, 'abc', 'here');
}

describe('a lock', () => {
  it('is held while its process lives, and is taken over after a kill', async () => {
    const holder = start(HOLD);
    expect(await holder.next()).toBe('"abc"');
    expect(listSessions(root)).toMatchObject([{ id: 'abc', running: true }]);
    const beside = openHere();
    expect(beside).toMatchObject({ id: 'abc.here', contested: true });
    beside.close();
    await holder.kill();
    expect(listSessions(root).map(({ running }) => running)).toEqual([false, false]);
    const after = openHere();
    expect(after).toMatchObject({ id: 'abc', contested: false });
    expect(readdirSync(after.path).filter((name) => name.startsWith('lock'))).toEqual(['lock.here']);
    after.close();
    expect(readdirSync(after.path)).toEqual(['session.json']);
  });

  it('goes to exactly one of several processes that take over dead locks at once', async () => {
    const ids = Array.from({ length: sized(20, 40) }, (_, index) => `s${index}`);
    const locks = [
      '',
      '{"pid":',
      `{"pid":${process.pid},"start":"1","runId":"gone","since":"-"}`,
      '{"pid":-1,"runId":""}',
    ];
    openContextDir(root);
    for (const [index, id] of ids.entries()) {
      await mkdir(join(root, 'sessions', id), { recursive: true });
      writeFileSync(join(root, 'sessions', id, 'lock.gone'), locks[index % locks.length] ?? '');
    }
    const code = `say('ready'); process.stdin.once('data', () => {
      say(${JSON.stringify(ids)}.filter((id) => !store.openSessionFolder(root, id, runId).contested));
      process.stdin.resume();
    });`;
    const racers = [1, 2, 3].map(() => start(code));
    for (const racer of racers) await racer.next();
    for (const racer of racers) racer.child.stdin.write('go\n');
    const won = await Promise.all(racers.map(async (racer) => JSON.parse((await racer.next()) ?? '') as string[]));
    expect(won.flat().sort()).toEqual([...ids].sort());
  });
});

it('accepts a new folder that several processes open at once, whatever one of them creates in it', async () => {
  const code = `const fs = require('node:fs');
    const at = root + '-';
    let faults = [];
    for (let round = 0; round < ${sized(40, 200)}; round++) {
      fs.writeFileSync(at + round + '-' + process.pid, '');
      while (fs.readdirSync(folder).filter((name) => name.startsWith('.context-' + round + '-')).length < 3);
      try {
        store.openContextDir(folder + '/' + round + '/.context').place('first-' + process.pid);
        fs.writeFileSync(folder + '/' + round + '/.context/first-' + process.pid, '');
      } catch (error) { faults.push(error.message); }
    }
    say(faults);`;
  const racers = [1, 2, 3].map(() => start(`const folder = ${JSON.stringify(folder)};${code}`));
  for (const racer of racers) expect(await racer.next()).toBe('[]');
});

it('admits only one process at a time, however often they open and close the folder', async () => {
  const code = `const dir = store.openContextDir(root);
    const inside = root + '/inside';
    let entered = 0;
    for (let i = 0; i < ${sized(400, 1000)} || entered === 0; i++) {
      const lock = store.takeLock(dir, process.pid + '-' + i);
      if (lock === undefined) continue;
      require('node:fs').writeFileSync(inside, '', { flag: 'wx' });
      require('node:fs').unlinkSync(inside);
      entered++;
      lock.release();
    }
    say(entered);`;
  const racers = [1, 2, 3].map(() => start(code));
  for (const racer of racers) expect(Number(await racer.next())).toBeGreaterThan(0);
  expect(readdirSync(root)).toEqual(['.gitignore', 'CTXB.TAG']);
});

describe('a process killed at any moment', () => {
  const WRITE = `const s = store.openSessionFolder(root, 'abc', runId);
    let n = [...s.logLines()].length;
    say(s.id);
    for (;;) {
      s.append('memory.ndjson', JSON.stringify({ n: n++, text: 'x'.repeat(20_000) }) + '\\n');
      if (n % 5 === 0) s.writeIndex('begin ' + 'y'.repeat(50_000) + ' end');
      if (n % 7 === 0) s.rewrite('commands.md', ['begin ', 'z'.repeat(100_000), ' end']);
      if (n % 50 === 0) say(n);
    }`;

  it('leaves complete lines, each once and in order, and complete files', async () => {
    for (let round = 0; round < sized(3, 8); round++) {
      const writer = start(WRITE);
      expect(await writer.next()).toBe('"abc"');
      for (let lines = 0; lines < round % 3; lines++) await writer.next();
      await writer.kill();
    }
    const session = openHere();
    const numbers = [...session.logLines()].map((line) => (JSON.parse(line) as { n: number }).n);
    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(numbers.length).toBeGreaterThan(sized(20, 100));
    for (const file of ['scratch.md', '../../scratch.md', 'commands.md']) {
      expect(readFileSync(join(session.path, file), 'utf8')).toMatch(/^begin [yz]+ end$/);
    }
    expect(readdirSync(session.path).filter((name) => /\.\d{3,}$/.test(name))).toEqual([]);
    session.close();
  });
});

describe('a full disk', () => {
  const fault = `const fault = (work) => { try { work(); return 'none'; } catch (e) { return e.name + ' ' + e.code + ' ' + e.message; } };`;

  it('leaves complete entries and the old files, and can be written to again later', async () => {
    const code = `${fault} const s = store.openSessionFolder(root, 'abc', runId);
      s.writeIndex('old index');
      s.rewrite('a.md', ['old']);
      s.append('memory.ndjson', 'a'.repeat(3000) + '\\n');
      say(fault(() => s.append('memory.ndjson', 'b'.repeat(3000) + '\\n')));
      say(fault(() => s.writeIndex('c'.repeat(9000))));
      say(fault(() => s.rewrite('a.md', ['d'.repeat(9000)])));
      s.append('memory.ndjson', 'short\\n');
      say([...s.logLines()].map((line) => line.length));
      s.close();`;
    const program = start(code, 4);
    const path = join(root, 'sessions/abc');
    const says = (file: string) =>
      new RegExp(`CtxbError store ${join(path, file)} cannot be used \\(EFBIG.*\\): raise`);
    expect(await program.next()).toMatch(says('memory.ndjson'));
    expect(await program.next()).toMatch(says('scratch.md'));
    expect(await program.next()).toMatch(says('a.md'));
    expect(await program.next()).toBe('[3000,5]');
    expect(await program.next()).toBeUndefined();
    expect(readFileSync(join(path, 'scratch.md'), 'utf8')).toBe('old index');
    expect(readFileSync(join(root, 'scratch.md'), 'utf8')).toBe('old index');
    expect(readdirSync(path).sort()).toEqual(['a.md', 'memory.ndjson', 'scratch.md', 'session.json']);
  });

  it('leaves no lock if not even that can be written', async () => {
    openContextDir(root);
    const program = start(`${fault} say(fault(() => store.openSessionFolder(root, 'abc', runId)));`, 0);
    expect(await program.next()).toMatch(/^"CtxbError store .*lock\.\d+-child cannot be used \(EFBIG/);
    expect(readdirSync(join(root, 'sessions/abc'))).toEqual([]);
  });
});
