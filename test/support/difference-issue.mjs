// Prints an issue about what `npm run claude:latest` has found: its title, an empty line, its text. The log is the argument.
import { readFileSync } from 'node:fs';

const lines = readFileSync(process.argv[2], 'utf8').split('\n');
const [, version = 'unknown'] =
  /^Claude Code (\S+)/.exec(lines.find((line) => line.startsWith('Claude Code ')) ?? '') ?? [];
const found = lines.filter((line) => /^(?:fact|test) {3}/.test(line));
const shown = lines.filter((line) => line.startsWith('shows  '));
const list = (title, all) => (all.length === 0 ? [] : [`## ${title}`, '', '```text', ...all, '```', '']);

const text = [
  `Claude Code ${version} differs`,
  '',
  found.length === 0
    ? 'The run has ended before it could compare: its log is with the workflow.'
    : `\`npm run claude:latest\` has found ${found.length} differences that the pinned version does not have.`,
  '',
  ...list('What fails', found),
  ...list('What it shows from outside', shown),
  'What to do: "A new release of Claude Code" in CONTRIBUTING.md.',
];
process.stdout.write(`${text.join('\n')}\n`);
