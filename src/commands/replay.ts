import type { Command } from 'commander';
import { effectiveConfig } from '../config/effective-config.ts';
import type { Io } from '../io.ts';
import { eachSource } from '../replay/each-source.ts';
import { type ReplayOptions, replaySource } from '../replay/replay.ts';
import type { ReplayReport } from '../replay/summary.ts';
import { printable, styleFor } from '../report/style.ts';
import { summaryText } from '../report/summary-text.ts';
import { redact } from '../store/redact.ts';

interface ReplayFlags {
  readonly json?: true;
  readonly series?: true;
  readonly check?: true;
  readonly whatIf?: readonly string[];
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .argument('[files...]', 'recordings or folders of them; - or nothing is stdin')
    .option('--json', 'print the summary as JSON')
    .option('--series', 'with --json: one entry for each main-thread call')
    .option('--what-if <policy>', 'try another policy: a file, JSON, or grid for a set of them (repeatable)', gathered)
    .option('--check', 'hold the actions of a record of ctxb run against what it decides now')
    .option('--window <tokens>', 'size of the context window (default: what the recording says)')
    .option('--warn-at <threshold>', 'judge with this warning level (0.7, 70% or tokens)')
    .option('--compact-at <threshold>', 'judge with this compaction level')
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: ReplayFlags) => finish(await replay(files, flags, io)));
}

function gathered(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

const EXAMPLES = `
Examples:
  ctxb replay ~/.claude/projects
  ctxb replay --json session.jsonl
  claude -p "hello" --output-format stream-json --verbose | ctxb replay
  ctxb replay --what-if grid ~/.claude/projects
  ctxb replay --what-if '{"thresholds": {"compact": "60%"}}' --what-if handoff.json session.jsonl
  ctxb replay --check run.ndjson`;

const EXIT_UNREADABLE = 2;

async function replay(named: readonly string[], flags: ReplayFlags, io: Io): Promise<number> {
  const files = named.length === 0 ? ['-'] : named;
  const config = await effectiveConfig({
    cwd: io.cwd,
    env: io.env,
    flags: {
      window: flags.window,
      'thresholds.warn': flags.warnAt,
      'thresholds.compact': flags.compactAt,
    },
  });
  if (flags.check) {
    const { checkRecords } = await import('./replay-check.ts');
    return checkRecords(files, flags, config, io);
  }
  if (flags.whatIf) {
    const { replayWhatIf } = await import('./replay-what-if.ts');
    return replayWhatIf(files, { ...flags, whatIf: flags.whatIf }, config, io);
  }
  const options: ReplayOptions = { policy: config, series: flags.series === true, stdin: io.stdin, mask: redact };
  const { found: sessions, faults } = await eachSource(files, (source) => replaySource(source, options));
  for (const fault of faults) io.stderr.write(`ctxb: ${printable(fault.message)}\n`);
  const report: ReplayReport = { version: 1, sessions };
  io.stdout.write(
    flags.json ? `${JSON.stringify(report, null, 2)}\n` : summaryText(report, await styleFor(io.stdout, io.env)),
  );
  return faults.length > 0 ? EXIT_UNREADABLE : 0;
}
