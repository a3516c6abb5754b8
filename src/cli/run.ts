import { type Command, Option } from 'commander';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from '../config/keys.ts';
import type { Flags } from '../config/resolve-config.ts';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import { presentLines } from '../report/layout.ts';
import { shellLine } from '../report/printable.ts';
import type { Define } from './command.ts';
import { type RunRequest, runClaude } from './run-claude.ts';

/** Options of `ctxb run`, as parsed by commander; those that are configuration keys have the key as their name. */
export interface RunOptions extends Readonly<Record<string, unknown>>, Omit<RunRequest, 'flags'> {
  /** The beginning of a run's id; true: the newest interrupted run. */
  readonly resumeRun?: string | true;
  /** Whether to wait first for the reset of the usage limit that stopped the run. */
  readonly atReset?: boolean;
  readonly noConfig?: false;
}

export const define: Define = (command, connect) => {
  const { outputError } = command.configureOutput();
  command
    .configureOutput({ outputError: (text, write) => outputError?.(withSuggestion(text, command), write) })
    .usage('[options] -- claude [arguments]')
    .argument('[claude...]', 'the program and its arguments, as you would run it without ctxb')
    .passThroughOptions();
  for (const option of sortOptions([...ownOptions(), ...OPTIONS.map(({ option }) => option)]))
    command.addOption(option);
  connect(command, run);
};

function ownOptions(): Option[] {
  const collected = (text: string, all: string[] = []) => [...all, text];
  return [
    named('prompts', '--prompt <text>', 'a prompt; repeat it for several turns').argParser(collected),
    named(
      'promptsFile',
      '--prompts <file>',
      'prompts from a file (- is stdin), one per line: JSON strings or user lines',
    ),
    new Option(
      '--resume-run [id]',
      'continue the newest unfinished run, or the one with this id, with its own settings',
    ),
    new Option('--at-reset', 'with --resume-run: first wait for the reset of the usage limit'),
    new Option('--record <file>', 'write everything that happens to this file, for ctxb replay'),
    new Option('--mask-record', 'with --record: mask secrets, to share the record'),
    new Option('--summary <file>', 'write the figures of the run to this file at its end, as JSON'),
    new Option('--otlp <url>', 'send metrics to this OpenTelemetry receiver'),
    new Option('--show-injected', 'show the turns that ctxb starts'),
    new Option('--dry-run', 'print the command and the settings; start nothing'),
    named('configFile', '--config <file>', 'read this configuration file and no other').conflicts('noConfig'),
    // With commander's name, the later of both options would count.
    named('noConfig', '--no-config', 'read no configuration file'),
  ];
}

/** An option whose value has another name than commander would choose. */
function named(name: string, flags: string, about: string): Option {
  const option = new Option(flags, about);
  option.attributeName = () => name;
  return option;
}

/** Options on the first page of help, by heading. `--help --all` lists the others too. */
const FIRST_PAGE = {
  'Prompts:': ['prompt', 'prompts', 'resume-run'],
  'Cost:': ['cost-limit', 'on-cost-limit'],
  'Unattended:': ['time-limit', 'limit-wait', 'stall-after'],
  'Subagents:': ['max-agents', 'max-agent-tokens', 'max-agent-cost'],
  'Context:': ['compact-at', 'tool-budgets', 'observe'],
  'Output:': ['record', 'summary', 'quiet', 'dry-run'],
};

function sortOptions(options: readonly Option[]): Option[] {
  const first = Object.entries(FIRST_PAGE).flatMap(([heading, names]) =>
    names.flatMap((name) => options.filter((each) => each.name() === name).map((each) => each.helpGroup(heading))),
  );
  const others = options.filter((each) => !first.includes(each));
  return [...first, ...others.map((each) => each.helpGroup('More:').hideHelp())];
}

/** Suggests placing an unknown option after `-- claude`. */
function withSuggestion(text: string, { parent }: Command): string {
  const [, option] = /unknown option '([^']+)'\n$/.exec(text) ?? [];
  const { rawArgs: words } = parent as unknown as { readonly rawArgs: readonly string[] };
  const at = option === undefined ? -1 : words.indexOf(option);
  if (at < 0) return text;
  if (words.includes('--')) return `${text}Options of claude follow --: ctxb run -- claude ${option}\n`;
  return `${text}did you mean: ${shellLine(['ctxb', ...words.slice(0, at), '--', 'claude', ...words.slice(at)])}\n`;
}

export const HELP = `
Examples:
  ctxb run -- claude -p "fix the failing test"
  ctxb run --prompts steps.ndjson -- claude --permission-mode acceptEdits
  ctxb run --cost-limit 2.50 --time-limit 2h -- claude -p "go on" --continue
  git diff | ctxb run --compact-at 60% -- claude -p "review this"`;

async function run(words: readonly string[], options: RunOptions, io: Io): Promise<number> {
  const { maskRecord, record, noConfig, configFile } = options;
  if (maskRecord && record === undefined) throw new CtxbError('usage', '--mask-record needs --record FILE');
  const request = { ...options, flags: configFlags(options), configFile: noConfig ?? configFile };
  if (options.resumeRun !== undefined) {
    if (options.dryRun) throw new CtxbError('usage', '--dry-run shows a new run: leave --resume-run out');
    const { resumeListedRun } = await import('./resume.ts');
    return resumeListedRun(words, request, io);
  }
  if (options.atReset) throw new CtxbError('usage', '--at-reset needs --resume-run: ctxb run --resume-run --at-reset');
  return runClaude(words, request, io);
}

export function configFlags(flags: Readonly<Record<string, unknown>>): Flags {
  return Object.fromEntries(OPTIONS.map((each) => [each.path, flagOf(each, flags)]));
}

/** commander sets `--no-…` to true by default. Returns undefined unless the flag was given. */
function flagOf({ path, option }: (typeof OPTIONS)[number], flags: Readonly<Record<string, unknown>>) {
  const value = flags[path];
  return option.negate && value !== false ? undefined : (value as Flags[KeyPath]);
}

const SHARE = '0.7, 70% or tokens';

const SYNONYMS: Partial<Record<KeyPath, string>> = {
  'agents.tokens': '--agent-tokens <tokens>',
  'agents.costUsd': '--agent-cost <usd>',
  'recovery.enabled': '--no-recovery',
};

const OPTIONS = KEY_PATHS.flatMap((path) => {
  const key: Key = KEYS[path];
  return [key.option, SYNONYMS[path]].flatMap((flags) => {
    if (flags === undefined) return [];
    // commander would treat `--no-compaction` as the negation of `--compaction`.
    const option = named(path, flags, flags === key.option ? helpOf(flags, key) : `same as ${key.option}`);
    return [{ path, option }];
  });
});

function helpOf(flags: string, { type, preset, description }: Key): string {
  const summary = `${description.charAt(0).toLowerCase()}${description.slice(1, -1)}`;
  if (type === 'flag') return flags.startsWith('--no-') ? `do not ${summary}` : summary;
  const values = type === 'share' ? SHARE : typeof type !== 'string' && type.join(', ');
  const notes = presentLines(values, preset !== undefined && `default: ${preset}`);
  return notes.length === 0 ? summary : `${summary} (${notes.join('; ')})`;
}
