import { createHash } from 'node:crypto';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openContextDir } from '../../../src/store/folders/context-dir.ts';
import { type CostLedger, openCostLedger } from '../../../src/store/ledgers/cost-ledger.ts';
import { openSeal } from '../../../src/store/runs/seal.ts';
import { costEntries } from '../../support/cost-ledger.ts';
import { type StoreProgram, startStoreProgram } from '../store-program.ts';

const STORE = fileURLToPath(new URL('../../../src/store', import.meta.url));

let state: string;
/** The folder of the ledger, and its file for the day. */
let folder: string;
let file: string;
let time: number;

const fileOf = (t: number) => join(folder, `${new Date(t).toISOString().slice(0, 10)}.ndjson`);

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'ctxb-store-'));
  folder = join(state, 'costs', NAME);
  time = new Date(2026, 2, 9, 12).getTime();
  file = fileOf(time);
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const PROJECT = '/work/project';
const NAME = `project-${createHash('sha256').update(PROJECT).digest('hex').slice(0, 32)}`;

/** A line as ctxb writes it, and where somebody else does. */
const sealed = (entry: object, name = NAME) => openSeal(state).close(JSON.stringify(entry), name);

function ledger(runId: string, period: 'day' | 'month' = 'day'): CostLedger {
  return openCostLedger({ state, project: PROJECT }, { now: () => time, runId, period });
}

const REPORTED = { claimed: 0, call: 0 };

describe('a ledger', () => {
  it('has one line for each amount', () => {
    const one = ledger('one');
    one.add(1_500, REPORTED);
    one.add(-20, { claimed: 7, call: 7 });
    const t = new Date(time).toISOString();
    expect(costEntries(state)).toEqual([
      {
        v: 1,
        t,
        run: 'one',
        microUsd: 1500,
        claimed: 0,
        call: 0,
        seal: expect.any(String),
      },
      {
        v: 1,
        t,
        run: 'one',
        microUsd: -20,
        claimed: 7,
        call: 7,
        seal: expect.any(String),
      },
    ]);
  });

  it('counts the claim for calls in progress until they end, however long ago the run died', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(100, { ...REPORTED, claimed: 50, call: 50 });
    // A run that begins behind the others claims as much as their calls cost, before it looks at anything else.
    expect([two.lastCall(), one.spentByOthers(), two.spentByOthers()]).toEqual([50, 0, 150]);
    one.add(60, { ...REPORTED, claimed: 55 });
    expect(two.spentByOthers()).toBe(215);
    one.add(5, REPORTED);
    expect(two.spentByOthers()).toBe(165);
  });

  it('refuses amounts that are not whole numbers', () => {
    expect(() => ledger('one').add(0.5, REPORTED)).toThrow('0.5 is no whole number');
    expect(ledger('two').spentByOthers()).toBe(0);
  });

  it('returns the current spending of other runs', () => {
    const [one, two, three] = [ledger('one'), ledger('two'), ledger('three')];
    one.add(100, REPORTED);
    expect([one.spentByOthers(), two.spentByOthers()]).toEqual([0, 100]);
    two.add(20, REPORTED);
    one.add(-1, REPORTED);
    expect([one.spentByOthers(), two.spentByOthers(), three.spentByOthers()]).toEqual([20, 99, 119]);
  });

  it('is not created by reading it, and a link in its place is not used', () => {
    const one = ledger('one');
    expect(one.spentByOthers()).toBe(0);
    openContextDir(join(state, 'costs'), NAME).place(basename(file));
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
  ])('a new $period begins during a run', ({ period, to }) => {
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

  it('all days of a month are one period', () => {
    time = new Date(2026, 2, 1).getTime();
    ledger('one', 'month').add(100, REPORTED);
    time = beforeMidnight;
    expect(ledger('two', 'month').spentByOthers()).toBe(100);
    expect(ledger('two', 'day').spentByOthers()).toBe(0);
  });
});

describe('foreign content of the file', () => {
  it.each([
    { title: 'no JSON', line: () => 'nonsense' },
    { title: 'nothing', line: () => '' },
    { title: 'no object', line: () => 'null' },
    { title: 'another version', line: () => sealed({ v: 2, t: '2026-03-09T12:00:00.000Z', run: 'x', microUsd: 5 }) },
    { title: 'no time', line: () => sealed({ v: 1, t: 'soon', run: 'x', microUsd: 5 }) },
    { title: 'no run', line: () => sealed({ v: 1, t: '2026-03-09T12:00:00.000Z', microUsd: 5 }) },
    { title: 'a broken sum', line: () => sealed({ v: 1, t: '2026-03-09T12:00:00.000Z', run: 'x', microUsd: 0.5 }) },
    { title: 'a line that is far too long', line: () => `"${'x'.repeat(200_000)}"` },
  ])('$title is skipped', ({ line }) => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    appendFileSync(file, `${line()}\n`);
    one.add(2, REPORTED);
    expect(two.spentByOthers()).toBe(3);
  });

  it.each([
    { title: 'without a seal', line: (entry: object) => JSON.stringify(entry) },
    { title: 'sealed for another project', line: (entry: object) => sealed(entry, 'another') },
    {
      title: 'with another sum than the one that was sealed',
      line: (entry: object) => sealed(entry).replace('-900', '-90000'),
    },
  ])('an amount $title does not count', ({ line }) => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1_000, REPORTED);
    const t = new Date(time).toISOString();
    appendFileSync(file, `${line({ v: 1, t, run: 'x', microUsd: -900, claimed: 0, call: 0 })}\n`);
    expect(two.spentByOthers()).toBe(1_000);
  });

  it('a torn line does not affect the next one', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    appendFileSync(file, '{"v":1,"t":"2026-03');
    expect(two.spentByOthers()).toBe(1);
    one.add(2, REPORTED);
    expect(two.spentByOthers()).toBe(3);
  });

  it('a line counts once it is complete', () => {
    const [one, two] = [ledger('one'), ledger('two')];
    one.add(1, REPORTED);
    const line = readFileSync(file, 'utf8');
    appendFileSync(file, line.slice(0, 40));
    expect(two.spentByOthers()).toBe(1);
    appendFileSync(file, line.slice(40));
    expect(two.spentByOthers()).toBe(2);
  });
});

