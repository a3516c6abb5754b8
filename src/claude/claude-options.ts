import { text } from 'node:stream/consumers';
import type { Where } from '../io.ts';
import { startChild } from './child.ts';

/** `optional` consumes the next word unless it starts with a dash, `many` consumes all such words. */
type ValueCount = 'none' | 'one' | 'optional' | 'many';

/** An option of claude. `name` is the spelling under which all its aliases are reported. */
interface ClaudeOption {
  readonly name: string;
  readonly values: ValueCount;
}

/**
 * The options of claude's main command, aliases side by side (`|`) with the reported name first. Source: `claude
 * --help` and what the 2.1.197 and 2.1.332 programs accept (including hidden ones), and `--mcp-debug` of 1.0.128.
 */
const SPELLINGS: Readonly<Record<ValueCount, string>> = {
  none: `
    --print|-p --continue|-c --help|-h --version|-v --background|--bg --debug-to-stderr|-d2e --agents-view-if-allowed
    --allow-dangerously-skip-permissions --allow-other-models --await-claim --await-initialize --ax-screen-reader
    --bare --brief --chrome --no-chrome --dangerously-skip-permissions --deep-link-origin --desktop
    --disable-slash-commands --enable-auth-status --enable-auto-mode --exclude-dynamic-system-prompt-sections
    --fork-session --forward-subagent-text --hold-repository-while-parked --host-auth-is-org-sign-in --ide --init
    --include-hook-events --include-partial-messages --include-unsupported-models --init-only --maintenance
    --managed-settings-in-initialize --mcp-debug --no-session-persistence --plan-mode-required --replay-user-messages
    --reply-on-resume --restricted --safe-mode --session-mirror --strict-mcp-config --tmux --verbose`,
  one: `
    --name|-n --advisor --agent --agent-color --agent-id --agent-name --agent-type --agents
    --append-subagent-system-prompt --append-subagent-system-prompt-file --append-system-prompt
    --append-system-prompt-file --attach-serve --autocompact --client-data-url --correlation-id --debug-file
    --deep-link-cwd-b64 --deep-link-last-fetch --deep-link-repo --effort --environment --fallback-model --fast-mode
    --forward-home-settings --inherit-permission-mode --initialize-fields --input-format --json-schema
    --lead-verify-key --managed-settings --max-budget-usd --max-thinking-tokens --max-turns --messaging-socket-path
    --metadata --model --on-branch --output-format --parent-session-id --permission-mode --permission-prompt-tool
    --permission-prompts --plan-mode-instructions --plugin-dir --plugin-dir-no-mcp --plugin-url --pool --prefill
    --prefill-b64 --proactivity --project-config-root --ref --remote-control-session-name-prefix --resume-drops-turn
    --resume-session-at --rewind-files --runner-declares --sdk-url --session-began-as-copy --session-id
    --setting-sources --settings --system-prompt --system-prompt-file --system-prompt-snapshot --task-budget
    --team-name --teammate-mode --thinking --thinking-display --watch-artifact --watch-artifact-no-autoreact
    --workload`,
  optional: `
    --debug|-d --resume|-r --worktree|-w --cloud|--remote --remote-control|--rc --from-pr --prompt-suggestions
    --teleport`,
  many: `
    --allowedTools|--allowed-tools --disallowedTools|--disallowed-tools --add-dir --betas --channels
    --dangerously-load-development-channels --file --mcp-config --tools`,
};

/** Commands of claude up to 2.1.332, including hidden ones. They count as commands only without `-p` and `--print`. */
export const CLAUDE_COMMANDS: ReadonlySet<string> = new Set(
  words(`
    agents auth auto-mode design-login doctor edit-chrome-settings edit-hook edit-memory-settings
    edit-permission-rules edit-sandbox-settings edit-skill-overrides gateway import import-conversations install mcp
    plugin plugins project purge rc remote-control sandbox self-hosted-runner setup-token ultrareview update upgrade
    workspace-trust worktree-hook`),
);

/** Words that claude treats as a command when they are the very first argument. */
export const CLAUDE_FIRST_WORDS: ReadonlySet<string> = new Set(
  words(`
    attach bridge daemon kill logs rc remote remote-control respawn rm stop sync --bg-pty-host --bg-spare
    --chrome-native-host --claude-in-chrome-mcp --computer-use-mcp --daemon-worker --preload --update --upgrade`),
);

