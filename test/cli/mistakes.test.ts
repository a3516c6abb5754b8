import { describe, expect, it } from 'vitest';
import { createPlace, ctxb } from './fakes.ts';

interface Mistake {
  readonly args: readonly string[];
  readonly says: string;
  readonly and?: string;
  readonly code?: number;
}

const NO_VALUE = [
  ['run', '--record', '--', 'claude'],
  ['run', '--record', '--quiet', '--', 'claude'],
  ['replay', '--html', '--json'],
  ['flow', 'run', '--resume', '--', 'claude'],
];

/** What people type who have read nothing yet. */
const MISTAKES: readonly Mistake[] = [
  { args: [], says: 'Usage: ctxb [options] [command]' },
  { args: ['rum'], says: '(Did you mean run?)' },
  { args: ['run'], says: 'no program given: ctxb run -- claude [arguments]' },
  { args: ['run', '--'], says: 'no program given: ctxb run -- claude [arguments]' },
  { args: ['run', '--cost-limt', '2', '--', 'claude'], says: '(Did you mean --cost-limit?)' },
  ...NO_VALUE.map((args) => ({ args, says: 'argument missing\nSee ctxb' })),
  { args: ['run', '--', 'clade'], says: 'clade: command not found', code: 127 },
  // What is written behind `=` is meant.
  { args: ['run', '--prompt=--quiet', '--', 'clade'], says: 'clade: command not found', code: 127 },
  { args: ['run', '--prompt', '', '--', 'claude'], says: '--prompt: the text is empty' },
  {
    args: ['run', '--prompts', 'lines', '--', 'claude'],
    says: 'lines:1: expected a JSON string',
    and: '"role":"user"',
  },
  { args: ['replay', 'nothing.ndjson'], says: 'name an existing file or folder' },
  ...[['replay'], ['replay', '--model', 'opus']].map((args) => ({
    args,
    says: 'stdin is empty: name recordings or a folder, such as ~/.claude/projects',
  })),
  { args: ['replay', 'empty'], says: 'empty is empty: name recordings or a folder' },
  { args: ['replay', '.'], says: '.: no recordings found: claude writes them with --output-format stream-json' },
  { args: ['replay', '--json', '.'], says: '.: no recordings found' },
  { args: ['replay', '--html', 'no/p.html', 'empty'], says: 'no/p.html cannot be written (ENOENT' },
  { args: ['replay', '--fail-over', '170', 'empty'], says: '--fail-over: expected a level such as 85%' },
  { args: ['replay', '--window', '20', 'empty'], says: '--window: expected a whole number of tokens, 1000 or more' },
  { args: ['run', '--compact-at', '60', '--', 'claude', '-p', 'hi'], says: 'did you mean "60%"?' },
  { args: ['run', '--compact-at', '120k', '--', 'claude', '-p', 'hi'], says: 'did you mean 120000?' },
  { args: ['run', '--config', 'empty', '--', 'claude', '-p', 'hi'], says: 'give it keys, or remove it' },
  { args: ['run', '--prompts', 'empty', '--', 'claude'], says: '--prompts empty: no prompt in it' },
  { args: ['run', '--', '--quiet', 'claude'], says: 'options of ctxb come before --', code: 127 },
  { args: ['receipts', 'empty'], says: 'no line comes from claude: name a recording' },
  { args: ['recall', 'nowhere'], says: 'no match for nowhere in this project', code: 1 },
  { args: ['scratch'], says: 'scratch.md does not exist: ctxb run keeps notes' },
  { args: ['flow', 'run', 'missing.yaml'], says: 'missing.yaml', and: 'no such file' },
  { args: ['flow', 'run', 'good.yaml'], says: 'did you mean: ctxb flow run good.yaml -- claude' },
  { args: ['replay', '--what-if', 'gird'], says: 'gird: cannot be read' },
  { args: ['replay', '--html', '-', 'f.yaml'], says: 'stdout has other output: name a file instead of -' },
  { args: ['recall'], says: "missing required argument 'words'" },
  { args: ['recall', ''], says: 'recall: name a word to look for' },
  { args: ['flow'], says: 'Usage: ctxb flow' },
  { args: ['flow', 'run'], says: 'See ctxb flow run --help.' },
  { args: ['flow', 'run', 'f.yaml'], says: 'steps[0].promt: expected one of', and: 'did you mean prompt?' },
  { args: ['flow', 'explain', 'f.yaml'], says: 'steps[0].promt: expected one of', and: 'did you mean prompt?' },
  { args: ['handoff'], says: 'no run is active in this folder' },
  { args: ['note'], says: 'Usage: ctxb note' },
  { args: ['note', 'state', ''], says: 'note state: the text is empty' },
  { args: ['help', 'rum'], says: 'did you mean run?' },
];

const BEGINNING = `# Wrong uses

What ctxb says when it is called wrongly, and its exit code. A test runs each command and makes this page. \`f.yaml\` is a flow with a
wrong key, \`good.yaml\` one without a mistake. \`lines\` is a file of prompts with a wrong role, \`empty\` an empty file.

| command | message | exit code |
| --- | --- | --- |
`;

describe('a wrong use', () => {
  const rows = new Map<Mistake, string>();

  it.each(MISTAKES)('ctxb $args: $says', async (mistake) => {
    const { args, says, and = '', code = 2 } = mistake;
    await using place = await createPlace();
    await place.file('empty', '');
    await place.file('good.yaml', 'name: x\nsteps:\n  - id: a\n    prompt: do it\n');
    await place.file('f.yaml', 'name: x\nsteps:\n  - id: a\n    promt: do it\n');
    await place.file('lines', '{"type":"user","message":{"role":"assistant","content":"Go."}}\n');
    const run = await ctxb(place, args);
    expect(run.stderr).toContain(says);
    expect(run.stderr).toContain(and);
    expect(run.stderr).not.toMatch(/ctxb: (?:\w+ )?(?:ctxb|error)/);
    expect(run.code).toBe(code);
    rows.set(mistake, rowOf(args, run.stderr.replaceAll(`${place.cwd}/`, ''), code));
  });

  it('docs/mistakes.md shows the message and the exit code of each (npm test -- mistakes -u)', async () => {
    const page = MISTAKES.map((mistake) => rows.get(mistake)).join('\n');
    await expect(`${BEGINNING}${page}\n`).toMatchFileSnapshot('../../docs/mistakes.md');
  });
});

/** Without the reference to the help; of the help itself the first line. */
function rowOf(args: readonly string[], stderr: string, code: number): string {
  const words = args.map((arg) => (/^[\w./=-]+$/.test(arg) ? arg : `'${arg}'`));
  const lines = stderr
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('See ctxb'));
  const said = stderr.startsWith('Usage:') ? lines.slice(0, 1) : lines;
  const message = said.map((line) => line.trim().replace(/^ctxb: /, '')).join(' ');
  return `| ${[['ctxb', ...words].join(' '), message].map((text) => `\`${text.replaceAll('|', '\\|')}\``).join(' | ')} | ${code} |`;
}
