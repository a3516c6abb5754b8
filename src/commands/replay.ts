import { resolve } from 'node:path';
import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { type ReplayOptions, replaySource } from '../replay/replay.ts';
import { findSources, type Source } from '../replay/sources.ts';
import type { ReplayReport, SessionSummary } from '../replay/summary.ts';
import { createPageData } from '../report/replay-html/page-data.ts';
import { printable, styleFor } from '../report/style.ts';
import { summaryText } from '../report/summary-text.ts';
import { redact } from '../store/redact.ts';
import { writeReplayPage } from './replay-page.ts';

interface ReplayFlags {
  readonly json?: true;
  readonly series?: true;
  readonly html?: string;
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .argument('[files...]', 'recordings or folders of them; - or nothing is stdin')
    .option('--json', 'print the summary as JSON')
    .option('--series', 'with --json: one entry for each main-thread call')
    .option('--html <file>', 'write a page with charts and tables to this file')
    .option('--window <tokens>', 'size of the context window (default: what the recording says)')
    .option('--warn-at <threshold>', 'judge with this warning level (0.7, 70% or tokens)')
    .option('--compact-at <threshold>', 'judge with this compaction level')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: ReplayFlags) => finish(await replay(files, flags, io)));
}

const EXAMPLES = `
Examples:
  ctxb replay ~/.claude/projects
  ctxb replay --json session.jsonl
  claude -p "hello" --output-format stream-json --verbose | ctxb replay`;

const EXIT_UNREADABLE = 2;

async function replay(files: readonly string[], flags: ReplayFlags, io: Io): Promise<number> {
  const config = await effectiveConfig({
    cwd: io.cwd,
    env: io.env,
    flags: {
      window: flags.window,
      'thresholds.warn': flags.warnAt,
      'thresholds.compact': flags.compactAt,
    },
  });
  const options: ReplayOptions = {
    policy: config,
    series: flags.series === true || flags.html !== undefined,
    stdin: io.stdin,
    mask: redact,
  };
  const { sessions, faults } = await replayAll(files.length === 0 ? ['-'] : files, options);
  for (const fault of faults) io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  const report: ReplayReport = { version: 1, sessions };
  if (flags.html !== undefined) {
    const page = createPageData({ policy: config });
    for (const session of sessions) page.add(session);
    writeReplayPage(resolve(io.cwd, flags.html), page.data());
  }
  if (flags.json) io.stdout.write(`${JSON.stringify(flags.series ? report : withoutSeries(report), null, 2)}\n`);
  else if (flags.html === undefined) io.stdout.write(summaryText(report, await styleFor(io.stdout, io.env)));
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

/** Only the page has needed it. */
function withoutSeries({ version, sessions }: ReplayReport): ReplayReport {
  return { version, sessions: sessions.map(({ series: _, prompts: __, results: ___, ...session }) => session) };
}

/** What cannot be read is named; the rest still runs. */
async function replayAll(paths: readonly string[], options: ReplayOptions) {
  const sessions: SessionSummary[] = [];
  const faults: CtxbError[] = [];
  const collect = async <T>(work: () => T | Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CtxbError)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  const sources: Source[] = [];
  for (const path of paths) sources.push(...((await collect(() => findSources(path))) ?? []));
  for (const source of sources) {
    const summary = await collect(() => replaySource(source, options));
    if (summary) sessions.push(summary);
  }
  return { sessions, faults };
}
