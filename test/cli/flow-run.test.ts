import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inSoak } from '../support/size.ts';
import { createPlace, ctxb, fake, journalOf, type Place } from './fakes.ts';

const TWO = 'name: job\nsteps:\n  - {id: one, objective: Do one.}\n  - {id: two, objective: Do two.}\n';

async function flowPlace(text = TWO): Promise<Place> {
  const place = await createPlace();
  await place.file('flow.yaml', text);
  return place;
}

function run(place: Place, flags: readonly string[] = [], claude: readonly string[] = [fake('answers')]) {
  return ctxb(place, ['flow', 'run', 'flow.yaml', ...flags, '--', ...claude]);
}

it('runs every step and exits 0', async () => {
  await using place = await flowPlace();
  const end = await run(place);
  expect([end.code, end.stdout.toString()]).toEqual([0, '']);
  expect(end.stderr).toContain('ctxb: 2 of 2 steps done: ');
});

/** Id of the first run. */
const runOf = (place: Place): string => readdirSync(place.path('.context/flows'))[0] ?? '';

it('the help shows the beginning of a real run id', async () => {
  await using place = await flowPlace();
  await run(place);
  const id = runOf(place);
  const help = await ctxb(place, ['flow', 'run', '--help']);
  const [, example = ''] = /--resume (\d\S*)/.exec(help.stdout.toString()) ?? [];
  expect(example).not.toBe('');
  expect(id.replace(/\d/g, '0').startsWith(example.replace(/\d/g, '0'))).toBe(true);
});

it('uses the budgets of all flows, and reports once which settings are not used', async () => {
  await using place = await flowPlace();
  await place.file('.contextbudgetrc.json', '{"flow":{"contextBudgetChars":90000,"historyOlderChars":9}}');
  const said = 'ctxb: historyOlderChars: 9 (global) is below the floor of 500; 500 is used\n';
  const end = await run(place);
  expect(end.code).toBe(0);
  expect(end.stderr.split(said)).toHaveLength(2);
  const receipt = JSON.parse(readFileSync(place.path(`.context/flows/${runOf(place)}/two/receipt.json`), 'utf8'));
  expect(receipt).toMatchObject({
    context_truncation: { budget_chars: 90_000 },
    budgets: { historyOlderChars: { value: 500, source: 'global' } },
    budget_warnings: [{ set: 9, used: 500, source: 'global' }],
  });
});

it('a step without all of its outputs is not done, and steps that need it do not run', async () => {
  await using place = await flowPlace(
    'name: job\nsteps: [{id: one, objective: o, outputs: [flow.yaml, docs/plan.md, b.md]}, {id: two, objective: o}]\n',
  );
  const end = await run(place);
  expect(end.code).toBe(1);
  expect(end.stderr).toContain('ctxb: [one] failed: it has not made docs/plan.md, b.md (');
  expect(end.stderr).toContain('ctxb: not run: two\n');
});

it('reports if the notes of one step exceed its budget', async () => {
  const notes = 'n'.repeat(11_000);
  await using place = await flowPlace(
    `name: job\nsteps: [{id: one, objective: o, teaching: {notes: ${notes}}, budgets: {contextBudgetChars: 10000}}]\n`,
  );
  const end = await run(place);
  expect(end.code).toBe(0);
  expect(end.stderr).toMatch(/^ctxb: \[one\] The teaching notes alone take 11,\d{3} of 10,000 characters; they stay/m);
});

it('--quiet prints nothing on stderr', async () => {
  await using place = await flowPlace();
  const end = await run(place, ['--quiet']);
  expect([end.code, end.stderr]).toEqual([0, '']);
});

it('reports all faults of a flow at once, and runs nothing', async () => {
  await using place = await flowPlace(
    'name: job\nsteps:\n  - {id: one, objective: o, timeoutSeconds: -1}\n  - {id: one, objective: o}\n  - {id: two, needs: [one]}\n',
  );
  const end = await run(place);
  expect(end.code).toBe(2);
  const [heading, ...lines] = end.stderr.trimEnd().split('\n');
  expect(heading).toBe('ctxb: the flow has 4 errors:');
  expect(lines).toHaveLength(4);
  for (const line of lines) expect(line).toMatch(/^ {2}steps\[\d\].*flow\.yaml:\d\)/);
  expect(existsSync(place.path('.context'))).toBe(false);
});

