import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { runProgram } from '../support/claude.ts';
import { installCtxb } from '../support/ctxb.ts';
import { PAGES } from '../support/pages.ts';
import { fixture } from '../support/recordings.ts';
import { createPlace, ctxb, type Place } from './fakes.ts';

const PAGE = PAGES.get('docs/fleets.md')?.split('## Logs of many machines')[1] ?? '';
const [EXPORTS = ''] = blocks('sh');
const QUERIES = blocks('sql')
  .flatMap((sql) => sql.split(';'))
  .filter((sql) => sql.trim() !== '');

function blocks(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
}

const NAMES = ['crossing', 'exact', 'native-mid-turn', 'subagent', 'tool-turn'] as const;

/** A session log whose messages have ids of their own, as the API gives them. */
function logOf(name: string): string {
  return readFileSync(fixture(`${name}.session.jsonl`), 'utf8').replaceAll('msg_standin_', `msg_${name}_`);
}

const SUBAGENT = 'subagent.session/subagents/agent-a1207fa5aad315583.jsonl';

function writeLogs(folder: string, names: readonly string[]): void {
  mkdirSync(join(folder, SUBAGENT, '..'), { recursive: true });
  for (const name of names) writeFileSync(join(folder, `${name}.session.jsonl`), logOf(name));
  if (names.includes('subagent')) writeFileSync(join(folder, SUBAGENT), readFileSync(fixture(SUBAGENT)));
}

/** Exports the logs of one machine, as the page says. */
async function exportLogs(place: Place, machine: string, names: readonly string[]): Promise<void> {
  const home = place.path(machine);
  writeLogs(join(home, '.claude/projects/-project'), names);
  const env = { ...place.env, HOME: home, PATH: `${place.path('bin')}:${place.env.PATH}` };
  const shell = ['-ec', EXPORTS.replaceAll('$(hostname)', machine)];
  expect(await runProgram('/bin/sh', shell, { env, cwd: place.cwd })).toMatchObject({ code: 0, stderr: '' });
}

/** The rows of each query. */
async function queried(place: Place, ...queries: readonly string[]): Promise<Record<string, unknown>[][]> {
  const duckdb = fileURLToPath(new URL('../support/duckdb.mjs', import.meta.url));
  const { stdout, stderr } = await runProgram(process.execPath, [duckdb, ...queries], place);
  expect(stderr).toBe('');
  const lines = stdout.toString().trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>[]);
}

it('DuckDB computes from the exports of two machines the totals of a replay of all logs', async () => {
  await using place = await createPlace();
  mkdirSync(place.path('bin'));
  installCtxb(place.path('bin'));
  await exportLogs(place, 'one', NAMES.slice(0, 3));
  await exportLogs(place, 'two', NAMES.slice(2));
  writeLogs(place.path('all'), NAMES);
  const { stdout } = await ctxb(place, ['replay', '--json', 'all']);
  const { totals } = JSON.parse(stdout.toString()) as ReplayReport;
  expect(totals.calls).toBeGreaterThan(20);
  const [ofCalls, ofSessions, byProject = []] = await queried(place, ...QUERIES);
  const { calls, compactions, peakFraction, sessions, usd } = totals;
  const figures = (rows: typeof ofCalls) =>
    Object.fromEntries(Object.entries(rows?.[0] ?? {}).map(([name, figure]) => [name, Number(figure)]));
  expect(figures(ofCalls)).toEqual({ calls, compactions, peak: peakFraction });
  expect(figures(ofSessions)).toEqual({ sessions, usd: expect.closeTo(usd ?? Number.NaN, 9) });
  expect(byProject.map(({ project }) => project)).toEqual(['/home/dev/project', '/home/user/project']);
});
