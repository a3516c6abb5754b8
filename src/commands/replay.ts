import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { mergeAccuracy, NO_ACCURACY } from '../replay/accuracy/accuracy.ts';
import type { Explanation } from '../replay/explain/explanation.ts';
import { type ReplayOptions, replaySource } from '../replay/replay.ts';
import { findSources, type Source } from '../replay/sources.ts';
import type { ReplayReport, SessionSummary } from '../replay/summary.ts';
import { accuracyText } from '../report/accuracy-text.ts';
import { explanationText } from '../report/explain-text.ts';
import { printable, styleFor } from '../report/style.ts';
import { summaryText } from '../report/summary-text.ts';
import { redact } from '../store/redact.ts';

interface ReplayFlags {
  readonly json?: true;
  readonly series?: true;
  readonly accuracy?: true;
  readonly explain?: string;
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .argument('[files...]', 'recordings or folders of them; - or nothing is stdin')
    .option('--json', 'print the summary as JSON')
    .option('--series', 'with --json: one entry for each main-thread call')
    .option('--accuracy', 'how well the size of each next call was foreseen, by several estimators')
    .option('--explain <call>', 'where the figures of one call come from: its number, or the id of its message')
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
    series: flags.series === true,
    accuracy: flags.accuracy === true,
    explain: flags.explain,
    stdin: io.stdin,
    mask: redact,
  };
  const { sessions, faults } = await replayAll(files.length === 0 ? ['-'] : files, options);
  for (const fault of faults) io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  const report = reportOf(sessions, flags);
  if (flags.explain !== undefined && faults.length === 0) explanationIn(report, flags.explain);
  io.stdout.write(flags.json ? `${JSON.stringify(report, null, 2)}\n` : await textOf(report, flags, io));
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

function reportOf(sessions: readonly SessionSummary[], { accuracy }: ReplayFlags): ReplayReport {
  if (accuracy === undefined) return { version: 1, sessions };
  const found = sessions.flatMap((session) => (session.accuracy === undefined ? [] : [session.accuracy]));
  return { version: 1, sessions, accuracy: found.reduce(mergeAccuracy, NO_ACCURACY) };
}

async function textOf(report: ReplayReport, { explain }: ReplayFlags, { stdout, env }: Io): Promise<string> {
  const style = await styleFor(stdout, env);
  if (explain !== undefined) return explanationText(explanationIn(report, explain), style);
  return report.accuracy === undefined
    ? summaryText(report, style)
    : accuracyText(report.accuracy, report.sessions, style);
}

/** @throws CtxbError `usage` where there is no such call, or more than one recording */
function explanationIn({ sessions }: ReplayReport, call: string): Explanation {
  const [session, another] = sessions;
  if (session === undefined || another !== undefined) {
    throw new CtxbError('usage', `--explain takes one recording, not ${sessions.length}: name the one that is meant`);
  }
  if (!session.explanation) {
    throw new CtxbError(
      'usage',
      `${session.file}: no call ${call} in the main thread, which has ${session.calls}: give a number from 1 or a message id`,
    );
  }
  return session.explanation;
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
