import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createPlace, ctxb, ctxbHere } from './fakes.ts';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const COMMANDS = [
  'run',
  'replay',
  'recall',
  'receipts',
  'scratch',
  'handoff',
  'note',
  'flow',
  'health',
  'runs',
  'compact',
  'stop',
  'cleanup',
  'config',
  'statusline',
  'doctor',
  'completion',
  'demo',
];

/** Nobody types these. */
const FOR_PROGRAMS = ['statusline', 'shim'];

describe('help', () => {
  it.each([{ args: ['help', '--all'] }, { args: ['--help', '--all'] }])(
    'ctxb $args names all commands',
    async ({ args }) => {
      await using place = await createPlace();
      const run = await ctxbHere(place, args);
      const named = [...run.stdout.toString().matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name);
      expect(named.sort()).toEqual([...COMMANDS, 'shim'].sort());
      expect(run).toMatchObject({ code: 0, stderr: '' });
    },
  );

  it.each([
    { args: ['claude', '-p', 'say hi'], says: "did you mean: ctxb run -- claude -p 'say hi'\n" },
    { args: ['run', '-p', 'hi'], says: 'did you mean: ctxb run -- claude -p hi\n' },
    { args: ['run', '--observe', '--model', 'x'], says: 'did you mean: ctxb run --observe -- claude --model x\n' },
  ])('$args shows where to put claude', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxbHere(place, args);
    expect(run.stderr).toContain(says);
    expect(run.code).toBe(2);
  });

  it.each([{ args: ['run', '--promt', 'x'] }, { args: ['run', '--promt', 'x', '--', 'claude'] }])(
    '$args is a typing error, not an option for claude',
    async ({ args }) => {
      await using place = await createPlace();
      const run = await ctxbHere(place, args);
      expect(run.stderr).toContain('(Did you mean --prompt?)');
      expect(run.stderr).not.toContain('did you mean:');
    },
  );

  it.each([
    { args: ['--help'], code: 0, stream: 'stdout' },
    { args: ['-h'], code: 0, stream: 'stdout' },
    { args: ['help'], code: 0, stream: 'stdout' },
    { args: ['help', '--help'], code: 0, stream: 'stdout' },
    { args: ['help', 'help'], code: 0, stream: 'stdout' },
    { args: [], code: 2, stream: 'stderr' },
  ] as const)('ctxb $args names every command for people ($code, $stream)', async ({ args, code, stream }) => {
    await using place = await createPlace();
    const run = await ctxbHere(place, args);
    const text = run[stream].toString();
    for (const name of COMMANDS.filter((each) => !FOR_PROGRAMS.includes(each))) expect(text).toContain(`  ${name}`);
    for (const name of FOR_PROGRAMS) expect(text).not.toContain(`  ${name}`);
    expect(text).toContain('ctxb help --all');
    expect(run[stream === 'stdout' ? 'stderr' : 'stdout'].toString()).toBe('');
    expect(run.code).toBe(code);
  });

  it.each(COMMANDS)('ctxb help %s prints its --help', async (name) => {
    await using place = await createPlace();
    const one = await ctxbHere(place, ['help', name]);
    const other = await ctxbHere(place, [name, '--help']);
    expect(one).toMatchObject({ code: 0, stderr: '' });
    expect(other).toMatchObject({ code: 0, stderr: '' });
    expect(one.stdout.toString()).toContain(`Usage: ctxb ${name}`);
    expect(one.stdout.toString()).toBe(other.stdout.toString());
  });

  it.each([
    {
      name: 'run',
      options: [
        ...['--prompt ', '--prompts', '--resume-run', '--compact-at', '--tool-budgets', '--observe'],
        ...['--cost-limit', '--on-cost-limit', '--time-limit', '--limit-wait', '--stall-after'],
        ...['--max-agents', '--max-agent-tokens', '--max-agent-cost', '--record', '--summary', '--quiet', '--dry-run'],
      ],
    },
    {
      name: 'replay',
      options: [
        ...['--detail', '--json', '--ndjson', '--csv', '--markdown', '--series'],
        ...['--what-if', '--explain', '--since'],
        ...['--fail-over', '--max-compactions', '--max-unplanned', '--max-cost'],
      ],
    },
    { name: 'scratch', options: ['--out', '--context-dir'] },
    { name: 'note', options: ['state ', 'dead-end '] },
    { name: 'note state', options: ['--context-dir'] },
    { name: 'note dead-end', options: ['--context-dir'] },
    { name: 'handoff', options: ['--timeout', '--json'] },
    { name: 'flow', options: ['explain ', 'report ', 'studio '] },
    { name: 'health', options: ['--json', '--context-dir'] },
    { name: 'cleanup', options: ['--keep', '--context-dir'] },
    { name: 'doctor', options: ['--claude', '--quick', '--strict', '--timeout', '--json'] },
  ])('ctxb $name --help names its options and has examples', async ({ name, options }) => {
    await using place = await createPlace();
    const run = await ctxbHere(place, [...name.split(' '), '--help']);
    const text = run.stdout.toString();
    for (const option of options) expect(text).toContain(`  ${option}`);
    expect(text).toContain(`Examples:\n  ctxb ${name}`);
  });
});

