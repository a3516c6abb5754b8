import type { Command } from 'commander';
import { DEFAULTS } from '../config/defaults.ts';
import type { Flags } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { runUntouched } from '../session/claude/child.ts';
import { readClaudeArguments } from '../session/claude/claude-arguments.ts';
import { runHeadless } from '../session/run-headless.ts';
import { prepareRun } from './prepare-run.ts';

/** Options of `ctxb run`, as commander hands them over. */
interface RunOptions {
  readonly prompt?: readonly string[];
  readonly prompts?: string;
  readonly task?: string;
  readonly state?: string;
  readonly window?: string;
  readonly warnAt?: string;
  readonly compactAt?: string;
  readonly handoffAt?: string;
  readonly midTurnAt?: string;
  readonly strategy?: string;
  readonly compactWhen?: string;
  readonly compaction?: boolean;
  readonly midTurn?: boolean;
  readonly handoff?: boolean;
  readonly onLargeTask?: string;
  readonly toolBudgets?: string;
  readonly costLimit?: string;
  readonly projectCostLimit?: string;
  readonly onCostLimit?: string;
  readonly expiredCacheNotice?: string;
  readonly recovery?: boolean;
  readonly resumeRun?: string | true;
  readonly memory?: boolean;
  readonly statePattern?: string;
  readonly deadEndPattern?: string;
  readonly observe?: true;
  readonly record?: string;
  readonly otlp?: string;
  readonly showInjected?: true;
  readonly quiet?: true;
  readonly statusLine?: string;
  readonly contextDir?: string;
}

const { thresholds, strategy, compaction, zones, tools, cost, contextDir } = DEFAULTS;

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .usage('[options] -- claude [arguments]')
    .argument('[claude...]', 'the program and its arguments, as you would run it without ctxb')
    .passThroughOptions()
    .option('--prompt <text>', 'a prompt; repeat it for several turns', (text, all: string[] = []) => [...all, text])
    .option('--prompts <file>', 'prompts from a file, one a line: JSON strings or user lines')
    .option('--task <text>', 'what the work is about, for the notes and the focus of a compaction')
    .option('--state <text>', 'where the work stands, for the same; ctxb note state changes it')
    .option('--window <tokens>', 'size of the context window (default: measured)')
    .option(
      '--warn-at <threshold>',
      `warn at this share of the window (0.7, 70%) or number of tokens (default: ${thresholds.warn})`,
    )
    .option('--compact-at <threshold>', `compact before the next prompt at this level (default: ${thresholds.compact})`)
    .option(
      '--handoff-at <threshold>',
      `hand over to a fresh context at this level when compaction is off or does not help (default: ${thresholds.handoff})`,
    )
    .option(
      '--mid-turn-at <threshold>',
      `where claude's own compaction is to happen in mid-turn (default: ${thresholds.midTurn})`,
    )
    .option(
      '--compact-when <when>',
      `next-prompt: when a prompt waits; boundary: at the end of the turn (default: ${compaction.when})`,
    )
    .option('--strategy <way>', `relieve the context by compact, handoff, or auto: the cheaper (default: ${strategy})`)
    .option('--no-compaction', 'never compact at a turn boundary')
    .option('--no-mid-turn', "leave claude's own compaction where it is")
    .option('--no-handoff', 'never hand over to a fresh context')
    .option(
      '--on-large-task <what>',
      `announce, relieve (the context first) or reject a prompt that is too large for what is left (default: ${zones.onLargeTask})`,
    )
    .option(
      '--tool-budgets <mode>',
      `enforce: cut results that are too large and keep them in files; advise: only tell the agent; off (default: ${tools.mode})`,
    )
    .option('--cost-limit <usd>', 'what this run may cost, in US dollars')
    .option(
      '--project-cost-limit <usd>',
      `what all runs in this folder may cost in one cost.period (default: ${cost.period})`,
    )
    .option(
      '--on-cost-limit <what>',
      'ask (needs a terminal), wrap-up (one last prompt) or stop (default: ask on a terminal, wrap-up elsewhere)',
    )
    .option(
      '--expired-cache-notice <usd>',
      `announce a prompt that comes after the prompt cache has expired when that costs so much more; or off (default: ${cost.expiredCacheUsd})`,
    )
    .option('--no-recovery', 'do not start a claude again that died')
    .option(
      '--resume-run [id]',
      'take up the newest run that was broken off, or the one whose id begins so: with its own settings, unless a flag changes them',
    )
    .option('--no-memory', 'keep no notes and hand none back')
    .option('--state-pattern <regex>', "finds in claude's words where the work stands; a named group is the state")
    .option('--dead-end-pattern <regex>', "finds in claude's words what did not work; a named group is the text")
    .option('--observe', 'judge and report only: nothing is done, nothing is added to the input of claude')
    .option('--record <file>', 'write everything that happened to a file, for ctxb replay')
    .option(
      '--otlp <url>',
      'send metrics and traces to this OpenTelemetry receiver (default: OTEL_EXPORTER_OTLP_ENDPOINT)',
    )
    .option('--show-injected', 'show the lines of turns that ctxb started too')
    .option('--quiet', 'say nothing on stderr')
    .option('--status-line <when>', 'auto (on a terminal), always or never')
    .option('--context-dir <folder>', `where journal and notes go (default: ${contextDir})`)
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], options: RunOptions) => finish(await run(words, options, io)));
}

