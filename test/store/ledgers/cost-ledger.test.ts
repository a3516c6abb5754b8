import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { type CostLedger, openCostLedger } from '../../../src/store/ledgers/cost-ledger.ts';
import { type StoreProgram, startStoreProgram } from '../store-program.ts';

const STORE = fileURLToPath(new URL('../../../src/store', import.meta.url));

let folder: string;
let file: string;
let time: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-store-'));
  file = join(folder, 'cost.ndjson');
  time = new Date(2026, 2, 9, 12).getTime();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function ledger(runId: string, period: 'day' | 'month' = 'day'): CostLedger {
  return openCostLedger(openContextDir(folder), { now: () => time, runId, period });
}

const REPORTED = { session: 's1', computed: false };

describe('a ledger', () => {
  it('holds one line for each sum', () => {
    const one = ledger('one');
    one.add(1_500, REPORTED);
    one.add(0, REPORTED);
    one.add(-20, { session: null, computed: true });
    const t = new Date(time).toISOString();
    expect(readFileSync(file, 'utf8')).toBe(
      `{"v":1,"t":"${t}","run":"one","session":"s1","microUsd":1500,"computed":false}\n` +
        `{"v":1,"t":"${t}","run":"one","session":null,"microUsd":-20,"computed":true}\n`,
    );
  });

  it('refuses what is no whole number', () => {
    expect(() => ledger('one').add(0.5, REPORTED)).toThrow('0.5 is no whole number');
    expect(ledger('two').spentByOthers()).toBe(0);
  });

  it('knows what others have spent, as it goes on', () => {
    const [one, two, three] = [ledger('one'), ledger('two'), ledger('three')];
    one.add(100, REPORTED);
    expect([one.spentByOthers(), two.spentByOthers()]).toEqual([0, 100]);
    two.add(20, REPORTED);
    one.add(-1, REPORTED);
    expect([one.spentByOthers(), two.spentByOthers(), three.spentByOthers()]).toEqual([20, 99, 119]);
  });

  it('is not made by looking at it, and one that is a link is not used', () => {
    const one = ledger('one');
    expect(one.spentByOthers()).toBe(0);
    symlinkSync(join(folder, 'theirs'), file);
    expect(() => one.spentByOthers()).toThrow(/symbolic link.*move it away/);
    expect(() => one.add(1, REPORTED)).toThrow(/symbolic link.*move it away/);
  });
});

describe('periods, in local time', () => {
  const beforeMidnight = new Date(2026, 2, 31, 23, 59, 59, 999).getTime();

  it.each([
    { period: 'day' as const, to: new Date(2026, 3, 1).getTime() },
    { period: 'month' as const, to: new Date(2026, 3, 1).getTime() },
  ])('a new $period begins while a run goes on', ({ period, to }) => {
    const [one, two] = [ledger('one', period), ledger('two', period)];
    time = beforeMidnight;
    one.add(100, REPORTED);
    two.add(7, REPORTED);
    expect([two.spentByOthers(), two.spentEarlier()]).toEqual([100, 0]);
    time = to;
    expect([two.spentByOthers(), two.spentEarlier()]).toEqual([0, 7]);
    one.add(30, REPORTED);
    two.add(3, REPORTED);
    expect([two.spentByOthers(), two.spentEarlier()]).toEqual([30, 7]);
  });

  it('the days of a month are one period', () => {
    time = new Date(2026, 2, 1).getTime();
    ledger('one', 'month').add(100, REPORTED);
    time = beforeMidnight;
    expect(ledger('two', 'month').spentByOthers()).toBe(100);
    expect(ledger('two', 'day').spentByOthers()).toBe(0);
  });
});

