import { bash, FREE, type Group, JSON_OUT, STREAM_OUT } from '../row.ts';

const WRITES = { name: 'Write', input: { file_path: 'new.txt', content: 'new\n' } };
const writes = { calls: [{ tools: [WRITES] }, { text: 'Done.' }] };
const steps = { calls: [bash('echo one'), bash('echo two'), { text: 'Done.' }] };
const hello = (name: string, ...claude: string[]) => ({ name, claude: ['-p', 'hello', ...claude, ...STREAM_OUT] });

export const PERMISSIONS: Group = {
  title: 'Permissions and plan mode',
  rows: [
    { ...hello('a tool that may not run'), scenario: writes },
    { ...hello('--permission-mode plan', '--permission-mode', 'plan'), scenario: writes },
    {
      ...hello('leaving plan mode', '--permission-mode', 'plan'),
      scenario: { calls: [{ tools: [{ name: 'ExitPlanMode', input: { plan: 'Do it.' } }] }, { text: 'Done.' }] },
    },
    { ...hello('--permission-mode acceptEdits', '--permission-mode', 'acceptEdits'), scenario: writes },
    { ...hello('--dangerously-skip-permissions', FREE), scenario: writes },
    { ...hello('--allowedTools', '--allowedTools', 'Write'), scenario: writes },
    { ...hello('--disallowedTools', '--disallowedTools', 'Write'), scenario: writes },
  ],
};

const AGENTS = JSON.stringify({ scout: { description: 'Looks around', prompt: 'You look around.' } });
const delegates = {
  calls: [
    {
      tools: [
        {
          name: 'Agent',
          input: { subagent_type: 'scout', description: 'Look', prompt: 'Look around', run_in_background: false },
        },
      ],
    },
    { text: 'Done.' },
  ],
  subagentCalls: [{ text: 'There is nothing.' }],
};
const SCHEMA = JSON.stringify({
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
});
const structured = { calls: [{ tools: [{ name: 'StructuredOutput', input: { answer: 'yes' } }] }, { text: 'Done.' }] };

export const AGENTS_AND_SCHEMAS: Group = {
  title: 'Agents and schemas',
  rows: [
    { ...hello('--agents, and one is used', '--agents', AGENTS, FREE), scenario: delegates },
    hello('--agent', '--agents', AGENTS, '--agent', 'scout'),
    {
      name: '--json-schema, json',
      claude: ['-p', 'hello', '--json-schema', SCHEMA, ...JSON_OUT],
      scenario: structured,
    },
    { ...hello('--json-schema, stream-json', '--json-schema', SCHEMA), scenario: structured },
  ],
};

export const OPTIONS: Group = {
  title: 'Options',
  rows: [
    hello('--append-system-prompt', '--append-system-prompt', 'Be kind.'),
    hello('--system-prompt', '--system-prompt', 'You are terse.'),
    hello('--tools', '--tools', 'Read'),
    hello('no tools', '--tools', ''),
    hello('--model', '--model', 'claude-sonnet-4-6'),
    hello('--model with a large window', '--model', 'claude-sonnet-4-6[1m]'),
    { ...hello('--max-turns', '--max-turns', '1'), scenario: steps },
    { ...hello('--max-budget-usd', '--max-budget-usd', '0.0001'), scenario: steps },
    { name: '--max-budget-usd as text', claude: ['-p', 'hello', '--max-budget-usd', '0.0001'], scenario: steps },
    hello('--bare', '--bare'),
    hello('a sandbox in the settings', '--settings', '{"sandbox":{"enabled":true}}'),
    hello('--settings', '--settings', '{"env":{"A_VARIABLE":"1"},"includeCoAuthoredBy":false}'),
    { ...hello('--add-dir', '--add-dir', 'beside'), files: { 'beside/file.txt': 'text\n' } },
    hello('--max-thinking-tokens', '--max-thinking-tokens', '2000'),
    { ...hello('CLAUDE.md in the work folder'), files: { 'CLAUDE.md': 'Use tabs.\n' } },
  ],
};

export const MISTAKES: Group = {
  title: 'What claude refuses',
  rows: [
    { name: 'an unknown option', claude: ['-p', 'hello', '--nope'] },
    { name: 'an unknown option with -p before it', claude: ['-p', '--nope', 'hello'] },
    { name: 'an unknown option, json', claude: ['-p', 'hello', '--nope', ...JSON_OUT] },
    { name: 'a missing value', claude: ['-p', 'hello', '--model'] },
    { name: 'an unknown format', claude: ['-p', 'hello', '--output-format', 'xml'] },
    { name: 'stream-json without --verbose', claude: ['-p', 'hello', '--output-format', 'stream-json'] },
    { name: 'stream-json in, text out', claude: ['-p', '--input-format', 'stream-json'] },
    { name: '--agents with broken JSON', claude: ['-p', 'hello', '--agents', '{nope'] },
    { name: '--json-schema with broken JSON', claude: ['-p', 'hello', '--json-schema', '{nope'] },
    { name: '--settings with a missing file', claude: ['-p', 'hello', '--settings', 'nowhere.json'] },
    { name: 'an unknown --permission-mode', claude: ['-p', 'hello', '--permission-mode', 'nope'] },
    { name: '--agent of an unknown agent', claude: ['-p', 'hello', '--agent', 'nope'] },
    { name: '--agent of an unknown agent, json', claude: ['-p', 'hello', '--agent', 'nope', ...JSON_OUT] },
    hello('--agent of an unknown agent, stream-json', '--agent', 'nope'),
    { name: '--max-turns without a number', claude: ['-p', 'hello', '--max-turns', 'nope'] },
    { name: 'an unknown --model', claude: ['-p', 'hello', '--model', 'nope'] },
    { name: '--disallowedTools with an incomplete rule', claude: ['-p', 'hello', '--disallowedTools', 'Bash(git'] },
    { name: '--settings that do not load', claude: ['-p', 'hello', '--settings', '{"permissions":5}'] },
    { name: '--version', claude: ['--version'] },
    { name: '--help', claude: ['--help'] },
  ],
};