it('ctxb run --help shows some options in groups, --help --all shows all of them', async () => {
  await using place = await createPlace();
  const optionsIn = (text: string) => [...text.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
  const [first, all, topic] = await Promise.all(
    [
      ['run', '--help'],
      ['run', '--help', '--all'],
      ['help', 'run', '--all'],
    ].map((args) => ctxb(place, args)),
  );
  const shown = first?.stdout.toString() ?? '';
  for (const group of ['Prompts', 'Cost', 'Unattended', 'Subagents', 'Context', 'Output'])
    expect(shown).toContain(`\n${group}:\n`);
  expect(optionsIn(shown).length).toBeLessThanOrEqual(21);
  const hint = 'ctxb run --help --all shows all options.';
  expect(shown).toContain(hint);
  expect(all?.stdout.toString()).not.toContain(hint);
  const hidden = [
    '--window',
    '--strategy',
    '--compaction',
    '--no-compaction',
    '--no-restart',
    '--config',
    '--no-config',
  ];
  for (const option of hidden) {
    expect(optionsIn(shown)).not.toContain(option);
    expect(optionsIn(all?.stdout.toString() ?? '')).toContain(option);
  }
  expect(topic?.stdout.toString()).toBe(all?.stdout.toString());
});

it('ctxb run --help names the allowed values of an option', async () => {
  await using place = await createPlace();
  const { stdout } = await ctxbHere(place, ['run', '--help', '--all']);
  const text = stdout.toString().replace(/\s+/g, ' ');
  expect(text).toContain(
    '--status-line <when> when to show the status line; auto: only on a terminal (auto, always, never; default: auto)',
  );
  expect(text).toContain('(auto, ask, wrap-up, stop; default: auto)');
});

it.each([{ args: ['--version'] }, { args: ['-V'] }])('$args prints the version', async ({ args }) => {
  await using place = await createPlace();
  const run = await ctxbHere(place, args);
  expect(run.stdout.toString()).toBe(`${version}\n`);
  expect(run).toMatchObject({ code: 0, stderr: '' });
});

describe('unknown commands and options end with 2', () => {
  it.each([
    { title: 'a command', args: ['rum'], says: "ctxb: unknown command 'rum'\n(Did you mean run?)" },
    { title: 'an unknown command', args: ['xyzzy'], says: 'See ctxb --help.' },
    { title: 'an option', args: ['--versoin'], says: '--version' },
    { title: 'an option of run', args: ['run', '--promt', 'x', '--', 'claude'], says: '--prompt' },
    { title: 'an option of replay', args: ['replay', '--jsn'], says: '--json' },
    { title: 'an option of cleanup', args: ['cleanup', '--kep', '1'], says: '--keep' },
    { title: 'an option of handoff', args: ['handoff', '--timeot', '1'], says: '--timeout' },
    { title: 'an option of health', args: ['health', '--jsn'], says: '--json' },
    { title: 'an option of scratch', args: ['scratch', '--ot', 'x'], says: '--out' },
    { title: 'a second session', args: ['scratch', 'one', 'two'], says: 'argument' },
    { title: 'state without a text', args: ['note', 'state'], says: "'text'" },
    { title: 'an option of config', args: ['config', '--jsno'], says: '--json' },
    { title: 'a topic of help', args: ['help', 'relpay'], says: 'did you mean replay?' },
    { title: 'an unknown topic of help', args: ['help', 'xyzzy'], says: 'see ctxb --help' },
    { title: 'a command of flow', args: ['flow', 'rnu'], says: 'Did you mean run?' },
    { title: 'an unknown command of flow', args: ['flow', 'xyzzy'], says: 'See ctxb flow --help.' },
    { title: 'an option of flow run', args: ['flow', 'run', '--profil', 'p'], says: 'Did you mean --profile?' },
    { title: 'an unknown option', args: ['run', '--xyzzy'], says: 'See ctxb run --help.' },
    { title: 'a shell of completion', args: ['completion', 'csh'], says: 'bash, zsh, fish' },
    { title: 'an argument of config', args: ['config', 'extra'], says: 'argument' },
    { title: 'an option without its value', args: ['run', '--prompts'], says: '--prompts' },
  ])('$title', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await ctxbHere(place, args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(says);
    expect(run.stdout.toString()).toBe('');
    expect(run.stderr).not.toContain('    at ');
  });
});

it.each([
  { flags: ['--compact-at', '0'], says: 'ctxb: --compact-at: expected ' },
  { flags: ['--warn-at', '80%'], says: 'ctxb: --warn-at: expected ' },
  { flags: ['--window', 'big'], says: 'ctxb: --window: expected ' },
  { flags: ['--compact-when', 'never'], says: 'ctxb: --compact-when: expected ' },
  { flags: ['--handoff-at', '50%', '--compact-at', '60%'], says: 'ctxb: --compact-at: expected less than ' },
  { flags: ['--strategy', 'none'], says: 'ctxb: --strategy: expected ' },
  { flags: ['--on-large-task', 'ignore'], says: 'ctxb: --on-large-task: expected ' },
  { flags: ['--tool-budgets', 'on'], says: 'ctxb: --tool-budgets: expected ' },
  { flags: ['--cost-limit', '0'], says: 'ctxb: --cost-limit: expected ' },
  { flags: ['--project-cost-limit', 'five'], says: 'ctxb: --project-cost-limit: expected ' },
  { flags: ['--on-cost-limit', 'wait'], says: 'ctxb: --on-cost-limit: expected ' },
  { flags: ['--limit-wait', 'long'], says: 'ctxb: --limit-wait: expected ' },
  { flags: ['--outage-wait', '25d'], says: 'ctxb: --outage-wait: expected ' },
])('ctxb run $flags reports the fault and starts nothing', async ({ flags, says }) => {
  await using place = await createPlace();
  const run = await ctxbHere(place, ['run', ...flags, '--prompt', 'x', '--', 'no-such-claude']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(says);
});