describe('what stands in the file and is not ours', () => {
  it.each([
    { title: 'no JSON', line: 'nonsense' },
    { title: 'nothing', line: '' },
    { title: 'no object', line: 'null' },
    { title: 'another version', line: '{"v":2,"t":"2026-03-09T12:00:00.000Z","run":"x","microUsd":5}' },
    { title: 'no time', line: '{"v":1,"t":"soon","run":"x","microUsd":5}' },
    { title: 'no run', line: '{"v":1,"t":"2026-03-09T12:00:00.000Z","microUsd":5}' },
    { title: 'a broken sum', line: '{"v":1,"t":"2026-03-09T12:00:00.000Z","run":"x","microUsd":0.5}' },
    { title: 'a line that is far too long', line: `"${'x'.repeat(200_000)}"` },
  ])('$title is skipped', ({ line }) => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    appendFileSync(file, `${line}\n`);
    one.add(2, REPORTED);
    expect(two.spentByOthers()).toBe(3);
  });

  it('a torn line does not take the next one with it', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    appendFileSync(file, '{"v":1,"t":"2026-03');
    expect(two.spentByOthers()).toBe(1);
    one.add(2, REPORTED);
    expect(two.spentByOthers()).toBe(3);
  });

  it('a line that is being written counts when it is whole', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    const line = readFileSync(file, 'utf8');
    appendFileSync(file, line.slice(0, 40));
    expect(two.spentByOthers()).toBe(1);
    appendFileSync(file, line.slice(40));
    expect(two.spentByOthers()).toBe(2);
  });
});

describe('a file that is not the one it was', () => {
  it.each([
    { title: 'shrank', change: () => truncateSync(file, readFileSync(file, 'utf8').indexOf('\n') + 1), left: 1 },
    { title: 'is gone', change: () => rmSync(file), left: 0 },
    {
      title: 'was replaced by a longer one',
      change: () => {
        const [first = ''] = readFileSync(file, 'utf8').split('\n');
        writeFileSync(join(folder, 'new'), `${first}\n`.repeat(9));
        renameSync(join(folder, 'new'), file);
      },
      left: 9,
    },
  ])('and $title is read again', ({ change, left }) => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    one.add(2, REPORTED);
    expect(two.spentByOthers()).toBe(3);
    change();
    expect(two.spentByOthers()).toBe(left);
    one.add(10, REPORTED);
    expect(two.spentByOthers()).toBe(left + 10);
  });
});

/** Entries of another time and run until the ledger has so many bytes. */
function fillTo(bytes: number, t: number, microUsd = 1): number {
  const line = `{"v":1,"t":"${new Date(t).toISOString()}","run":"old","session":null,"microUsd":${microUsd},"computed":false}\n`;
  const count = Math.ceil(bytes / line.length);
  openContextDir(folder);
  appendFileSync(file, line.repeat(count));
  return count;
}

function parts(): string[] {
  return readdirSync(folder).filter((name) => /^cost-\d{8}T\d{9}-[0-9a-f]{4}\.ndjson$/.test(name));
}

const FULL = 8 * 1024 * 1024;

describe('a ledger that has become long', () => {
  it('is read from its end, however long it is', () => {
    openContextDir(folder);
    writeFileSync(file, '');
    truncateSync(file, 2 ** 40);
    appendFileSync(file, '\n');
    const count = fillTo(1_000, time);
    expect(ledger('one').spentByOthers()).toBe(count);
  });

  it('is refused with more of one period than a run can wait for', () => {
    const one = ledger('one');
    fillTo(65 * 1024 * 1024, time);
    expect(() => one.spentByOthers()).toThrow(/more than 64 MiB of one day or month: move it away, or set no limit/);
  });

  it('is counted whole as far as the period goes', () => {
    const one = ledger('one', 'month');
    const count = fillTo(2 * FULL, time);
    fillTo(FULL / 2, new Date(2026, 2, 1).getTime() - 1, 1_000);
    expect(one.spentByOthers()).toBeGreaterThanOrEqual(count);
  });

  it('goes on in a new file, and all of it counts', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    const old = fillTo(FULL, time);
    expect(two.spentByOthers()).toBe(old);
    // Another process has it open, and is about to write.
    const open = openSync(file, 'a');
    const late = readFileSync(file, 'utf8').split('\n', 1)[0];
    one.add(5, REPORTED);
    expect(parts()).toHaveLength(1);
    expect(statSync(file).size).toBeLessThan(1_000);
    writeSync(open, `${late}\n`);
    closeSync(open);
    expect([two.spentByOthers(), ledger('three').spentByOthers()]).toEqual([old + 6, old + 6]);
  });

  it('loses no sum of a month that is over', () => {
    const last = new Date(2026, 1, 3, 12).getTime();
    const one = ledger('one', 'month');
    const count = fillTo(FULL, last);
    one.add(7, REPORTED);
    const [part = ''] = parts();
    utimesSync(join(folder, part), last / 1000, last / 1000);
    fillTo(FULL, time);
    one.add(8, REPORTED);
    expect(parts()).toHaveLength(2);
    const t = new Date(last).toISOString();
    expect(readFileSync(join(folder, part), 'utf8')).toBe(
      `{"v":1,"t":"${t}","run":"old","session":null,"microUsd":${count},"computed":false}\n`,
    );
    // This month's part is as it was.
    expect(parts().filter((name) => statSync(join(folder, name)).size >= FULL)).toHaveLength(1);
    time = last;
    expect(ledger('two', 'month').spentByOthers()).toBeGreaterThanOrEqual(count);
  });
});

