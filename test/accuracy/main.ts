import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { callsAsStream } from './as-stream.ts';
import { compareCopies, compareSessions } from './compare.ts';
import { errorsOf, quantilesOf } from './errors.ts';
import { fetchSample, placeOf } from './sample.ts';

/** Where what was fetched stays, half a gigabyte. */
const FOLDER = join(process.cwd(), 'node_modules', '.cache', 'ctxb-accuracy');

/** Oldest version of each group, newest first. */
const GROUPS = [
  { name: '2.1.199 and later', from: [2, 1, 199] },
  { name: '2.1.100 to 2.1.198', from: [2, 1, 100] },
  { name: '2.1.60 to 2.1.99', from: [2, 1, 60] },
  { name: '2.1.30 to 2.1.59', from: [2, 1, 30] },
  { name: '2.1.0 to 2.1.29', from: [2, 1, 0] },
  { name: 'before 2.1', from: [0, 0, 0] },
] as const;

const sources = fetchSample(FOLDER, 'sample.txt');
/** Apart from the others, which ccusage sums up. */
const COPIES = join(FOLDER, 'copies');
const repeating = fetchSample(COPIES, 'copies.txt');
const faults = [...sources, ...repeating].flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
if (faults.length > 0) {
  console.error(`npm run accuracy: SKIPPED, nothing was measured: the sample cannot be fetched.\n${faults.join('\n')}`);
} else {
  const files = filesOf(FOLDER, sources);
  const { sessions } = replayed(files, '--series');
  printGroups('Claude Code, from its logs', sessions);
  const streamed = sessions.map((session) => ({ ...session, series: callsAsStream(session.file) }));
  printGroups('from what a run sees', streamed);
  compareSessions(sessions, FOLDER);
  const all = [...files, ...filesOf(COPIES, repeating)];
  compareCopies(replayed(all).totals, all);
}

function filesOf(folder: string, fetched: typeof sources): string[] {
  return fetched.flatMap((source) => source.files.map(({ hash }) => placeOf(folder, hash)));
}

function replayed(files: readonly string[], ...flags: readonly string[]): ReplayReport {
  const out = join(FOLDER, 'report.json');
  mkdirSync(FOLDER, { recursive: true });
  const descriptor = openSync(out, 'w');
  const args = ['dist/ctxb.cjs', 'replay', '--json', '--no-cache', ...flags, ...files];
  const env = { PATH: process.env.PATH, HOME: FOLDER };
  const { status } = spawnSync(process.execPath, args, { env, stdio: ['ignore', descriptor, 'inherit'] });
  closeSync(descriptor);
  if (status !== 0) throw new Error(`ctxb replay ended with ${status}`);
  return JSON.parse(readFileSync(out, 'utf8')) as ReplayReport;
}

function printGroups(title: string, sessions: readonly ReplayReport['sessions'][number][]): void {
  const groups = GROUPS.map(({ name }) => ({ name, of: sessions.filter((session) => groupOf(session) === name) }));
  const rows = [...groups, { name: 'all', of: sessions }].map(({ name, of }) => {
    const errors = of.flatMap(({ series = [] }) => errorsOf(series));
    return [name, counted(of.length), counted(errors.length), ...quantilesOf(errors).map(percent)];
  });
  print([title, 'sessions', 'calls', 'median', 'p90', 'p99'], rows);
}

function groupOf({ claudeCodeVersion }: ReplayReport['sessions'][number]): string | undefined {
  const version = (claudeCodeVersion ?? '').split('.').map(Number);
  return GROUPS.find(({ from }) => !isBefore(version, from))?.name;
}

function isBefore(version: readonly number[], from: readonly number[]): boolean {
  const at = from.findIndex((part, index) => part !== (version[index] ?? 0));
  return at >= 0 && (version[at] ?? 0) < (from[at] ?? 0);
}

function percent(figure: number): string {
  return `${Number(figure.toPrecision(2))}%`;
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

function print(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  for (const row of [head, rule, ...rows]) console.log(`| ${row.join(' | ')} |`);
  console.log('');
}
