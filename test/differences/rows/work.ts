import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { BOTH_WAYS, bash, FREE, type Group, JSON_OUT, type Row, STREAM_OUT, said } from '../row.ts';

const hello = (name: string, ...claude: string[]) => ({ name, claude: ['-p', 'hello', ...claude, ...STREAM_OUT] });
const ID = '11111111-2222-4333-8444-555555555555';
const before = [['-p', 'before', '--session-id', ID]];
const COMMAND = '---\ndescription: Greets\n---\nGreet $ARGUMENTS.\n';
const files = { '.claude/commands/greet.md': COMMAND };
const SHOWS = '---\ndescription: Shows\n---\nIt has printed: !`echo printed`\n';

export const COMMANDS: Group = {
  title: 'Slash commands',
  rows: [
    { name: '/compact', before, claude: ['-p', '/compact', '--resume', ID, ...STREAM_OUT] },
    { name: '/compact with a focus, text', before, claude: ['-p', '/compact the plan', '--resume', ID] },
    { name: '/compact of an empty session', claude: ['-p', '/compact', ...STREAM_OUT] },
    { name: '/clear', claude: ['-p', '/clear', ...STREAM_OUT] },
    { name: '/clear in a session', before, claude: ['-p', '/clear', '--resume', ID, ...JSON_OUT] },
    { name: '/context', claude: ['-p', '/context'] },
    { name: '/context after a prompt', claude: BOTH_WAYS, stdin: `${said('hello')}${said('/context')}` },
    { name: '/cost, stream-json', claude: ['-p', '/cost', ...STREAM_OUT] },
    { name: 'a command of the project', files, claude: ['-p', '/greet Anna', ...STREAM_OUT] },
    { name: 'an unknown command', claude: ['-p', '/nope', ...JSON_OUT] },
    {
      name: '/compact between two prompts',
      scenario: { calls: [{ text: 'one' }, { text: 'two' }] },
      claude: BOTH_WAYS,
      async during(program) {
        for (const text of ['first', '/compact', 'second']) {
          program.stdin.write(said(text));
          await program.waitForLine(({ type }) => type === 'result');
        }
      },
    },
  ],
};

const HOOK = { hooks: [{ type: 'command', command: 'cat >> hooks.ndjson; echo "said by a hook"' }] };
const FAILING = { hooks: [{ type: 'command', command: 'echo "not so" >&2; exit 2' }] };
const hooks = (...names: string[]) => ({
  '.claude/settings.json': JSON.stringify({ hooks: Object.fromEntries(names.map((name) => [name, [HOOK]])) }),
});
const refuses = (name: string) => ({ '.claude/settings.json': JSON.stringify({ hooks: { [name]: [FAILING] } }) });
const works = { calls: [bash('echo one'), { text: 'Done.' }] };
const fails = { calls: [bash('echo no >&2; exit 3'), { text: 'Failed.' }] };
const hooked = (name: string) => ({
  ...hello(`a ${name} hook`, '--include-hook-events', FREE),
  files: hooks(name),
  scenario: works,
});

export const HOOKS: Group = {
  title: "The user's own hooks",
  rows: [
    hooked('SessionStart'),
    hooked('UserPromptSubmit'),
    hooked('PreToolUse'),
    hooked('PostToolUse'),
    { ...hooked('PostToolUseFailure'), scenario: fails },
    hooked('Stop'),
    hooked('SessionEnd'),
    {
      name: 'a PreSkillShellCommand hook',
      files: { ...hooks('PreSkillShellCommand'), '.claude/commands/show.md': SHOWS },
      claude: ['-p', '/show', '--include-hook-events', FREE, ...STREAM_OUT],
    },
    { ...hello('a PreToolUse hook that refuses', FREE), files: refuses('PreToolUse'), scenario: works },
    { ...hello('a UserPromptSubmit hook that refuses'), files: refuses('UserPromptSubmit') },
    {
      name: 'PreCompact, PostCompact and SessionStart hooks around /compact',
      before,
      files: hooks('PreCompact', 'PostCompact', 'SessionStart'),
      claude: ['-p', '/compact', '--resume', ID, ...STREAM_OUT],
    },
  ],
};

