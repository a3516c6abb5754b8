import { basename } from 'node:path';
import { CtxbError } from '../errors.ts';
import { CLAUDE_COMMANDS, CLAUDE_FIRST_WORDS, type Token, tokenize } from './claude-options.ts';

/** Arguments that claude refuses, or that start no headless run. */
interface UntouchedInvocation {
  readonly kind: 'untouched';
  readonly reason: string;
}

/** The word after an option unknown to this version may be its value or the prompt. */
interface AmbiguousInvocation {
  readonly kind: 'ambiguous';
  readonly option: string;
  readonly candidate: string;
}

/** A headless run as its arguments describe it, whatever the settings and the environment say. */
export type HeadlessInvocation = ReturnType<typeof headlessInvocation>;

type ClaudeInvocation = UntouchedInvocation | AmbiguousInvocation | HeadlessInvocation;

type Options = ReadonlyMap<string, string | undefined>;

const OUR_OPTIONS: ReadonlySet<string> = new Set(['--print', '--input-format', '--output-format', '--verbose']);
export const TWO_WAY = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
const NO_THOUGHTS = ['--thinking-display', 'omitted'];
/** The environment that goes with these arguments. Without it, claude 2.1.330 would ask the API for short thoughts. */
export const NO_THOUGHTS_ENV = { CLAUDE_CODE_THINKING_DISPLAY_UPDATES: '0' };
const RESUMING = ['--continue', '--resume', '--from-pr', '--teleport'];
const SESSION_OPTIONS: ReadonlySet<string> = new Set([
  ...RESUMING,
  ...['--session-id', '--fork-session', '--resume-session-at', '--resume-drops-turn', '--reply-on-resume'],
]);
/** Options whose hooks run once per run. */
const SETUP_OPTIONS: ReadonlySet<string> = new Set(['--init', '--maintenance']);
const FALSE_WORDS: ReadonlySet<string | undefined> = new Set(['false', '0', 'no', 'off']);

type InputFormat = 'text' | 'stream-json';
type OutputFormat = InputFormat | 'json';
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['--input-format', ['text', 'stream-json']],
  ['--output-format', ['text', 'json', 'stream-json']],
]);

const OTHER_MODES: ReadonlySet<string> = new Set([
  ...['--help', '--version', '--background', '--cloud', '--handle-uri', '--init-only', '--rewind-files', '--sdk-url'],
  '--tmux',
]);

/**
 * Parses claude's arguments as claude does. Never throws: arguments that claude would refuse return `untouched`, so
 * that claude prints its own error.
 */
export function readClaudeArguments(argv: readonly string[]): ClaudeInvocation {
  const tokens = tokenize(argv);
  const usedOptions = tokens.filter((token) => token.kind === 'option');
  const options: Options = new Map(usedOptions.map(({ name, value }) => [name, value]));
  const reason = otherMode(argv, tokens, options) ?? refusal(usedOptions, options);
  if (reason !== undefined) return { kind: 'untouched', reason };
  const prompt = inputFormatOf(options) === 'text' ? findPrompt(tokens) : freeWords(tokens)[0];
  return prompt?.kind === 'ambiguous' ? prompt : headlessInvocation(argv, tokens, options, prompt);
}

/** Programs that start another program. They would take ctxb's options for claude as their own. */
const LAUNCHERS = ['env', 'nice', 'nohup', 'npx', 'sudo', 'time', 'timeout'];

/** Refuses a program that would start claude, such as `env NAME=value claude`. @throws CtxbError `usage` */
export function refuseLauncher(words: readonly string[]): void {
  const [program = '', ...others] = words.map((word) => basename(word));
  if (LAUNCHERS.includes(program) && others.includes('claude'))
    throw new CtxbError('usage', `put ${program} before ctxb, because ctxb starts claude itself`);
}

/** claude's arguments for a run. ctxb's own come first, where no option of the caller can take them as its values. */
export function childArguments(invocation: HeadlessInvocation): string[] {
  return [...ourArguments(invocation), ...invocation.passed];
}

