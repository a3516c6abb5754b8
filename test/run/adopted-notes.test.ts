import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { readClaudeArguments } from '../../src/claude/claude-arguments.ts';
import { projectLogs } from '../../src/claude/claude-folders.ts';
import { DEFAULTS } from '../../src/config/defaults.ts';
import type { Input } from '../../src/core/governor/input.ts';
import type { Entry } from '../../src/core/memory/entry.ts';
import { createExtractor } from '../../src/core/memory/extract/extract.ts';
import { createEntryMaker } from '../../src/core/memory/make-entry.ts';
import { decodeLine } from '../../src/core/protocol/decode.ts';
import type { Io } from '../../src/io.ts';
import { adoptNotes } from '../../src/run/adopted-notes.ts';
import type { HeadlessRun } from '../../src/run/headless-run.ts';
import { masked } from '../../src/store/masks/disk-text.ts';
import { openSessionFolder } from '../../src/store/sessions/sessions.ts';
import { createRandom, type Random } from '../support/random.ts';
import { sized } from '../support/size.ts';

type Row = Readonly<Record<string, unknown>>;

const [PARENT, OTHER, FORK] = ['11111111-aaaa-4bbb-8ccc-1d1d1d1d1d1d', '22222222-aaaa-4bbb-8ccc-2d', 'fork-1'] as const;
const SECOND = '22222222-aaaa-4bbb-8ccc-2d2d2d2d2d2d';
const TOKEN = `ghp_${'a1B2'.repeat(9)}`;

let cwd: string;
let io: Io;

beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxb-adopt-'));
  io = { env: { CLAUDE_CONFIG_DIR: join(cwd, 'claude') }, cwd } as unknown as Io;
  mkdirSync(projectLogs(io), { recursive: true });
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

let second = 0;
function row(fields: Row): Row {
  const timestamp = new Date(Date.parse('2026-11-01T00:00:00Z') + ++second * 1000).toISOString();
  return { uuid: `row-${second}`, timestamp, isSidechain: false, ...fields };
}
const said = (text: string, more: Row = {}) => row({ type: 'user', message: { role: 'user', content: text }, ...more });
const ran = (id: string, command: string, out = 'out'): Row[] => [
  row({
    type: 'assistant',
    message: {
      id: `msg-${id}`,
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Bash', input: { command } }],
    },
  }),
  row({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: out, is_error: false }] },
  }),
];

function log(session: string, rows: readonly Row[], changed = new Date()): void {
  const path = join(projectLogs(io), `${session}.jsonl`);
  writeFileSync(path, rows.map((each) => `${JSON.stringify({ ...each, sessionId: session })}\n`).join(''));
  utimesSync(path, changed, changed);
}

function note(session: string, texts: readonly string[], t = 1): void {
  noteAll(
    session,
    texts.map((text) => ({ kind: 'prompt', t, text, pictures: 0 })),
  );
}

function noteAll(session: string, entries: readonly Entry[]): void {
  const who = { pid: process.pid, runId: 'run-0001', now: Date.now };
  const folder = openSessionFolder(join(cwd, '.context'), session, who);
  const lines = entries.map((entry) => `${JSON.stringify({ v: 1, ...entry })}\n`);
  folder.append('memory.ndjson', masked(lines.join('')));
  folder.close();
}

const faults: string[] = [];

function adopted(session: string, ...words: readonly string[]): readonly string[] {
  return adoptedBy(words).entries(session, false).map(sketch);
}

function adoptedBy(words: readonly string[]) {
  const invocation = readClaudeArguments(['-p', 'x', ...words]);
  const headless = { invocation, config: DEFAULTS } as unknown as HeadlessRun;
  return adoptNotes(headless, io, (text) => faults.push(text));
}

function sketch(entry: Entry): string {
  if (entry.kind === 'tool') return `ran ${entry.command?.text}`;
  return entry.kind === 'prompt' ? entry.text : entry.kind;
}

const HISTORY = () => [said('One. Never touch port 8080.'), ...ran('t1', 'npm test'), said('Two.')];
const NOTED = ['One. Never touch port 8080.', 'ran npm test', 'Two.'];

