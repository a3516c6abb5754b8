import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSeal } from '../../../src/store/runs/seal.ts';
import { createSessionStore, hasRunFile, readRunFile } from '../../../src/store/runs/session-store.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-store-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

function lines(file: string): unknown[] {
  return readFileSync(join(folder, '.context', file), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

it('writes entries with version and time, one per line', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 0, 2, 12) });
  const faults: string[] = [];
  const store = createSessionStore(join(folder, '.context'), 'r', (consequence, error) =>
    faults.push(`${consequence}: ${String(error)}`),
  );
  store.journal({ kind: 'start', text: 'two\nlines' });
  store.mailbox({ held: 'u' });
  store.mailbox({ delivered: 'u' });
  store.keep('prompts/u.md', ['text']);
  const stamp = { v: 1, t: '2026-01-02T12:00:00.000Z' };
  expect(lines('journal.ndjson')).toEqual([{ ...stamp, runId: 'r', kind: 'start', text: 'two\nlines' }]);
  expect(lines('mailbox.ndjson')).toEqual([
    { ...stamp, run: 'r', held: 'u' },
    { ...stamp, run: 'r', delivered: 'u' },
  ]);
  expect(readFileSync(join(folder, '.context/prompts/u.md'), 'utf8')).toBe('text');
  expect(faults).toEqual([]);
});

it('creates nothing before the first entry', () => {
  createSessionStore(join(folder, '.context'), 'r', () => {});
  expect(() => readFileSync(join(folder, '.context/.gitignore'))).toThrow('ENOENT');
});

it('writes down again what a resume needs if the folder is removed while the run continues, and says so once', () => {
  const path = join(folder, '.context');
  const seal = openSeal(join(folder, 'state'));
  const faults: string[] = [];
  const store = createSessionStore(path, 'r', (text) => faults.push(text), seal);
  store.run({ words: ['claude'], prompts: [{ uuid: 'one' }] });
  store.journal({ kind: 'start' });
  store.run({ spent: 1 });
  store.run({ spent: 2 });
  rmSync(path, { recursive: true });
  store.journal({ kind: 'limit' });
  store.run({ prompts: [{ uuid: 'two' }] });
  store.run({ spent: 3 });
  const kept = [...readRunFile(path, 'r', seal)].map((line) => JSON.parse(line));
  expect(kept.slice(0, 3)).toMatchObject([
    { prompts: [{ uuid: 'one' }] },
    { spent: 2 },
    { prompts: [{ uuid: 'two' }] },
  ]);
  expect(kept.at(-1)).toMatchObject({ spent: 3 });
  expect(lines('journal.ndjson')).toMatchObject([{ kind: 'limit' }, { kind: 'start' }]);
  expect(faults).toEqual(['the run is written down again']);
});

it('writes down again what a resume needs if the removal has taken only the first lines', () => {
  const path = join(folder, '.context');
  const seal = openSeal(join(folder, 'state'));
  const store = createSessionStore(path, 'r', () => {}, seal);
  store.run({ words: ['claude'], prompts: [{ uuid: 'one' }] });
  store.run({ spent: 1 });
  const file = join(path, 'runs/r.ndjson');
  writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)}\n`);
  store.run({ spent: 2 });
  const kept = [...readRunFile(path, 'r', seal)].map((line) => JSON.parse(line));
  expect(kept).toMatchObject([{ prompts: [{ uuid: 'one' }] }, { spent: 2 }]);
});

it('reports once that a run cannot be resumed, if its state cannot be sealed', () => {
  const faults: string[] = [];
  const onFault = (consequence: string) => faults.push(consequence);
  const path = join(folder, '.context');
  const store = createSessionStore(path, 'r', onFault, openSeal(undefined));
  store.run({ prompts: [] });
  store.journal({ kind: 'start' });
  store.journal({ kind: 'session', id: 's' });
  store.run({ spent: 1 });
  expect(faults).toEqual(['this run cannot be resumed']);
  expect(store.isWhole()).toBe(false);
  expect(hasRunFile(path, 'r')).toBe(false);
});

it('refuses a state file from which a line was removed', () => {
  const path = join(folder, '.context');
  const seal = openSeal(join(folder, 'state'));
  const store = createSessionStore(path, 'r', () => {}, seal);
  for (const uuid of ['one', 'two', 'three']) store.run({ prompts: [{ uuid }] });
  expect([...readRunFile(path, 'r', seal)]).toHaveLength(3);
  const file = join(path, 'runs/r.ndjson');
  const [first, , third] = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, `${first}\n${third}\n`);
  expect(() => [...readRunFile(path, 'r', seal)]).toThrow('removed lines');
});

it('removes the state of an ended run even after writes have failed', () => {
  const path = join(folder, '.context');
  const seal = openSeal(join(folder, 'state'));
  const store = createSessionStore(path, 'r', () => {}, seal);
  store.run({ prompts: [] });
  expect(hasRunFile(path, 'r')).toBe(true);
  mkdirSync(join(path, 'journal.ndjson'));
  store.journal({});
  store.forgetRun();
  expect(hasRunFile(path, 'r')).toBe(false);
});

it('reports a fault once and never throws', () => {
  writeFileSync(join(folder, '.context'), 'in the way');
  const faults: string[] = [];
  const store = createSessionStore(join(folder, '.context'), 'r', (consequence, error) =>
    faults.push(`${consequence}: ${String(error)}`),
  );
  store.journal({});
  store.mailbox({});
  store.keep('a', ['b']);
  expect(faults).toEqual([expect.stringContaining(`nothing more is written to ${join(folder, '.context')}`)]);
});
