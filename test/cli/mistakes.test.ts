import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, ctxbHere } from './fakes.ts';

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

const RUN = ['run', '--prompt', 'hi'];

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
  ...[['replay'], ['replay', '--since', '7d']].map((args) => ({
    args,
    says: 'stdin is empty: name recordings or a folder, such as ~/.claude/projects',
  })),
  { args: ['replay', 'empty'], says: 'empty is empty: name recordings or a folder' },
  { args: ['replay', '.'], says: '.: no recordings found: claude writes such lines with --output-format stream-json' },
  { args: ['replay', '--json', '.'], says: '.: no recordings found' },
  { args: ['replay', '--html', 'no/p.html', 'empty'], says: 'no/p.html cannot be written (ENOENT' },
  { args: ['replay', '--fail-over', '170', 'empty'], says: '--fail-over: expected a fraction of the window' },
  { args: ['replay', '--window', '20', 'empty'], says: '--window: expected a whole number of tokens, 1000 or more' },
  { args: ['run', '--compact-at', '60', '--', 'claude', '-p', 'hi'], says: 'did you mean "60%"?' },
  { args: ['replay', '--warn-at', '170', 'empty'], says: 'did you mean "70%"?' },
  { args: ['run', '--compact-at', '120k', '--', 'claude', '-p', 'hi'], says: 'did you mean 120000?' },
  { args: ['run', '--config', 'empty', '--', 'claude', '-p', 'hi'], says: 'give it keys, or remove it' },
  ...[
    ['--config', 'empty', '--no-config'],
    ['--no-config', '--config', 'empty'],
  ].map((both) => ({
    args: ['run', ...both, '--', 'claude', '-p', 'hi'],
    says: "option '--config <file>' cannot be used with option '--no-config'",
  })),
  ...[
    ['run', '--', 'env', 'X=1', 'claude', '-p', 'hi'],
    ['flow', 'run', 'good.yaml', '--', 'env', 'X=1', 'claude'],
  ].map((args) => ({ args, says: 'put env before ctxb, because ctxb starts claude itself' })),
  { args: ['run', '--prompts', 'empty', '--', 'claude'], says: '--prompts empty: no prompt in it' },
  { args: ['run', '--', '--quiet', 'claude'], says: 'options of ctxb come before --', code: 127 },
  { args: ['receipts', 'empty'], says: 'no line is from claude: name a recording' },
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
  { args: ['run', 'fix the test'], says: 'did you mean: ctxb run -- claude -p', code: 127 },
  { args: ['run', '-p', 'hi'], says: 'did you mean: ctxb run -- claude -p hi' },
  { args: ['run', '--model', 'opus', '--', 'claude'], says: 'Options of claude follow --: ctxb run -- claude --model' },
  { args: ['run', '--', './lines'], says: 'EACCES (it is not a program', code: 126 },
  { args: [...RUN, '--cost-limit', 'abc', '--', 'claude'], says: '--cost-limit: expected a number of US dollars' },
  { args: [...RUN, '--time-limit', '5x', '--', 'claude'], says: '--time-limit: expected a duration such as "90s"' },
  { args: [...RUN, '--stall-after', '5s', '--', 'claude'], says: '--stall-after: expected a duration with its unit' },
  { args: [...RUN, '--max-agents', 'two', '--', 'claude'], says: '--max-agents: expected a whole number, 0 or more' },
  { args: [...RUN, '--on-cost-limit', 'quit', '--', 'claude'], says: '--on-cost-limit: expected one of "auto"' },
  { args: [...RUN, '--compact-at', 'ecnomic', '--', 'claude'], says: 'did you mean "economic"?' },
  {
    args: [...RUN, '--warn-at', '90%', '--compact-at', '80%', '--', 'claude'],
    says: 'lower it or raise thresholds.compact',
  },
  { args: [...RUN, '--config', 'nothing', '--', 'claude'], says: 'nothing: expected a readable file' },
  { args: [...RUN, '--prompts', 'nothing', '--', 'claude'], says: '--prompts nothing: cannot be read' },
  {
    args: [...RUN, '--record', 'lines', '--', 'claude'],
    says: '--record lines: cannot be written (it exists already)',
  },
  { args: [...RUN, '--mask-record', '--', 'claude'], says: '--mask-record needs --record FILE' },
  { args: [...RUN, '--summary', 'no/s.json', '--', 'claude'], says: 'no/s.json cannot be written' },
  { args: [...RUN, '--at-reset', '--', 'claude'], says: '--at-reset needs --resume-run' },
  { args: ['run', '--resume-run', 'zzz'], says: 'no run whose id begins with zzz' },
  { args: ['run', '--resume-run', '--dry-run'], says: '--dry-run shows a new run' },
  { args: ['replay', '--since', 'yesterday', 'empty'], says: '--since: expected a date such as 2026-03-31' },
  { args: ['replay', '--by', 'hour', 'empty'], says: 'Allowed choices are day, project, model.' },
  { args: ['replay', '--json', '--csv', 'empty'], says: '--json and --csv exclude each other' },
  { args: ['replay', '--max-cost', 'cheap', 'empty'], says: '--max-cost: expected an amount in US dollars' },
  { args: ['receipts', 'nosuch'], says: 'nosuch: no such run, session or recording' },
  { args: ['scratch', 'nosuch'], says: 'nosuch: not a recording, and no session' },
  { args: ['note', 'dead-ends', 'x'], says: '(Did you mean dead-end?)' },
  { args: ['note', 'state', 'x'], says: 'ctxb runs lists all runs' },
  { args: ['compact', 'zzz'], says: 'run zzz is not known: ctxb runs lists the active ones' },
  { args: ['compact', '--timeout', '0'], says: '--timeout: expected a whole number of seconds, 1 or more' },
  { args: ['health', 'nosuch'], says: 'name an existing file or folder' },
  { args: ['cleanup', '--keep', 'all'], says: '--keep: expected a whole number of sessions' },
  { args: ['completion', 'powershell'], says: 'Allowed choices are bash, zsh, fish.' },
  { args: ['flow', 'report'], says: 'has no run of a flow: run one first' },
  { args: ['flow', 'run', 'good.yaml', '--', 'claude', '-p', 'hi'], says: 'in a flow, each step has its own' },
  {
    args: ['flow', 'run', 'good.yaml', '--profile', 'no', '--', 'claude'],
    says: '--profile: expected a name in profiles',
  },
];

/** Only the program is in the folder that has these files, and only beside the program is that of its threads. */
const ONLY_PROGRAM = new Set(['replay', '.', 'empty', 'f.yaml', 'good.yaml', './lines', 'lines']);

const BEGINNING = `# Wrong uses

This page shows what ctxb says when it is called wrongly, and its exit code. A test runs each command and makes the page. \`f.yaml\` is a flow with a
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
    const run = await (args.some((word) => ONLY_PROGRAM.has(word)) ? ctxb : ctxbHere)(place, args);
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