it.each([
  { name: '--resume', words: ['--resume', PARENT], session: PARENT },
  { name: '--continue', words: ['--continue'], session: PARENT },
  { name: 'a fork', words: ['--resume', PARENT, '--fork-session'], session: FORK },
  { name: 'a fork of the newest', words: ['--continue', '--fork-session'], session: FORK },
  { name: 'a fork of one that a title names', words: ['--resume', 'my work', '--fork-session'], session: PARENT },
])('$name: the notes include everything from the beginning', ({ words, session }) => {
  log(PARENT, HISTORY());
  log(OTHER, [said('Another one.')], new Date(0));
  expect(adopted(session, ...words)).toEqual(NOTED);
});

it.each<{ name: string; session: string; rows: () => readonly Row[]; forked: readonly string[] }>([
  { name: 'nothing was said in', session: SECOND, rows: () => [row({ type: 'queue-operation' })], forked: NOTED },
  { name: 'is a subagent’s', session: SECOND, rows: () => [said('Look.', { isSidechain: true })], forked: NOTED },
  { name: 'has another name', session: OTHER, rows: () => [said('Other.')], forked: NOTED },
  { name: 'is empty', session: SECOND, rows: () => [], forked: [] },
  { name: 'is newer', session: SECOND, rows: () => [said('Other.')], forked: ['Other.'] },
])('a fork of the newest session, beside a log that $name', ({ session, rows, forked }) => {
  log(PARENT, HISTORY(), new Date(Date.now() - 10_000));
  log(session, rows());
  expect(adopted(FORK, '--continue', '--fork-session')).toEqual(forked);
});

it('a fork starts without notes if its parent session is uncertain', () => {
  log(PARENT, HISTORY(), new Date(Date.now() - 10_000));
  const notes = adoptedBy(['--continue', '--fork-session']);
  log(SECOND, [said('Other.')]);
  expect(notes.entries(FORK, false)).toEqual([]);
});

it('a session without a log gets no notes', () => {
  expect(adopted(PARENT, '--resume', PARENT)).toEqual([]);
  expect(adopted(FORK, '--continue', '--fork-session')).toEqual([]);
});

it('a fork starts with the notes of its parent up to the time of the fork', () => {
  log(PARENT, HISTORY());
  note(PARENT, ['Noted.'], Date.now() - 1000);
  note(PARENT, ['Said later.'], Date.now() + 60_000);
  expect(adopted(FORK, '--resume', PARENT, '--fork-session')).toEqual(['Noted.']);
});

it.each([
  { name: 'what was said since the run began', rows: () => [said('New.', { timestamp: new Date(Date.now() + 1000) })] },
  {
    name: 'a subagent’s prompt',
    rows: () => [said('Look.', { isSidechain: true, agentId: 'a1' })],
  },
  { name: 'what ctxb has said', rows: () => [said('[ctxb] Go on.', { uuid: 'ad3e9a99-718c-4f1b-8d2b-000000000007' })] },
  {
    name: 'what claude has said',
    rows: () => [said('Caveat.', { isMeta: true }), said('<command-name>/x</command-name>')],
  },
  { name: 'a torn line', rows: () => [] },
])('not the user’s: $name', ({ rows }) => {
  log(PARENT, [...HISTORY(), ...rows()]);
  expect(adopted(PARENT, '--resume', PARENT)).toEqual(NOTED);
});

it('prompts kept by a compaction are noted once, and a summary is not a prompt', () => {
  const [one, ...others] = HISTORY();
  const boundary = row({
    type: 'system',
    subtype: 'compact_boundary',
    compactMetadata: { trigger: 'manual', preTokens: 9 },
  });
  const { timestamp } = boundary;
  const kept = [
    said('This session is being continued from a previous conversation.', { isCompactSummary: true, timestamp }),
    said('One. Never touch port 8080.', { uuid: 'again', timestamp: one?.timestamp }),
    said('[ctxb] Done here, one line a step:', { uuid: 'lines', timestamp }),
    ...ran('t1', 'npm test').map((each) => ({ ...each, timestamp })),
  ];
  log(PARENT, [one ?? {}, ...others, boundary, ...kept, said('Three.')]);
  expect(adopted(PARENT, '--resume', PARENT)).toEqual([...NOTED, 'state', 'Three.']);
});

it('a session that is resumed at a message ends there, whatever its notes contain', () => {
  const rows = HISTORY();
  log(PARENT, [...rows, said('Taken back.')]);
  note(PARENT, ['Taken back.']);
  const words = ['--resume', PARENT, '--fork-session', '--resume-session-at', String(rows.at(-1)?.uuid)];
  expect(adopted(FORK, ...words)).toEqual(NOTED);
});

