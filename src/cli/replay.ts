import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, projectLogs } from '../claude/claude-folders.ts';
import { effectiveConfig } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { markCopies } from '../replay/copies.ts';
import { bytesOf, findAllSources } from '../replay/sources.ts';
import { isFull, type SessionFigures } from '../replay/summary.ts';
import { DAY_MS } from '../report/figures.ts';
import { tell } from '../report/printable.ts';
import { openPage } from '../report/replay/format.ts';
import { isGated } from '../report/replay/gates.ts';
import { bytesText, createProgress } from '../report/terminal/progress.ts';
import { redact } from '../store/masks/redact.ts';
import { type Define, isPiped, openStdin } from './command.ts';
import { openHtmlPage, printReport } from './print-report.ts';
import { findSessions, replaySources } from './replay-sources.ts';
import { addReportOptions, type ReplayFlags, type ReplayOptions, readFlags } from './report-options.ts';

export const define: Define = (command, connect) => {
  command.argument(
    '[files...]',
    'recordings or folders of them; - is stdin (default: piped stdin; at a terminal all logs of claude, else those of this project)',
  );
  addReportOptions(command);
  connect(
    command
      .optionsGroup('Analysis:')
      .option('--retention', 'show what each compaction and handoff kept')
      .option('--explain <call>', 'show the lines behind the figures of one call: its number, or the id of its message')
      .option('--what-if', 'estimate the cost with ctxb, as it is configured here (without files: the last 30 days)')
      .option('--window <tokens>', 'size of the context window (default: from the recording)')
      .option('--warn-at <threshold>', 'assume this level for the zone critical (0.7, 70% or tokens)')
      .option('--compact-at <when>', 'assume compactions at economic or at this level')
      .optionsGroup('More:')
      .option('--series', 'with --json: also an entry for each call of the main thread')
      .option('--no-cache', 'read all files again, even unchanged ones'),
    replay,
  );
};

export const HELP = `
Examples:
  ctxb replay
  ctxb replay --by day --since 30d ~/.claude/projects
  ctxb replay --detail session.jsonl
  ctxb replay --since 7d --fail-over 85% --max-unplanned 0 ~/.claude/projects
  claude -p "hello" --output-format stream-json --verbose | ctxb replay
  ctxb replay --what-if`;

async function replay(named: readonly string[], flags: ReplayFlags, io: Io): Promise<number> {
  const isBareWhatIf = flags.whatIf === true && named.length === 0 && !isPiped(io);
  const files = named.length === 0 ? [placeOf(io, isBareWhatIf)] : named;
  const readOptions = isBareWhatIf ? readMonthFlags : readFlags;
  const options = readOptions(flags, io.stdout.isTTY === true);
  const given = { window: flags.window, 'thresholds.warn': flags.warnAt, 'thresholds.compact': flags.compactAt };
  const policy = await effectiveConfig(io, given);
  const { sources, ...about } = findAllSources(files, options.since);
  const total = io.stderr.isTTY ? bytesOf(sources) : undefined;
  const text = (read: number, ms: number) => bytesText(read, total, ms);
  const progress = createProgress(io.stderr, text);
  const say = (message: string) => {
    progress.clear();
    tell(io, message);
  };
  const page = await openPage(io, policy, options);
  const writeHtml = await openHtmlPage(options, page, io, say);
  const attempts = replaySources(sources, {
    ...sessionOptions(options, sources.length),
    env: io.env,
    policy,
    stdin: openStdin(files, io),
    mask: redact,
    onBytes: io.stderr.isTTY ? progress.add : undefined,
  });
  const found = await findSessions(attempts, files, {
    ...about,
    since: options.since,
    mayBeEmpty: isGated(options),
    say,
  });
  if (flags.explain !== undefined) requireExplained(found.sessions, flags.explain);
  // Calls that occur in several sessions of the report are counted once.
  const sessions = markCopies(found.sessions);
  progress.clear();
  const filterText =
    isBareWhatIf && flags.since === undefined ? 'is of the last 30 days: --since 90d takes more' : undefined;
  return printReport({ ...found, sessions }, options, { io, page, writeHtml, filterText, say, clear: progress.clear });
}

/** Unless flags say otherwise, reports on the last month and only totals. */
function readMonthFlags(flags: ReplayFlags, isTerminal: boolean): ReplayOptions {
  const options = readFlags({ since: Date.now() - 30 * DAY_MS, ...flags }, isTerminal);
  return flags.limit === undefined ? { ...options, limit: 0 } : options;
}

function sessionOptions(
  { format, html, cache, series, whatIf, retention, explain }: ReplayOptions,
  recordings: number,
) {
  // Lists and totals need only a part of each recording. A single recording gets more rows than a session in a list.
  const isDetailed = format.name === 'text' && recordings === 1;
  return {
    cached: cache !== false,
    depth: isDetailed || html !== undefined || series ? 'full' : format.depth,
    series: format.needsSeries || (series ?? html) !== undefined,
    whatIf: whatIf === true,
    retention: (retention ?? html) !== undefined,
    explain,
  };
}

/**
 * The recordings to read by default. At a terminal, all of claude's logs; for cron and CI, this project's unless all
 * were requested.
 */
function placeOf(io: Io, isAll: boolean): string {
  if (isPiped(io)) return '-';
  const folder = io.stdin.isTTY || isAll ? join(configFolder(io), 'projects') : projectLogs(io);
  if (existsSync(folder)) return folder;
  throw new CtxbError(
    'unreadable-input',
    `claude has no logs here yet (${folder} does not exist): run claude first, or name recordings`,
  );
}

/**
 * Checks that the call to explain exists. @throws CtxbError `usage` when it does not, or when several recordings were
 * given
 */
function requireExplained(sessions: readonly SessionFigures[], call: string): void {
  for (const [at, { explanation, file, calls }] of sessions.filter(isFull).entries()) {
    if (at > 0) throw new CtxbError('usage', '--explain takes one recording: name only one');
    if (explanation) continue;
    throw new CtxbError(
      'usage',
      `${file}: no call ${call} in the main thread, which has ${calls}: give a number from 1 or a message id`,
    );
  }
}