const SERVER = fileURLToPath(new URL('../../../fixtures/mcp-server.mjs', import.meta.url));
const MCP = JSON.stringify({ mcpServers: { srv: { command: process.execPath, args: [SERVER] } } });
const BROKEN = JSON.stringify({ mcpServers: { srv: { command: '/nowhere/at/all', args: [] } } });
const mcp = (tool: string, input: object) => ({
  calls: [{ tools: [{ name: `mcp__srv__${tool}`, input }] }, { text: 'Done.' }],
});

export const TOOLS: Group = {
  title: 'Tools',
  rows: [
    {
      ...hello('an MCP tool', '--mcp-config', MCP, '--strict-mcp-config', FREE),
      scenario: mcp('text', { chars: 100 }),
    },
    {
      ...hello('an MCP tool that fails', '--mcp-config', MCP, '--strict-mcp-config', FREE),
      scenario: mcp('fail', { chars: 100 }),
    },
    hello('an MCP server that does not start', '--mcp-config', BROKEN, '--strict-mcp-config'),
    { ...hello('a command that fails', FREE), scenario: fails },
    {
      ...hello('a missing file', FREE),
      scenario: { calls: [{ tools: [{ name: 'Read', input: { file_path: '/nowhere.txt' } }] }, { text: 'Done.' }] },
    },
    {
      ...hello('an unknown tool', FREE),
      scenario: { calls: [{ tools: [{ name: 'Nope', input: {} }] }, { text: 'Done.' }] },
    },
    {
      ...hello('two tools at once', FREE),
      scenario: {
        calls: [{ tools: [...bash('echo one').tools, ...bash('sleep 1; echo two').tools] }, { text: 'Done.' }],
      },
    },
    {
      ...hello('a background command that ends soon', FREE),
      scenario: {
        calls: [bash('sleep 2', { run_in_background: true }), { text: 'Started.' }, { text: 'It has ended.' }],
      },
    },
    {
      name: 'a background command that ends soon, text',
      claude: ['-p', 'hello', FREE],
      scenario: {
        calls: [bash('sleep 2', { run_in_background: true }), { text: 'Started.' }, { text: 'It has ended.' }],
      },
    },
  ],
};

const quick = { CLAUDE_CODE_MAX_RETRIES: '1' };
const refused = (status: number, more: object = {}) => ({ calls: () => ({ error: { status, ...more } }) });
const BAD = { type: 'invalid_request_error', message: 'messages: text content blocks must be non-empty' };

export const ERRORS: Group = {
  title: 'Errors of the API',
  rows: [
    { ...hello('400'), scenario: refused(400, BAD), env: quick },
    { ...hello('401'), scenario: refused(401), env: quick },
    { ...hello('529, tried once more'), scenario: refused(529), env: quick },
    {
      ...hello('500, then an answer'),
      scenario: { calls: [{ error: { status: 500 } }, { text: 'Hi there' }] },
      env: quick,
    },
  ],
};

const long = { calls: [{ text: 'first line\nsecond line\nthird line' }] };

/**
 * A signal comes while a tool is at work. Claude alone prints its result only now and then, as its end and the interrupted
 * request run a race: seldom while a tool is at work, often while the API is being asked.
 */
function broken(signal: NodeJS.Signals, format: readonly string[]): Row {
  return {
    name: `${signal} in a turn, ${format.slice(1).join(' ') || 'text'}`,
    claude: ['-p', 'hello', FREE, ...format],
    scenario: { calls: [bash('touch begun; sleep 300'), { text: 'late' }] },
    async during(program, { scratch }) {
      program.stdin.end();
      await vi.waitFor(() => expect(existsSync(join(scratch.cwd, 'begun'))).toBe(true), { timeout: 60_000 });
      program.kill(signal);
    },
  };
}

export const SHELLS: Group = {
  title: 'Pipes and signals',
  rows: [
    { name: 'text … | head -1', claude: ['-p', 'hello'], scenario: long, shell: 'set -o pipefail; "$@" | head -1' },
    {
      name: 'stream-json … | head -1',
      claude: ['-p', 'hello', ...STREAM_OUT, FREE],
      scenario: { calls: [bash('echo one'), { text: 'Done.' }] },
      shell: 'set -o pipefail; "$@" | head -1',
    },
    { name: 'stdout closed', claude: ['-p', 'hello'], shell: '"$@" >&-' },
    broken('SIGINT', []),
    broken('SIGINT', STREAM_OUT),
    broken('SIGTERM', []),
  ],
};
