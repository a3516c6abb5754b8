/** How many values an option takes: `optional` takes the next word unless it starts with a dash, `many` takes all such words. */
export type ValueCount = 'none' | 'one' | 'optional' | 'many';

/** One option of claude. `name` is the spelling that all its aliases are reported under. */
export interface ClaudeOption {
  readonly name: string;
  readonly values: ValueCount;
}

/**
 * The options of claude's main command, aliases side by side with the reported name first. Source: `claude --help` and the
 * option definitions (hidden ones too) inside the 2.1.197 binary, and `--mcp-debug`, which 1.0.128 still had.
 */
const SPELLINGS: Readonly<Record<ValueCount, readonly string[]>> = {
  none: [
    '--print -p',
    '--continue -c',
    '--help -h',
    '--version -v',
    '--background --bg',
    '--debug-to-stderr -d2e',
    ...['--allow-dangerously-skip-permissions', '--ax-screen-reader', '--bare', '--brief', '--chrome', '--no-chrome'],
    ...['--dangerously-skip-permissions', '--deep-link-origin', '--disable-slash-commands', '--enable-auth-status'],
    ...['--enable-auto-mode', '--exclude-dynamic-system-prompt-sections', '--fork-session', '--ide', '--init'],
    ...['--include-hook-events', '--include-partial-messages', '--init-only', '--maintenance', '--mcp-debug'],
    ...['--no-session-persistence', '--plan-mode-required', '--replay-user-messages', '--reply-on-resume'],
    ...['--safe-mode', '--session-mirror', '--strict-mcp-config', '--tmux', '--verbose'],
  ],
  one: [
    '--name -n',
    ...['--advisor', '--agent', '--agent-color', '--agent-id', '--agent-name', '--agent-type', '--agents'],
    ...['--append-system-prompt', '--append-system-prompt-file', '--debug-file', '--deep-link-cwd-b64'],
    ...['--deep-link-last-fetch', '--deep-link-repo', '--effort', '--fallback-model', '--input-format'],
    ...['--json-schema', '--managed-settings', '--max-budget-usd', '--max-thinking-tokens', '--max-turns', '--model'],
    ...['--output-format', '--parent-session-id', '--permission-mode', '--permission-prompt-tool'],
    ...['--plan-mode-instructions', '--plugin-dir', '--plugin-dir-no-mcp', '--plugin-url', '--prefill'],
    ...['--prefill-b64', '--remote-control-session-name-prefix', '--resume-session-at', '--rewind-files', '--sdk-url'],
    ...['--session-id', '--setting-sources', '--settings', '--system-prompt', '--system-prompt-file', '--task-budget'],
    ...['--team-name', '--teammate-mode', '--thinking', '--thinking-display', '--workload'],
  ],
  optional: [
    '--debug -d',
    '--resume -r',
    '--worktree -w',
    '--cloud --remote',
    '--remote-control --rc',
    ...['--from-pr', '--prompt-suggestions', '--teleport'],
  ],
  many: [
    '--allowedTools --allowed-tools',
    '--disallowedTools --disallowed-tools',
    ...['--add-dir', '--betas', '--channels', '--dangerously-load-development-channels', '--file', '--mcp-config'],
    '--tools',
  ],
};

/** Commands of claude 2.1.197, hidden ones too. They are commands only where neither `-p` nor `--print` is written. */
export const CLAUDE_COMMANDS: ReadonlySet<string> = new Set([
  ...[
    'agents',
    'auth',
    'auto-mode',
    'doctor',
    'gateway',
    'import-conversations',
    'install',
    'mcp',
    'plugin',
    'plugins',
  ],
  ...['project', 'rc', 'remote-control', 'setup-token', 'ultrareview', 'update', 'upgrade'],
]);

/** Words that claude 2.1.197 takes for a command when they are the very first argument, whatever follows. */
export const CLAUDE_FIRST_WORDS: ReadonlySet<string> = new Set([
  ...['attach', 'bridge', 'daemon', 'kill', 'logs', 'rc', 'remote', 'remote-control', 'respawn', 'rm', 'stop', 'sync'],
  ...['--bg-pty-host', '--bg-spare', '--chrome-native-host', '--claude-in-chrome-mcp', '--computer-use-mcp'],
  ...['--daemon-worker', '--preload', '--update', '--upgrade'],
]);

const OPTIONS: ReadonlyMap<string, ClaudeOption> = new Map(
  (['none', 'one', 'optional', 'many'] as const).flatMap((values) =>
    SPELLINGS[values].flatMap((line) => spellings(line, values)),
  ),
);

function spellings(line: string, values: ValueCount): [string, ClaudeOption][] {
  const all = line.split(' ');
  const option = { name: all[0] ?? line, values };
  return all.map((spelling) => [spelling, option]);
}

/** Finds an option by any of its exact spellings, with its dashes. claude knows no abbreviations. */
export function findClaudeOption(spelling: string): ClaudeOption | undefined {
  return OPTIONS.get(spelling);
}
