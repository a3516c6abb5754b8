import { type Command, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from '../config/keys.ts';
import type { Flags } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { shellLine } from '../report/shown.ts';
import { runClaude } from './run-claude.ts';

/** Options of `ctxb run` that are no keys of the configuration, as commander hands them over. */
export interface RunOptions extends Readonly<Record<string, unknown>> {
  readonly prompt?: readonly string[];
  readonly prompts?: string;
  readonly resumeRun?: string | true;
  /** First wait until the usage limit resets at which the run has ended. */
  readonly atReset?: boolean;
  readonly record?: string;
  readonly otlp?: string;
  readonly showInjected?: true;
}

export function define(command: Command, io: Io, finish: (exitCode: number) => void): void {
  command
    .configureOutput({
      outputError: (text, write) => write(withSuggestion(text.replace(/^error: /, 'ctxb: '), command)),
    })
    .usage('[options] -- claude [arguments]')
    .argument('[claude...]', 'the program and its arguments, as you would run it without ctxb')
    .passThroughOptions()
    .option('--prompt <text>', 'a prompt; repeat it for several turns', (text, all: string[] = []) => [...all, text])
    .option('--prompts <file>', 'prompts from a file (- is stdin), one a line: JSON strings or user lines')
    .option(
      '--resume-run [id]',
      'resume the newest unfinished run, or the one whose id begins with this, with its own settings unless a flag changes them',
    )
    .option('--at-reset', 'with --resume-run: first wait until the usage limit that ended the run resets')
    .option('--record <file>', 'write everything that happened to a file, for ctxb replay')
    .option(
      '--otlp <url>',
      'send metrics and traces to this OpenTelemetry receiver (default: OTEL_EXPORTER_OTLP_ENDPOINT)',
    )
    .option('--show-injected', 'show the turns that ctxb injects');
  addConfigOptions(command.optionsGroup('Keys of the configuration, which a file or a variable may set too:'));
  command
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], options: RunOptions) => finish(await run(words, options, io)));
}

/** An option that is claude's was probably meant for it, behind `-- claude`. */
function withSuggestion(text: string, { parent }: Command): string {
  const [, option] = /unknown option '([^']+)'\n$/.exec(text) ?? [];
  const words = (parent as { readonly rawArgs?: readonly string[] } | null)?.rawArgs ?? [];
  const at = option === undefined ? -1 : words.indexOf(option);
  if (at < 0 || words.includes('--')) return text;
  return `${text}did you mean: ${shellLine(['ctxb', ...words.slice(0, at), '--', 'claude', ...words.slice(at)])}\n`;
}

const EXAMPLES = `
Examples:
  ctxb run -- claude -p "fix the failing test"
  ctxb run --prompts steps.ndjson -- claude --permission-mode acceptEdits
  ctxb run --task "port the parser" --state "the tokenizer is done" \\
    -- claude -p "go on" --continue
  git diff | ctxb run --compact-at 60% -- claude -p "review this"`;

async function run(words: readonly string[], options: RunOptions, io: Io): Promise<number> {
  if (options.resumeRun !== undefined) {
    const { takeUp } = await import('./resume.ts');
    return takeUp(
      { ...options, words, id: options.resumeRun === true ? undefined : options.resumeRun },
      configFlags(options),
      io,
    );
  }
  if (options.atReset)
    throw new CtxbError('usage', '--at-reset goes with --resume-run: ctxb run --resume-run --at-reset');
  const { prompt: prompts, prompts: promptsFile, record, otlp, showInjected } = options;
  return runClaude(words, { flags: configFlags(options), prompts, promptsFile, record, otlp, showInjected }, io);
}

/** Gives a command the options of all keys that have one. */
export function addConfigOptions(command: Command): void {
  for (const { option } of OPTIONS) command.addOption(option);
}

export function configFlags(given: Readonly<Record<string, unknown>>): Flags {
  return Object.fromEntries(OPTIONS.map(({ path, option }) => [path, flagOf(option, given)]));
}

/**
 * commander sets `--no-…` to true where it was not given: only a flag that was given is one. `--no-compaction` and
 * `--compaction exact` set the same attribute.
 */
function flagOf(option: Option, given: Readonly<Record<string, unknown>>): Flags[KeyPath] {
  const value = given[option.attributeName()];
  const isOther = option.negate ? value !== false : option.required && typeof value === 'boolean';
  return isOther ? undefined : (value as Flags[KeyPath]);
}

/** How a size is said. */
const SHARE = '0.7, 70% or tokens';

const OPTIONS = KEY_PATHS.flatMap((path) => {
  const key: Key = KEYS[path];
  return key.option === undefined ? [] : [{ path, option: new Option(key.option, helpOf(key.option, key)) }];
});

function helpOf(flags: string, { takes, preset, about }: Key): string {
  const does = `${about.charAt(0).toLowerCase()}${about.slice(1, -1)}`;
  if (takes === 'flag') return flags.startsWith('--no-') ? `do not ${does}` : does;
  const values = takes === 'share' ? [SHARE] : typeof takes === 'string' ? [] : [takes.join(', ')];
  const notes = [...values, ...(preset === undefined ? [] : [`default: ${preset}`])];
  return notes.length === 0 ? does : `${does} (${notes.join('; ')})`;
}
