import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stepOutput } from '../../../src/flow/earlier-run.ts';
import { type FlowRunFiles, listFlowRuns, newFlowRun, openFlowRun } from '../../../src/store/runs/flow-run.ts';

/** Put together here so that no scanner finds a secret in this file. */
const SECRET = `ghp_${'q7Zt2Lw9Xb4Rk1Vd8Ns3Hf6Jm5Pc0GyQ7zT2lW9'.slice(0, 36)}`;
const MASKED = '[masked: GitHub token]';

let folder: string;
let faults: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-flow-run-'));
  faults = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const context = () => join(folder, '.context');
const open = (id: string): FlowRunFiles => openFlowRun(context(), id, (consequence) => void faults.push(consequence));

/** Files below a folder, by path. */
function filesIn(path: string): string[] {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** A run with one of every kind of file, each of which is to hold a secret. */
function writeAll(files: FlowRunFiles): void {
  files.writeRun({ version: 1, note: SECRET });
  files.write('one', 'pack.md', `do it with ${SECRET}`);
  files.write('one', 'output.md', `done with ${SECRET}`);
  files.writeJson('one', 'step.json', { error: `not with\n${SECRET}` });
  const stream = files.stream('one');
  stream(JSON.stringify({ type: 'result', result: SECRET }));
  files.writeJson('one', 'receipt.json', { step: 'one', warnings: [SECRET] });
}

it('masks everything, readable only by its owner', () => {
  const files = open('run');
  writeAll(files);
  const paths = filesIn(context()).filter((path) => !/(?:\.gitignore|CTXB\.TAG)$/.test(path));
  expect(paths.map((path) => path.slice(context().length + 1)).sort()).toEqual([
    'flows/run/one/output.md',
    'flows/run/one/pack.md',
    'flows/run/one/receipt.json',
    'flows/run/one/step.json',
    'flows/run/one/stream.ndjson',
    'flows/run/run.json',
  ]);
  for (const path of paths) {
    const text = readFileSync(path, 'utf8');
    expect(text).not.toContain(SECRET);
    expect(text).toContain(MASKED);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    if (path.endsWith('json')) expect(() => JSON.parse(text)).not.toThrow();
  }
  expect(statSync(files.folder).mode & 0o777).toBe(0o700);
  expect(faults).toEqual([]);
});

it('reads the files of an earlier process', () => {
  writeAll(open('run'));
  const files = open('run');
  expect(files.read('one', 'output.md')).toBe(`done with ${MASKED}`);
  expect(JSON.parse(files.readRun())).toEqual({ version: 1, note: MASKED });
  expect(files.read('two', 'output.md')).toBe('');
  expect(open('other').readRun()).toBe('');
});

it('locks a run until it is released', () => {
  const lock = open('run').lock();
  expect(() => open('run').lock()).toThrow(`run run is being resumed by process ${process.pid}: end that first`);
  expect(open('other').lock()).toBeDefined();
  lock.release();
  expect(open('run').lock()).toBeDefined();
});

it('gives every attempt a stream of its own, even after the torn line of a killed one', () => {
  const files = open('run');
  for (const line of ['{"half', '{"whole":1}']) {
    const stream = files.stream('one');
    stream(line);
  }
  expect(readdirSync(join(files.folder, 'one')).sort()).toEqual(['stream-2.ndjson', 'stream.ndjson']);
  expect(readFileSync(files.path('one', 'stream-2.ndjson'), 'utf8')).toBe('{"whole":1}\n');
});

it('reports an unwritable text, and keeps it in memory for the rest of the run', () => {
  const files = open('run');
  // A folder in the place of the file.
  mkdirSync(files.path('one', 'output.md'), { recursive: true });
  files.write('one', 'output.md', `said ${SECRET}`);
  expect(files.read('one', 'output.md')).toBe(`said ${MASKED}`);
  expect(faults).toEqual(['flows/run/one/output.md is not written, and only this run knows it']);
});

it('writes the output of a step before the step is done on disk', () => {
  const files = open('run');
  files.writeRun({});
  mkdirSync(files.path('one', 'output.md'), { recursive: true });
  files.write('one', 'output.md', 'said');
  files.writeJson('one', 'step.json', { status: 'done' });
  files.writeJson('two', 'step.json', { status: 'done' });
  expect(stepOutput(files, 'one')).toMatchObject({ ok: true, output: 'said' });
  expect(stepOutput(open('run'), 'two')?.ok).toBe(true);
  rmSync(files.path('one', 'output.md'), { recursive: true });
  expect(stepOutput(open('run'), 'one')).toBeUndefined();
  files.writeJson('one', 'receipt.json', {});
  expect(stepOutput(open('run'), 'one')).toMatchObject({ ok: true, output: 'said' });
});

it('reports a stream that cannot be opened, and continues the step', () => {
  const files = open('run');
  files.writeRun({});
  writeFileSync(join(files.folder, 'one'), 'in the way');
  const stream = files.stream('one');
  stream('a line');
  expect(faults).toEqual(['the stream of one is not kept']);
});

it('refuses a run that cannot be started', () => {
  writeFileSync(context(), 'in the way');
  expect(() => open('run').writeRun({})).toThrow('is a file, not a folder');
});

describe('ids of runs', () => {
  it('sort by time, even within a millisecond', () => {
    const ids = [0, 1, 999, 1_000, 3_600_000].map((ms) => newFlowRun('job', new Date(Date.UTC(2026, 0, 31) + ms)));
    expect(ids).toEqual([...ids].sort());
    expect(ids[2]).toMatch(/^20260131T000000999-[0-9a-f]{4}-job$/);
  });

  it('are listed newest first, for one flow only', () => {
    const at = (ms: number, flow: string) => newFlowRun(flow, new Date(Date.UTC(2026, 0, 31) + ms));
    const [first, second] = [at(0, 'job'), at(5, 'job')];
    for (const id of [second, first, at(9, 'other-job'), at(9, 'job-job'), 'notes']) open(id).writeRun({});
    expect(listFlowRuns(context(), 'job')).toEqual([second, first]);
    expect(listFlowRuns(join(folder, 'nowhere'), 'job')).toEqual([]);
  });
});