const EXAMPLES = `
Examples:
  ctxb run -- claude -p "fix the failing test"
  ctxb run --prompts steps.ndjson -- claude --permission-mode acceptEdits
  ctxb run --task "port the parser" --state-pattern '^STATE: (?<state>.*)' \\
    -- claude -p "go on" --continue
  git diff | ctxb run --compact-at 60% -- claude -p "review this"`;

async function run(words: readonly string[], options: RunOptions, io: Io): Promise<number> {
  if (options.resumeRun !== undefined) {
    const { takeUp } = await import('./resume.ts');
    return takeUp(
      { ...options, words, id: options.resumeRun === true ? undefined : options.resumeRun },
      flagsOf(options),
      io,
    );
  }
  const [program, ...args] = words;
  if (program === undefined) throw new CtxbError('usage', 'no program given: ctxb run -- claude [arguments]');
  const invocation = readClaudeArguments(args);
  if (invocation.kind === 'untouched') return runUntouched(program, args, io);
  if (invocation.kind === 'ambiguous') {
    const { option, candidate } = invocation;
    const { refusesArguments } = await import('../session/claude/claude-options.ts');
    if (await refusesArguments(program, args, io)) return runUntouched(program, args, io);
    throw new CtxbError(
      'usage',
      `ctxb does not know claude's option ${option}, so "${candidate}" may be its value or the prompt: ` +
        `write ${option}=… or give the prompt with ctxb run --prompt "…" -- claude …`,
    );
  }
  const { terminal, ...settings } = await prepareRun(flagsOf(options), io);
  const { prompt: prompts, prompts: promptsFile, record, otlp } = options;
  return runHeadless({ program, invocation, ...settings, prompts, promptsFile, record, otlp }, io, terminal).finally(
    terminal.clear,
  );
}

function flagsOf(options: RunOptions): Flags {
  return {
    task: options.task,
    state: options.state,
    window: options.window,
    'thresholds.warn': options.warnAt,
    'thresholds.compact': options.compactAt,
    'thresholds.handoff': options.handoffAt,
    'thresholds.midTurn': options.midTurnAt,
    strategy: options.strategy,
    'compaction.when': options.compactWhen,
    // commander sets these to true where `--no-…` was not given: only a flag that was given is one.
    'compaction.enabled': options.compaction === false ? false : undefined,
    'midTurn.enabled': options.midTurn === false ? false : undefined,
    'handoff.enabled': options.handoff === false ? false : undefined,
    'zones.onLargeTask': options.onLargeTask,
    'tools.mode': options.toolBudgets,
    'cost.limitUsd': options.costLimit,
    'cost.projectLimitUsd': options.projectCostLimit,
    'cost.onLimit': options.onCostLimit,
    'cost.expiredCacheUsd': options.expiredCacheNotice,
    'recovery.enabled': options.recovery === false ? false : undefined,
    'memory.enabled': options.memory === false ? false : undefined,
    'memory.statePattern': options.statePattern,
    'memory.deadEndPattern': options.deadEndPattern,
    observe: options.observe,
    showInjected: options.showInjected,
    quiet: options.quiet,
    statusLine: options.statusLine,
    contextDir: options.contextDir,
  };
}
