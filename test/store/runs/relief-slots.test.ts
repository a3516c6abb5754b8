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

const slots = ({ atOnce = 2, lifeMs = 60_000 } = {}, place = folder) =>
  createReliefSlots(place || undefined, { atOnce, lifeMs, onFault: (consequence) => faults.push(consequence) });

it('are as many as there may be reliefs at once, and free when they are left', () => {
  const [one, two, three] = [slots(), slots(), slots()];
  expect([one?.take(), two?.take(), three?.take()]).toEqual([true, true, false]);
  expect(locks()).toHaveLength(2);
  one?.leave();
  one?.leave();
  expect(three?.take()).toBe(true);
  expect(slots().take()).toBe(false);
  expect(slots({ atOnce: 3 }).take()).toBe(true);
  expect(locks()).toHaveLength(3);
});

it('of a killed run is free again', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await once(other, 'spawn');
  slots({ atOnce: 1 }).take();
  const holder = { ...processMark(other.pid ?? 0), runId: 'other', since: '2026-01-02T12:00:00.000Z' };
  writeFileSync(join(folder, 'shared/reliefs/lock.other'), JSON.stringify(holder));
  expect(slots().take()).toBe(false);
  other.kill('SIGKILL');
  await once(other, 'close');
  expect(slots().take()).toBe(true);
  expect(locks()).toHaveLength(2);
  expect(locks()).not.toContain('lock.other');
});

it('is not kept for longer than its time', () => {
  const [stuck, next] = [slots({ atOnce: 1, lifeMs: 0 }), slots({ atOnce: 1 })];
  expect([stuck.take(), next.take()]).toEqual([true, true]);
  // It is the other one's by now.
  stuck.leave();
  expect(locks()).toHaveLength(1);
});

it('is there for everybody where there is no folder for them', () => {
  const all = [slots({}, ''), slots({}, ''), slots({}, '')];
  expect(all.map((one) => one.take())).toEqual([true, true, true]);
  expect(faults).toEqual([]);
});

it.skipIf(process.getuid?.() === 0)('is there for everybody where the folder cannot be written, which is said', () => {
  chmodSync(folder, 0o500);
  const all = [slots(), slots(), slots()];
  expect(all.map((one) => one.take())).toEqual([true, true, true]);
  for (const one of all) one.leave();
  expect(faults[0]).toBe('reliefs are not kept apart from those of other runs');
});

it('is there for everybody where a file is in the place of the folder', () => {
  writeFileSync(join(folder, 'shared'), '');
  expect(slots({ atOnce: 1 }).take() && slots({ atOnce: 1 }).take()).toBe(true);
  expect(faults).toHaveLength(2);
});