/**
 * The arguments of a process that replaces the first one.
 * @param resume the session to resume; undefined: a fresh one
 */
export function successorArguments(invocation: HeadlessInvocation, resume: string | undefined): string[] {
  return [...ourArguments(invocation), ...optionArguments('--resume', resume), ...invocation.passedAgain];
}

export function optionArguments(name: string, value: string | undefined): string[] {
  return value === undefined ? [] : [name, value];
}

/**
 * Names the worktree. Without a name, claude creates a new one at each start, but a new process must work in the old
 * one.
 */
export function withNamedWorktree(invocation: HeadlessInvocation, name: string): HeadlessInvocation {
  const named = (words: readonly string[]) =>
    tokenize(words).flatMap(({ kind, name: option, written, value }) => {
      const isUnnamed = kind === 'option' && option === '--worktree' && value === undefined;
      return isUnnamed ? [...written, name] : written;
    });
  return { ...invocation, passed: named(invocation.passed), passedAgain: named(invocation.passedAgain) };
}

function ourArguments({ hidesThoughts }: HeadlessInvocation): readonly string[] {
  return hidesThoughts ? [...TWO_WAY, ...NO_THOUGHTS] : TWO_WAY;
}

function otherMode(argv: readonly string[], tokens: readonly Token[], options: Options): string | undefined {
  const [first = ''] = argv;
  if (CLAUDE_FIRST_WORDS.has(first)) return `${first} is a command of its own`;
  const mode = tokens.find(({ name }) => OTHER_MODES.has(name));
  if (mode !== undefined) return `${mode.name} is no headless run`;
  // With -p, claude ignores --remote-control and runs headless.
  if (options.has('--remote-control') && !options.has('--print')) return '--remote-control is no headless run';
  const word = isPrint(argv) ? undefined : tokens.find(({ kind }) => kind !== 'option')?.value;
  return word !== undefined && CLAUDE_COMMANDS.has(word) ? `${word} is a command of its own` : undefined;
}

/**
 * Whether `-p` or `--print` occurs. claude searches for these as whole arguments before `--` (2.1.197: also after it),
 * before it looks for commands.
 */
function isPrint(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const options = end === -1 ? argv : argv.slice(0, end);
  return options.includes('-p') || options.includes('--print');
}

/** Why claude refuses the arguments: a missing value, or formats that it would accept only because of ctxb's own. */
function refusal(usedOptions: readonly Token[], options: Options): string | undefined {
  const missing = usedOptions.find(({ incomplete }) => incomplete);
  if (missing !== undefined) return `${missing.name} needs a value`;
  const wrong = usedOptions.find(({ name, value = '' }) => FORMATS.get(name)?.includes(value) === false);
  if (wrong !== undefined) return `${wrong.name} must be one of ${FORMATS.get(wrong.name)?.join(', ')}`;
  return combinationRefusal(options);
}

function combinationRefusal(options: Options): string | undefined {
  const streamsIn = options.get('--input-format') === 'stream-json';
  if (options.get('--output-format') === 'stream-json') {
    if (!options.has('--verbose')) return '--output-format stream-json needs --verbose';
    return options.has('--replay-user-messages') && !streamsIn
      ? '--replay-user-messages needs --input-format stream-json'
      : undefined;
  }
  const streamOption = ['--replay-user-messages', '--include-partial-messages'].find((name) => options.has(name));
  if (streamOption !== undefined) return `${streamOption} needs --output-format stream-json`;
  if (streamsIn) return '--input-format stream-json needs --output-format stream-json';
  const hasSuggestions = options.has('--prompt-suggestions') && !FALSE_WORDS.has(options.get('--prompt-suggestions'));
  return hasSuggestions ? '--prompt-suggestions needs --output-format stream-json' : undefined;
}

function inputFormatOf(options: Options): InputFormat {
  return (options.get('--input-format') ?? 'text') as InputFormat;
}

