import { text } from 'node:stream/consumers';
import type { CwdAndEnv } from '../io.ts';
import { startChild } from './child.ts';

/** How many words each kind of option consumes at most. `optional` and `many` stop at a word that starts with a dash. */
const MAX_VALUES = { none: 0, one: 1, optional: 1, many: Number.POSITIVE_INFINITY } as const;

type ValueCount = keyof typeof MAX_VALUES;

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

/** Each spelling with the name of its option. */
const OPTIONS = new Map(
  (['none', 'one', 'optional', 'many'] as const).flatMap((values) =>
    words(SPELLINGS[values]).flatMap((aliases) =>
      aliases.split('|').map((spelling, _, [name = '']) => [spelling, { name, values }] as const),
    ),
  ),
);

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** An option with its values, an option that claude may not know, or a word outside of all known options. */
export interface Token {
  readonly kind: 'option' | 'unknown' | 'word';
  /** Empty for a word. */
  readonly name: string;
  readonly written: readonly string[];
  /** The word, or the first value of an option. */
  readonly value?: string | undefined;
  /** Whether the option lacks a value that it needs. */
  readonly incomplete?: boolean;
  /** The unknown option before this word, if only words are between them. */
  readonly owner?: string | undefined;
}

/** Splits claude's arguments as its own parser does, which is commander 12. */
export function tokenize(argv: readonly string[]): Token[] {
  const rest = [...argv];
  const tokens: Token[] = [];
  let owner: string | undefined;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return [...tokens, ...rest.map((value) => wordToken(value, undefined))];
    const token = isDashed(word) ? readOption(word, rest) : wordToken(word, owner);
    tokens.push(token);
    if (token.kind !== 'word') owner = token.kind === 'unknown' && !word.includes('=') ? token.name : undefined;
  }
  return tokens;
}

function wordToken(value: string, owner: string | undefined): Token {
  return { kind: 'word', name: '', written: [value], value, owner };
}

function isDashed(word: string): boolean {
  return word.length > 1 && word.startsWith('-');
}

/**
 * Reads `--name value`, `--name=value`, `-rID` as `-r ID`, and `-pc` as `-p -c`. Removes the values from `rest`, and puts
 * back the remainder of a cluster of short options.
 */
function readOption(word: string, rest: string[]): Token {
  const isLong = word.startsWith('--');
  const cut = isLong ? word.indexOf('=') : 2;
  const spelling = OPTIONS.has(word) || cut < 0 ? word : word.slice(0, cut);
  const { name, values } = OPTIONS.get(spelling) ?? { name: '', values: 'none' };
  const kind = 'option';
  if (name === '' || (isLong && values === 'none' && spelling !== word))
    return { kind: 'unknown', name: word.replace(/=.*/s, ''), written: [word] };
  if (spelling === word) {
    const taken = rest.splice(0, countValues(values, rest));
    const incomplete = taken.length === 0 && (values === 'one' || values === 'many');
    return { kind, name, written: [word, ...taken], value: taken[0], incomplete };
  }
  // A variadic option then consumes only this value.
  if (values !== 'none') return { kind, name, written: [word], value: word.slice(isLong ? cut + 1 : cut) };
  rest.unshift(`-${word.slice(cut)}`);
  return { kind, name, written: [spelling] };
}

function countValues(values: ValueCount, rest: readonly string[]): number {
  // A required value may start with a dash.
  const end = rest.findIndex((word, index) => isDashed(word) && (index > 0 || values === 'optional'));
  return Math.min(MAX_VALUES[values], end === -1 ? rest.length : end);
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
  { cwd, env }: CwdAndEnv,
): Promise<boolean> {
  const child = await startChild({ command: program, args: [...args, ...REFUSED_FORMATS], cwd, env });
  child.stdin.end();
  child.stdout.resume();
  return /^error: /m.test(await text(child.stderr));
}