it.each([
  { title: 'a prompt', words: ['go'], says: 'leave the prompt "go" out' },
  { title: 'a prompt after -p', words: ['-p', 'go'], says: 'leave the prompt "go" out' },
  { title: 'a session', words: ['--resume', '85324b67-e575-4ee8-9ad9-d915f0c95875'], says: 'leave the session out' },
  { title: '--continue', words: ['--continue'], says: 'leave the session out' },
  {
    title: 'one session for all steps',
    words: ['--session-id', '85324b67-e575-4ee8-9ad9-d915f0c95875'],
    says: 'leave the session out',
  },
  { title: 'a worktree without a name', words: ['--worktree'], says: 'leave the worktree (or give it a name) out' },
  { title: 'a format', words: ['--output-format', 'json'], says: 'leave the format out' },
  { title: 'prompts on stdin', words: ['--input-format', 'stream-json'], says: 'leave the format out' },
  { title: 'no headless run', words: ['--help'], says: 'this form of claude does not work in a flow' },
])('refuses $title for a flow', async ({ words, says }) => {
  await using place = await flowPlace();
  const end = await run(place, [], [fake('answers'), ...words]);
  expect([end.code, end.stdout.toString()]).toEqual([2, '']);
  expect(end.stderr).toContain(says);
  expect(end.stderr.trimEnd().split('\n')).toHaveLength(1);
  expect(existsSync(place.path('.context'))).toBe(false);
});

it.each([
  ...['--parallel', '--from', '--only'].map((option) => ({ flags: [option, '2'], says: `unknown option '${option}'` })),
  { flags: ['--resume', '../..'], says: '../..: no run starts with this; there are no runs yet' },
])('$flags is refused', async ({ flags, says }) => {
  await using place = await flowPlace();
  const end = await run(place, flags);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain(says);
});

it('a missing claude ends the flow with 127', async () => {
  await using place = await flowPlace('name: job\nsteps:\n  - {id: one, objective: o}\n  - {id: two, objective: o}\n');
  const end = await run(place, [], ['no-such-claude']);
  expect(end.code).toBe(127);
  expect(end.stderr.match(/no-such-claude: command not found/g)).toHaveLength(1);
});

it.each([
  { title: 'a file', make: (path: string) => writeFileSync(path, ''), says: 'is a file, not a folder' },
  { title: 'a link', make: (path: string) => symlinkSync('/tmp', path), says: 'is a symbolic link, not a folder' },
])('reports a context folder that is $title before it runs a step', async ({ make, says }) => {
  await using place = await flowPlace();
  make(place.path('.context'));
  const end = await run(place);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain(says);
  expect(end.stderr).not.toContain('[one]');
});

inSoak('reports a context folder that cannot be created before it runs a step', async () => {
  await using place = await flowPlace();
  // Not even root makes a folder there.
  const end = await run(place, ['--context-dir', '/proc/ctxb']);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('/proc/ctxb');
  expect(end.stderr).not.toContain('[one]');
});

it('a step is not done if claude ends without an answer', async () => {
  await using place = await flowPlace();
  const end = await run(place, [], ['true']);
  expect(end.code).toBe(7);
  expect(end.stderr).toContain('[one] failed: claude has ended without an answer');
});

it('many steps do not leak listeners', async () => {
  const ids = Array.from({ length: 12 }, (_, count) => `s${count}`);
  const steps = ids.map((id) => `  - {id: ${id}, objective: o}\n`).join('');
  await using place = await flowPlace(`name: job\nsteps:\n${steps}`);
  const end = await run(place);
  expect(end.code).toBe(0);
  expect(end.stderr).not.toContain('MaxListeners');
  expect(end.stderr).toContain('12 of 12 steps done: ');
  expect(journalOf(place).filter(({ kind }) => kind === 'start')).toHaveLength(12);
  const files = readdirSync(place.path(`.context/flows/${runOf(place)}`), { recursive: true });
  expect(files.filter((file) => String(file).endsWith('receipt.json'))).toHaveLength(12);
});

inSoak('does not mix up flows whose names end alike', async () => {
  await using place = await flowPlace();
  await place.file('other.yaml', TWO.replace('name: job', 'name: other-job'));
  await ctxb(place, ['flow', 'run', 'other.yaml', '--', fake('answers')]);
  const [other = ''] = readdirSync(place.path('.context/flows'));
  const end = await run(place, ['--resume', other]);
  expect(end.code).toBe(2);
  expect(end.stderr).toContain('no run starts with this; there are no runs yet');
});

it('--resume accepts the beginning of an id if it matches one run', async () => {
  await using place = await flowPlace();
  await run(place, []);
  const resumed = await run(place, ['--resume', new Date().toISOString().slice(0, 4)]);
  expect(resumed.code).toBe(0);
  expect(resumed.stderr).toContain('2 of 2 steps done: ');
  await run(place, []);
  const end = await run(place, ['--resume', new Date().toISOString().slice(0, 4)]);
  expect(end.code).toBe(2);
  expect(end.stderr).toMatch(/: several runs start with this; there are \S+, \S+\n/);
});

it('prints a command to continue that a shell accepts', async () => {
  await using place = await flowPlace();
  const end = await run(place, ['--context-dir', 'my notes'], ['false', '--allowedTools', "Bash(echo 'a' *)"]);
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(
    /--resume \S+ --context-dir 'my notes' -- false --allowedTools 'Bash\(echo '\\''a'\\'' \*\)'/,
  );
});