it('secrets are masked', () => {
  log(PARENT, [said(`Push with ${TOKEN}.`)]);
  expect(adopted(PARENT, '--continue')).toEqual(['Push with [masked: GitHub token].']);
});

it('of a long log, all prompts are noted, but only the newest calls', () => {
  const out = 'word '.repeat(200_000);
  const many = Array.from({ length: 12 }, (_, at) => ran(`u${at}`, `echo ${at}`, out)).flat();
  log(PARENT, [...HISTORY(), ...many, said('Three.')]);
  const all = adopted(PARENT, '--resume', PARENT);
  expect(all.slice(0, 2)).toEqual(['One. Never touch port 8080.', 'Two.']);
  expect(all.slice(-2)).toEqual(['ran echo 11', 'Three.']);
  expect(all).not.toContain('ran echo 2');
  expect(all.length).toBeLessThan(12);
});

it('an unreadable log is a fault, and the run continues', () => {
  mkdirSync(join(cwd, '.context'), { recursive: true });
  writeFileSync(join(cwd, '.context', 'sessions'), 'foreign');
  rmSync(projectLogs(io), { recursive: true });
  mkdirSync(join(projectLogs(io), `${PARENT}.jsonl`), { recursive: true });
  expect(adopted(PARENT, '--resume', PARENT)).toEqual([]);
});

it('a session with notes adds the work that was done without ctxb since', () => {
  const begun = said('One.');
  log(PARENT, [begun, ...ran('t1', 'npm test'), said('Two.'), ...ran('t2', 'make')]);
  note(PARENT, ['One.'], Date.parse(String(begun.timestamp)) - 50);
  const resumed = adoptedBy(['--resume', PARENT]);
  expect(resumed.entries(PARENT, true).map(sketch)).toEqual(['ran npm test', 'Two.', 'ran make']);
  expect(adopted(FORK, '--resume', PARENT, '--fork-session')).toEqual(['One.', 'ran npm test', 'Two.', 'ran make']);
  expect(adoptedBy(['--resume', PARENT, '--resume-session-at', String(begun.uuid)]).entries(PARENT, true)).toEqual([]);
});

it.each(Array.from({ length: sized(40, 400) }, (_, seed) => seed))(
  'runs with and without ctxb, in any order, leave the notes of one run (seed %i)',
  (seed) => {
    const random = createRandom(seed);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const all: Row[] = [];
      const expected: string[] = [];
      const notes: Entry[] = [];
      for (let run = 0; run < 6; run++) {
        const before = all.length;
        for (let turn = 0; turn <= random.whole(0, 2); turn++) all.push(...turnOf(random, `${run}-${turn}`, expected));
        vi.setSystemTime(Date.parse(String(all[before]?.timestamp)) - 500);
        log(PARENT, all);
        if (run < 5 && random.chance(0.5)) continue;
        const entries = [...adoptedBy(['--resume', PARENT]).entries(PARENT, notes.length > 0)];
        entries.push(...noted(all.slice(before)));
        noteAll(PARENT, entries);
        notes.push(...entries);
      }
      expect(notes.map(sketch)).toEqual(expected);
    } finally {
      vi.useRealTimers();
    }
  },
);

/** A turn's rows of the log; what it adds to the notes is added to `expected`. */
function turnOf(random: Random, name: string, expected: string[]): Row[] {
  const text = random.pick(['Go on.', 'And again.', `Do ${name}.`]);
  const calls = Array.from({ length: random.whole(0, 2) }, (_, at) => `${name}-${at}`);
  expected.push(text, ...calls.map((id) => `ran echo ${id}`));
  return [said(text), ...calls.flatMap((id) => ran(id, `echo ${id}`))];
}

/** What a run notes of the turns in these rows: prompts as they are sent, a moment before they are in the log. */
function noted(rows: readonly Row[]): Entry[] {
  const extractor = createExtractor({ live: true });
  const entryOf = createEntryMaker((text) => [text].flat().join('\n'));
  return rows.flatMap((row) => {
    const event = decodeLine(JSON.stringify(row));
    const t = Date.parse(String(row.timestamp)) - 50;
    const isSaid = event.kind === 'user' && event.role === 'prompt';
    const sent = isSaid && { ...event, timestamp: undefined };
    const input: Input = sent ? { t, from: 'caller', event: sent, line: '' } : { t, from: 'claude', event };
    return extractor.add(input).map(entryOf);
  });
}
