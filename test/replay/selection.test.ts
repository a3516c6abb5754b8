import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isFresh } from '../../src/replay/sources.ts';
import { isActiveSince } from '../../src/replay/summary.ts';
import { summaryOf } from '../support/session-summary.ts';

it.each([
  { name: 'any time', since: undefined, last: 2_000, isActive: true },
  { name: 'the moment of its last line', since: 2_000, last: 2_000, isActive: true },
  { name: 'a moment later', since: 2_001, last: 2_000, isActive: false },
  { name: 'a later time, but the recording has no times', since: 2_001, last: null, isActive: true },
])('a session is active since $name: $isActive', ({ since, last, isActive }) => {
  expect(isActiveSince(summaryOf({ time: { first: null, last } }), since)).toBe(isActive);
});

it("a file written before is not fresh, unless a subagent's log is", () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-filters-'));
  try {
    const [old, young] = ['old', 'young'].map((name) => join(folder, name));
    if (old === undefined || young === undefined) throw new Error('unreachable');
    writeFileSync(old, '');
    writeFileSync(young, '');
    utimesSync(old, 1_000, 1_000);
    utimesSync(young, 3_000, 3_000);
    const since = 2_000_000;
    expect(isFresh({ file: old, subagents: [] }, since)).toBe(false);
    expect(isFresh({ file: old, subagents: [young] }, since)).toBe(true);
    expect(isFresh({ file: young, subagents: [old] }, since)).toBe(true);
    expect(isFresh({ file: old, subagents: [] }, undefined)).toBe(true);
    expect(isFresh({ file: '-', subagents: [] }, since)).toBe(true);
    // What cannot be looked at is said when it is read.
    expect(isFresh({ file: join(folder, 'gone'), subagents: [] }, since)).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
