import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Filters, matchesFilters } from '../../src/replay/selection.ts';
import { isFresh } from '../../src/replay/sources.ts';
import { summaryOf } from '../support/session-summary.ts';

const PROJECT = '/home/dev/api (v2)';
const SESSION = summaryOf({ project: PROJECT, model: 'claude-opus-4-5-20251101', time: { first: 1_000, last: 2_000 } });

it.each<{ name: string; filters: Filters; meant: boolean; session?: Partial<typeof SESSION> }>([
  { name: 'none', filters: {}, meant: true },
  { name: 'the moment of its last line', filters: { since: 2_000 }, meant: true },
  { name: 'a moment later', filters: { since: 2_001 }, meant: false },
  {
    name: 'no times',
    filters: { since: 2_001 },
    session: { time: { first: null, last: null } },
    meant: true,
  },
  { name: 'a part of the path', filters: { project: 'dev/api' }, meant: true },
  { name: 'signs of patterns are signs in a part', filters: { project: 'api (v2)' }, meant: true },
  { name: 'another path', filters: { project: 'dev/web' }, meant: false },
  {
    name: 'the file, where the folder is not known',
    filters: { project: 'sess' },
    session: { project: null },
    meant: true,
  },
  { name: 'a part of the model, in any case', filters: { model: 'Opus' }, meant: true },
  { name: 'another model', filters: { model: 'haiku' }, meant: false },
  { name: 'no model', filters: { model: 'opus' }, session: { model: null }, meant: false },
  { name: 'all of them', filters: { since: 1, project: 'api', model: 'opus' }, meant: true },
])('$name: $meant', ({ filters, session = {}, meant }) => {
  expect(matchesFilters({ ...SESSION, ...session }, filters)).toBe(meant);
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