describe('a replaced file', () => {
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

/** Entries of another run until the file of that day has so many bytes. */
function fillTo(bytes: number, t: number): number {
  openContextDir(join(state, 'costs'), NAME).place(basename(fileOf(t)));
  const entry = {
    ...{ v: 1, t: new Date(t).toISOString(), run: 'old' },
    ...{ microUsd: 1, claimed: 0, call: 0 },
  };
  const line = `${sealed(entry)}\n`;
  const count = Math.ceil(bytes / line.length);
  appendFileSync(fileOf(t), line.repeat(count));
  return count;
}

const DAY_MS = 24 * 60 * 60 * 1000;

describe('a long ledger', () => {
  it('is read from the beginning of the period, however long the earlier part is', () => {
    const before = new Date(2026, 1, 27, 12).getTime();
    fillTo(1_000, before);
    truncateSync(fileOf(before), 2 ** 40);
    const month = fillTo(1_000, time - 3 * DAY_MS);
    const day = fillTo(2_000, time);
    expect([ledger('one').spentByOthers(), ledger('two', 'month').spentByOthers()]).toEqual([day, month + day]);
  });

  it('is refused if reading one period would take too long', () => {
    const one = ledger('one');
    fillTo(65 * 1024 * 1024, time);
    expect(() => one.spentByOthers()).toThrow(/more than 64 MiB of one day or month: move it away, or set no limit/);
  });

  it('keeps the newest days, and all foreign files', () => {
    const days = Array.from({ length: 64 }, (_, at) => time - (at + 1) * DAY_MS);
    for (const day of days) fillTo(1_000, day);
    const foreign = join(folder, 'notes-2020-01-01.ndjson');
    writeFileSync(foreign, 'theirs');
    ledger('one').add(1, REPORTED);
    const kept = [time, ...days.slice(0, 61)].map(fileOf);
    expect(readdirSync(folder).sort()).toEqual([...kept, foreign].map((path) => basename(path)).sort());
  });

  it('stays while the clock is years ahead', () => {
    ledger('one').add(700, REPORTED);
    time += 3 * 365 * DAY_MS;
    ledger('two').add(1, REPORTED);
    time -= 3 * 365 * DAY_MS;
    expect(ledger('three').spentByOthers()).toBe(701);
  });
});

describe('many concurrent runs', () => {
  const RUNS = [1, 2, 3, 4];
  const ADDITIONS = 250;
  let bundles: string;
  let bundle: string;

  beforeAll(async () => {
    bundles = mkdtempSync(join(tmpdir(), 'ctxb-bundle-'));
    bundle = join(bundles, 'ledger.cjs');
    const contents = `export * from './ledgers/cost-ledger.ts';`;
    const stdin = { contents, resolveDir: STORE };
    await build({ stdin, outfile: bundle, bundle: true, platform: 'node', format: 'cjs', logLevel: 'warning' });
  });
  afterAll(() => rmSync(bundles, { recursive: true, force: true }));

  function start(additions: string): StoreProgram {
    const open = `const ledger = store.openCostLedger(${JSON.stringify({ state, project: PROJECT })}, { now: () => ${time}, runId: runId, period: 'day' });`;
    return startStoreProgram(bundle, `${open} let seen = 0, fell = false; ${additions}`);
  }

  /** Run k adds k again and again; what it sees of the others may only grow. */
  const adding = (k: number) => `for (let i = 0; i < ${ADDITIONS}; i++) {
      ledger.add(${k}, { claimed: 0, call: 0 });
      const now = ledger.spentByOthers();
      fell ||= now < seen;
      seen = now;
    }
    say(fell);
    process.stdin.once('data', () => say(ledger.spentByOthers()));`;

  it('lose nothing, mix nothing, and agree in the end', async () => {
    const programs = RUNS.map((k) => start(adding(k)));
    try {
      for (const program of programs) expect(await program.next()).toBe('false');
      const total = RUNS.reduce((sum, k) => sum + k * ADDITIONS, 0);
      expect(ledger('looks on').spentByOthers()).toBe(total);
      for (const [index, program] of programs.entries()) {
        program.child.stdin.write('\n');
        expect(await program.next()).toBe(String(total - (RUNS[index] ?? 0) * ADDITIONS));
      }
      expect(readFileSync(file, 'utf8').split('\n').filter(Boolean)).toHaveLength(RUNS.length * ADDITIONS);
    } finally {
      for (const program of programs) await program.kill();
    }
  });

  it('lose nothing when one of them is killed', async () => {
    const endless = start(`say('on'); for (;;) ledger.add(1_000_000, { claimed: 0, call: 0 });`);
    expect(await endless.next()).toBe('"on"');
    const one = ledger('one');
    for (let i = 0; i < 50; i++) one.add(1, REPORTED);
    await endless.kill();
    for (let i = 0; i < 50; i++) one.add(1, REPORTED);
    expect(ledger('looks on').spentByOthers() % 1_000_000).toBe(100);
  });
});
