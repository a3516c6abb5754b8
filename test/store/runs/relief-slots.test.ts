import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { processMark } from '../../../src/store/files/process-mark.ts';
import { createReliefSlots } from '../../../src/store/runs/relief-slots.ts';

let folder: string;
const faults: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ctxb-slots-'));
  faults.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const locks = () => readdirSync(join(folder, 'shared/reliefs')).filter((name) => name.startsWith('lock.'));

const slots = (runId: string, { atOnce = 2, lifeMs = 60_000 } = {}, place = folder) =>
  createReliefSlots(place || undefined, { runId, atOnce, lifeMs, onFault: (consequence) => faults.push(consequence) });

it('are as many as there may be reliefs at once, and free when they are left', () => {
  const [one, two, three] = ['one', 'two', 'three'].map((id) => slots(id));
  expect([one?.take(), two?.take(), three?.take()]).toEqual([true, true, false]);
  expect(locks()).toEqual(['lock.one', 'lock.two']);
  one?.leave();
  one?.leave();
  expect(three?.take()).toBe(true);
  expect(slots('four').take()).toBe(false);
  expect(slots('five', { atOnce: 3 }).take()).toBe(true);
  expect(locks()).toEqual(['lock.five', 'lock.three', 'lock.two']);
});

it('of a killed run is free again', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  slots('mine', { atOnce: 1 }).take();
  const holder = { ...processMark(other.pid ?? 0), runId: 'other', since: '2026-01-02T12:00:00.000Z' };
  writeFileSync(join(folder, 'shared/reliefs/lock.other'), JSON.stringify(holder));
  expect(slots('third').take()).toBe(false);
  other.kill('SIGKILL');
  await once(other, 'close');
  expect(slots('third').take()).toBe(true);
  expect(locks()).toEqual(['lock.mine', 'lock.third']);
});

it('is not kept for longer than its time', () => {
  const [stuck, next] = [slots('stuck', { atOnce: 1, lifeMs: 0 }), slots('next', { atOnce: 1 })];
  expect([stuck.take(), next.take()]).toEqual([true, true]);
  // It is the other one's by now.
  stuck.leave();
  expect(locks()).toEqual(['lock.next']);
});

it('is there for everybody where there is no folder for them', () => {
  const all = ['one', 'two', 'three'].map((id) => slots(id, {}, ''));
  expect(all.map((one) => one.take())).toEqual([true, true, true]);
  expect(faults).toEqual([]);
});

it.skipIf(process.getuid?.() === 0)('is there for everybody where the folder cannot be written, which is said', () => {
  chmodSync(folder, 0o500);
  const all = ['one', 'two', 'three'].map((id) => slots(id));
  expect(all.map((one) => one.take())).toEqual([true, true, true]);
  for (const one of all) one.leave();
  expect(faults[0]).toBe('reliefs are not kept apart from those of other runs');
});

it('is there for everybody where a file is in the place of the folder', () => {
  writeFileSync(join(folder, 'shared'), '');
  expect(slots('one', { atOnce: 1 }).take() && slots('two', { atOnce: 1 }).take()).toBe(true);
  expect(faults).toHaveLength(2);
});
