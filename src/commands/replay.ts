import { resolve } from 'node:path';
import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import type { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { findAllSources, replayAll } from '../replay/replay-all.ts';
import { withoutSeries } from '../replay/summary.ts';
import { chosenFormat, FORMATS } from '../report/replay/formats.ts';
import { openPage } from '../report/replay/open-page.ts';
import type { PageOptions } from '../report/replay-html/page-data.ts';
import { printable } from '../report/style.ts';
import { createOutlet } from '../session/outlet.ts';
import { redact } from '../store/redact.ts';
import type { ReplayPage } from './replay-page.ts';

interface ReplayFlags extends Readonly<Record<string, unknown>> {
  readonly series?: true;
  readonly check?: true;
  readonly json?: true;
  readonly html?: string;
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command.argument('[files...]', 'recordings or folders of them; - or nothing is stdin');
  command.optionsGroup('Report, one of them (default: for a person):');
  for (const { name, about } of FORMATS) command.option(`--${name}`, about);
  command.option('--html <file>', 'besides, write a page with charts and tables to this file');
  command.optionsGroup('What is in it:').option('--series', 'with --json: one entry for each main-thread call');
  command
    .optionsGroup('How it is judged:')
    .option('--check', 'hold the actions of a record of ctxb run against what it decides now')
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
  claude -p "hello" --output-format stream-json --verbose | ctxb replay
  ctxb replay --check run.ndjson`;

const EXIT_UNREADABLE = 2;

async function replay(named: readonly string[], flags: ReplayFlags, io: Io): Promise<number> {
  const files = named.length === 0 ? ['-'] : named;
  const format = chosenFormat(flags);
  const policy = await effectiveConfig({
    cwd: io.cwd,
    env: io.env,
    flags: { window: flags.window, 'thresholds.warn': flags.warnAt, 'thresholds.compact': flags.compactAt },
  });
  if (flags.check) {
    const { checkRecords } = await import('./replay-check.ts');
    return checkRecords(files, flags, policy, io);
  }
  const { sources, faults } = findAllSources(files);
  const report = (await format.load())(await openPage(io, policy));
  const isDetailed = flags.series === true || format.needsSeries;
  const page = flags.html === undefined ? undefined : await openReplayPage(resolve(io.cwd, flags.html), { policy });
  const outlet = createOutlet(
    io.stdout,
    () => {},
    () => {},
  );
  const say = (fault: CtxbError) => io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  faults.forEach(say);
  const series = isDetailed || page !== undefined;
  for await (const judged of replayAll(sources, { policy, series, stdin: io.stdin, mask: redact })) {
    if ('fault' in judged) {
      faults.push(judged.fault);
      say(judged.fault);
    } else {
      page?.session(judged.found);
      outlet.write(report.session(isDetailed ? judged.found : withoutSeries(judged.found)));
    }
    await new Promise<void>((resume) => outlet.whenDrained(resume));
    if (outlet.isGone && page === undefined) break;
  }
  outlet.write(report.end());
  page?.write();
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}

async function openReplayPage(path: string, options: PageOptions): Promise<ReplayPage> {
  const { createReplayPage } = await import('./replay-page.ts');
  return createReplayPage(path, options);
}