const OPTIONS: ReadonlyMap<string, ClaudeOption> = new Map(
  (['none', 'one', 'optional', 'many'] as const).flatMap((values) =>
    words(SPELLINGS[values]).flatMap((aliases) => spellings(aliases.split('|'), values)),
  ),
);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

function spellings(aliases: readonly string[], values: ValueCount): [string, ClaudeOption][] {
  const option = { name: aliases[0] ?? '', values };
  return aliases.map((spelling) => [spelling, option]);
}

export interface OptionToken {
  readonly kind: 'option';
  readonly name: string;
  readonly written: readonly string[];
  readonly value: string | undefined;
  readonly incomplete: boolean;
}

interface UnknownToken {
  readonly kind: 'unknown';
  readonly name: string;
  readonly written: readonly string[];
}

export interface WordToken {
  readonly kind: 'word';
  readonly value: string;
  /** The unknown option before this word, if only words are between them. */
  readonly owner: string | undefined;
}

export type Token = OptionToken | UnknownToken | WordToken;

/** Splits claude's arguments as its own parser does, which is commander 12. */
export function tokenise(argv: readonly string[]): Token[] {
  const rest = [...argv];
  const tokens: Token[] = [];
  let owner: string | undefined;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      return [...tokens, ...rest.map((value): WordToken => ({ kind: 'word', value, owner: undefined }))];
    }
    const token: Token = isDashed(word) ? readOption(word, rest) : { kind: 'word', value: word, owner };
    tokens.push(token);
    if (token.kind !== 'word') owner = token.kind === 'unknown' && !word.includes('=') ? token.name : undefined;
  }
  return tokens;
}

function isDashed(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/** Removes the option's values from `rest`, and puts back the remainder of a cluster of short options. */
function readOption(word: string, rest: string[]): OptionToken | UnknownToken {
  const exact = OPTIONS.get(word);
  if (exact !== undefined) return withValues(exact, word, rest);
  const known = word.startsWith('--') ? readAssignment(word) : readCluster(word, rest);
  return known ?? { kind: 'unknown', name: word.replace(/=.*/s, ''), written: [word] };
}

function withValues(option: ClaudeOption, word: string, rest: string[]): OptionToken {
  const values = rest.splice(0, countValues(option, rest));
  const incomplete = values.length === 0 && (option.values === 'one' || option.values === 'many');
  return optionToken(option, [word, ...values], values[0], incomplete);
}

function countValues({ values }: ClaudeOption, rest: readonly string[]): number {
  if (values === 'none') return 0;
  if (values === 'one') return Math.min(1, rest.length);
  const isFree = (word: string | undefined) => word !== undefined && !isDashed(word);
  if (values === 'optional') return isFree(rest[0]) ? 1 : 0;
  // The first value of a variadic option is required, and may therefore start with a dash.
  const end = rest.findIndex((word, index) => index > 0 && isDashed(word));
  return end === -1 ? rest.length : end;
}

/** Parses `--name=value`. A variadic option then consumes only this value. */
function readAssignment(word: string): OptionToken | undefined {
  const equals = word.indexOf('=');
  const option = equals === -1 ? undefined : OPTIONS.get(word.slice(0, equals));
  return option === undefined || option.values === 'none'
    ? undefined
    : optionToken(option, [word], word.slice(equals + 1));
}

/** Parses `-pc` as `-p -c`, and `-rID` as `-r ID`. */
function readCluster(word: string, rest: string[]): OptionToken | undefined {
  const short = word.slice(0, 2);
  const option = OPTIONS.get(short);
  if (option === undefined) return undefined;
  if (option.values !== 'none') return optionToken(option, [word], word.slice(2));
  rest.unshift(`-${word.slice(2)}`);
  return optionToken(option, [short], undefined);
}

function optionToken(
  { name }: ClaudeOption,
  written: readonly string[],
  value: string | undefined,
  incomplete = false,
): OptionToken {
  return { kind: 'option', name, written, value, incomplete };
}

/** Two formats that claude refuses together after it has parsed all options, so that it does nothing else. */
const REFUSED_FORMATS = ['--input-format', 'stream-json', '--output-format', 'text'];

/**
 * Whether claude refuses an option among these arguments. Asks claude itself, because options differ between releases.
 *
 * @throws CtxbError as {@link startChild}
 */
export async function refusesArguments(
  program: string,
  args: readonly string[],
  { cwd, env }: Where,
): Promise<boolean> {
  const child = await startChild({ command: program, args: [...args, ...REFUSED_FORMATS], cwd, env });
  child.stdin.end();
  child.stdout.resume();
  return /^error: /m.test(await text(child.stderr));
}