function headlessInvocation(
  argv: readonly string[],
  tokens: readonly Token[],
  options: Options,
  prompt: Token | undefined,
) {
  const inputFormat = inputFormatOf(options);
  const outputFormat = (options.get('--output-format') ?? 'text') as OutputFormat;
  const showsMessages = outputFormat === 'stream-json' || (outputFormat === 'json' && options.has('--verbose'));
  return {
    kind: 'headless' as const,
    written: argv,
    /** Whether `-p` or `--print` was given. */
    isPrint: isPrint(argv),
    /** The prompt among the arguments. claude ignores an empty one, and the single word `code`. */
    prompt: inputFormat === 'text' ? realPrompt(prompt?.value) : undefined,
    /** A prompt that claude ignores, because it reads prompts as stream-json from stdin. */
    ignoredPrompt: inputFormat === 'text' ? undefined : realPrompt(prompt?.value),
    /** Further words, which claude ignores: of `claude fix the bug` it reads only `fix`. */
    ignoredWords: freeWords(tokens).flatMap((word) => (word === prompt ? [] : word.written)),
    /** The caller's arguments in order, without the prompt, `-p`, `--verbose` and the two formats. */
    passed: tokens.flatMap((token) => (token === prompt ? [] : passedOn(token))),
    /** `passed` without the options of the session and its setup, for a process that replaces the first one. */
    passedAgain: tokens.flatMap((token) => (token === prompt || isOnlyForFirst(token) ? [] : passedOn(token))),
    namesSession: [...SESSION_OPTIONS].some((name) => options.has(name)),
    inputFormat,
    outputFormat,
    /** Whether the output format has no place for thoughts, so that claude need not ask for them. */
    hidesThoughts: !options.has('--thinking-display') && !showsMessages,
    ...switches(options),
  };
}

function switches(options: Options) {
  return {
    verbose: options.has('--verbose'),
    model: options.get('--model'),
    resumes: RESUMING.some((name) => options.has(name)),
    resumed: options.get('--resume'),
    /** False if claude writes no session log. */
    sessionPersistence: !options.has('--no-session-persistence'),
    bare: options.has('--bare'),
    agent: options.get('--agent'),
    jsonSchema: options.has('--json-schema'),
    maxBudgetUsd: options.get('--max-budget-usd'),
    maxTurns: options.get('--max-turns'),
    settings: options.get('--settings'),
  };
}

/** Finds the prompt. If no word can only be the prompt, takes the first word after an unknown option. */
function findPrompt(tokens: readonly Token[]): Token | AmbiguousInvocation | undefined {
  const words = tokens.filter(isWord);
  const extraWords = words.filter((word) => tokens[tokens.indexOf(word) - 1]?.kind === 'word');
  const candidate = freeWords(tokens)[0] ?? extraWords[0] ?? words[0];
  if (candidate?.owner === undefined || extraWords.length === 1) return candidate;
  return { kind: 'ambiguous', option: candidate.owner, candidate: candidate.written.join() };
}

function isWord({ kind }: Token): boolean {
  return kind === 'word';
}

function freeWords(tokens: readonly Token[]): Token[] {
  return tokens.filter((token) => isWord(token) && token.owner === undefined);
}

function realPrompt(prompt: string | undefined): string | undefined {
  return prompt === '' || prompt === 'code' ? undefined : prompt;
}

function isOnlyForFirst({ kind, name }: Token): boolean {
  return kind === 'option' && (SESSION_OPTIONS.has(name) || SETUP_OPTIONS.has(name));
}

/**
 * The arguments of a token that ctxb passes on. Drops words without an option: once ctxb's options are removed, the
 * option before could take such a word.
 */
function passedOn(token: Token): readonly string[] {
  const isDropped = isWord(token) ? token.owner === undefined : token.kind === 'option' && OUR_OPTIONS.has(token.name);
  return isDropped ? [] : token.written;
}