describe('many runs at once', () => {
  const RUNS = [1, 2, 3, 4];
  const ADDITIONS = 250;
  let bundles: string;
  let bundle: string;

  beforeAll(async () => {
    bundles = mkdtempSync(join(tmpdir(), 'ctxb-bundle-'));
    bundle = join(bundles, 'ledger.cjs');
    const contents = ['folders/context-dir', 'ledgers/cost-ledger']
      .map((name) => `export * from './${name}.ts';`)
      .join('\n');
    const stdin = { contents, resolveDir: STORE };
    await build({ stdin, outfile: bundle, bundle: true, platform: 'node', format: 'cjs', logLevel: 'warning' });
  });
  afterAll(() => rmSync(bundles, { recursive: true, force: true }));

  function start(additions: string): StoreProgram {
    const open = `const ledger = store.openCostLedger(store.openContextDir(${JSON.stringify(folder)}), { now: () => ${time}, runId: who.runId, period: 'day' });`;
    return startStoreProgram(bundle, `${open} let seen = 0, fell = false; ${additions}`);
  }

  /** Run k adds k again and again; what it sees of the others may only grow. */
  const adding = (k: number) => `for (let i = 0; i < ${ADDITIONS}; i++) {
      ledger.add(${k}, { session: null, computed: false });
      const now = ledger.spentByOthers();
      fell ||= now < seen;
      seen = now;
    }
    say(fell);
    process.stdin.once('data', () => say(ledger.spentByOthers()));`;

  it.each([
    { title: 'in one file', before: 0 },
    { title: 'while it goes on in a new one', before: FULL - 40_000 },
  ])('lose nothing, mix nothing, and agree in the end, $title', async ({ before }) => {
    if (before > 0) fillTo(before, time - 40 * 24 * 3_600_000);
    const programs = RUNS.map((k) => start(adding(k)));
    try {
      for (const program of programs) expect(await program.next()).toBe('false');
      const total = RUNS.reduce((sum, k) => sum + k * ADDITIONS, 0);
      expect(ledger('looks on').spentByOthers()).toBe(total);
      for (const [index, program] of programs.entries()) {
        program.child.stdin.write('\n');
        expect(await program.next()).toBe(String(total - (RUNS[index] ?? 0) * ADDITIONS));
      }
      const texts = [...parts(), 'cost.ndjson'].map((name) => readFileSync(join(folder, name), 'utf8'));
      expect(texts.length > 1).toBe(before > 0);
      const lines = texts.flatMap((text) => text.split('\n')).filter((line) => line && !line.includes('"run":"old"'));
      expect(lines).toHaveLength(RUNS.length * ADDITIONS);
    } finally {
      for (const program of programs) await program.kill();
    }
  });

  it('and one that is killed in the middle takes nothing with it', async () => {
    const endless = start(`say('on'); for (;;) ledger.add(1_000_000, { session: null, computed: false });`);
    expect(await endless.next()).toBe('"on"');
    const one = ledger('one');
    for (let i = 0; i < 50; i++) one.add(1, REPORTED);
    await endless.kill();
    for (let i = 0; i < 50; i++) one.add(1, REPORTED);
    expect(ledger('looks on').spentByOthers() % 1_000_000).toBe(100);
  });
});
