import { resolve } from 'node:path';
import { requireValid } from '../config/config.ts';
import { resolveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import { createHealthReader } from '../health/health-report.ts';
import type { Io } from '../io.ts';
import { counted } from '../report/figures.ts';
import { healthTable } from '../report/health-table.ts';
import { onOneLine, tell } from '../report/printable.ts';
import { isTorn, readLines } from '../store/files/read-lines.ts';
import { findHealthLogs } from '../store/ledgers/health-log.ts';
import { type CommonFlags, type Define, printResult } from './command.ts';

export const define: Define = (command, connect) =>
  connect(
    command
      .argument(
        '[folders...]',
        'projects, their .context folders, or folders of projects (default: the working folder)',
      )
      .option('--json', 'as JSON')
      .option('--context-dir <folder>', 'where the records of a project are'),
    health,
  );

export const HELP = `
A folder without records of its own stands for the projects directly in it.

Examples:
  ctxb health
  ctxb health ~/projects
  ctxb health --json api web`;

const EXIT_UNREADABLE = 2;

async function health(folders: readonly string[], flags: CommonFlags, io: Io): Promise<number> {
  const named = folders.length === 0 ? ['.'] : folders;
  const { report, notes, faults } = await readAll(named, flags.contextDir, io);
  for (const { file, records, unreadable } of report.files) {
    const name = onOneLine(file);
    if (records === 0) faults.push(`${name}: no line is a health record: name a project, or its .context folder`);
    else if (unreadable > 0) notes.push(`${name}: ${counted(unreadable, 'line')} could not be read and did not count`);
  }
  for (const text of [...faults, ...notes]) tell(io, text);
  await printResult(report, flags, io, healthTable);
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

/** Reads each log once; reports unreadable ones. */
async function readAll(folders: readonly string[], contextDir: string | undefined, io: Io) {
  const reader = createHealthReader();
  const [logs, notes, faults] = [new Set<string>(), [] as string[], [] as string[]];
  const attempt = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof CtxbError)) throw error;
      faults.push(error.message);
    }
  };
  for (const folder of folders) {
    await attempt(async () => {
      const path = resolve(io.cwd, folder);
      const found = await findHealthLogs(path, contextDirs(path, contextDir, io));
      if (found.length === 0) notes.push(`${onOneLine(folder)}: no health records: ctxb run writes them`);
      for (const log of found) logs.add(log);
    });
  }
  for (const file of logs) await attempt(() => reader.read(file, readLines(file), isTorn(file)));
  return { report: reader.report(), notes, faults };
}

/** Throws on an invalid configuration only for the named folder, not for the projects found in it. */
function contextDirs(named: string, contextDir: string | undefined, { env }: Io) {
  return async (cwd: string): Promise<string> => {
    const sources = { cwd, env, flags: { contextDir } };
    const resolved = await resolveConfig(sources);
    const { config } = cwd === named ? requireValid(resolved) : resolved;
    return resolve(cwd, config.contextDir);
  };
}
