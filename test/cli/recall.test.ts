import { copyFileSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createPlace, ctxb, type Place } from './fakes.ts';

const RECORDING = fileURLToPath(new URL('../../fixtures/recordings/tool-turn.session.jsonl', import.meta.url));
const SESSION = '959732e9-84ab-4325-9464-f449bb358a58';

/** Where claude logs the sessions of a folder. */
function projectOf(place: Place, cwd = place.cwd): string {
  const folder = place.path(join('.claude', 'projects', realpathSync(cwd).replaceAll(/[^a-zA-Z0-9]/g, '-')));
  mkdirSync(folder, { recursive: true });
  return folder;
}

const row = (type: string, content: unknown, more: object = {}) =>
  `${JSON.stringify({ type, message: { role: type, model: 'claude-sonnet-4-6', id: `msg_${JSON.stringify(content).length}`, content }, sessionId: 's2', timestamp: '2026-11-21T05:00:00.000Z', cwd: '/p', ...more })}\n`;

/** A command of a later session, and what it printed. */
const ran = (id: string, command: string, output: string) =>
  row('assistant', [{ type: 'tool_use', id, name: 'Bash', input: { command } }], { uuid: `a-${id}` }) +
  row('user', [{ type: 'tool_result', tool_use_id: id, content: output, is_error: true }], { uuid: `b-${id}` });

async function recall(place: Place, ...args: string[]) {
  const { code, stdout, stderr } = await ctxb(place, ['recall', ...args]);
  return { code, stdout: stdout.toString(), stderr };
}

it('finds commands with their outcome, answers and prompts, newest first', async () => {
  await using place = await createPlace();
  const folder = projectOf(place);
  copyFileSync(RECORDING, join(folder, `${SESSION}.jsonl`));
  writeFileSync(
    join(folder, 's2.jsonl'),
    ran('t1', 'make step', 'Exit code 2\nmake: *** No rule to make target: step'),
  );
  const steps = await recall(place, 'STEP');
  expect(steps).toMatchObject({ code: 0, stderr: '' });
  const heads = steps.stdout.split('\n').filter((line) => /^\S/.test(line));
  expect(heads).toEqual([
    expect.stringMatching(/^2026-11-21 05:00:00 UTC {2}s2 {2}.*`make step`.*exit 2/),
    expect.stringMatching(/^2026-11-21 03:19:07 UTC {2}959732e9 {2}.*`echo step 2`/),
    expect.stringMatching(/^2026-11-21 03:19:07 UTC {2}959732e9 {2}.*`echo step 1`/),
  ]);
  // What stands in the head is not said again.
  expect(steps.stdout).toContain('`make: *** No rule to make target: step`\n\n');
  expect(steps.stdout).not.toContain('    make');
  expect((await recall(place, 'list', 'here')).stdout).toMatch(/UTC {2}959732e9 {2}you\n {4}List what is here\.\n$/);
  expect((await recall(place, 'done.')).stdout).toMatch(/claude\n {4}Done\.\n$/);
});

it('treats each argument as a phrase, requires all, and limits the number of hits', async () => {
  await using place = await createPlace();
  copyFileSync(RECORDING, join(projectOf(place), `${SESSION}.jsonl`));
  expect((await recall(place, 'step 1')).stdout.match(/UTC/g)).toHaveLength(1);
  expect(await recall(place, 'step', 'nowhere')).toEqual({
    code: 1,
    stdout: '',
    stderr: "ctxb: no match for step and nowhere in this project's sessions\n",
  });
  const [first, ...more] = JSON.parse((await recall(place, '--json', '--limit', '1', 'step')).stdout);
  expect({ first, more }).toMatchObject({
    first: { kind: 'call', session: SESSION, lines: expect.arrayContaining(['echo step 2']) },
    more: [],
  });
  const none = await recall(place, '--limit', '0', 'step');
  expect(none).toMatchObject({ code: 2, stderr: 'ctxb: --limit: expected a whole number from 1 on, found "0"\n' });
});

it.each([
  ['STRASSE', 'Die Straße ist frei.'],
  ['straße', 'DIE STRASSE IST FREI.'],
  ['STRAẞE', 'Die Straße ist frei.'],
  ['λογος', 'Ο ΛΟΓΟΣ ΤΟΥ.'],
  ['λογοσ', 'Ο λογος του.'],
  ['office', 'The o\ufb03ce is open.'],
  ['CAFE\u0301', 'Das Café ist auf.'],
])('ignores case as Unicode does: %s finds %s', async (word, text) => {
  await using place = await createPlace();
  writeFileSync(join(projectOf(place), 's2.jsonl'), row('user', text));
  expect((await recall(place, word)).stdout).toContain(text);
});

it('searches only this project, unless --all is given', async () => {
  await using place = await createPlace();
  mkdirSync(place.path('other'));
  copyFileSync(RECORDING, join(projectOf(place, place.path('other')), `${SESSION}.jsonl`));
  expect((await recall(place, 'step')).code).toBe(1);
  expect((await recall(place, '--all', 'step')).stdout).toContain('echo step 2');
});

it('finds cut results and handoffs', async () => {
  await using place = await createPlace();
  mkdirSync(place.path('.context/tool-results'), { recursive: true });
  mkdirSync(place.path('.context/handoffs'), { recursive: true });
  writeFileSync(place.path('.context/CTXB.TAG'), '');
  writeFileSync(place.path('.context/tool-results/toolu_1.txt'), 'line one\nthe needle is here\n');
  writeFileSync(place.path('.context/handoffs/handoff-1.md'), '## Dead ends\nno needle in the old API\n');
  const { stdout } = await recall(place, 'needle');
  expect(stdout).toMatch(/UTC {2}\S+\.context\/tool-results\/toolu_1\.txt\n {4}the needle is here\n/);
  expect(stdout).toMatch(/UTC {2}\S+\.context\/handoffs\/handoff-1\.md\n {4}no needle in the old API\n/);
});

it('shows no secret, and no copy that a fork has made', async () => {
  await using place = await createPlace();
  const folder = projectOf(place);
  const secret = `ghp_${'a1B2'.repeat(9)}`;
  const log = ran('t1', 'deploy', `Exit code 1\nrefused for ${secret}`);
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.jsonl`), log);
  const { stdout } = await recall(place, 'refused');
  expect(stdout).not.toContain(secret);
  expect(stdout.match(/refused for/g)?.length).toBe(1);
  expect(stdout.match(/^\S/gm)).toHaveLength(1);
});

it('reads a log to its end, whatever its contents', async () => {
  await using place = await createPlace();
  const log = readFileSync(RECORDING, 'utf8');
  writeFileSync(join(projectOf(place), 'torn.jsonl'), `not JSON step\n${log}{"type":"user","mess`);
  expect((await recall(place, 'step 2')).code).toBe(0);
});

it('names unreadable files, and searches the others', async () => {
  await using place = await createPlace();
  const folder = projectOf(place);
  copyFileSync(RECORDING, join(folder, `${SESSION}.jsonl`));
  mkdirSync(join(folder, SESSION, 'subagents'), { recursive: true });
  symlinkSync('agent-a.jsonl', join(folder, SESSION, 'subagents', 'agent-a.jsonl'));
  const found = await recall(place, 'step 2');
  expect(found).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^ctxb: \S+agent-a\.jsonl: cannot be read .*\n$/),
  });
  expect(found.stdout).toContain('`echo step 2`');
  expect((await recall(place, 'nowhere said')).code).toBe(2);
});

it('omits sessions of another project with logs in the same folder', async () => {
  await using place = await createPlace();
  const [mine, other] = [join(place.cwd, 'app-api'), join(place.cwd, 'app_api')];
  for (const cwd of [mine, other]) mkdirSync(cwd);
  const cwd = realpathSync(other);
  writeFileSync(join(projectOf(place, mine), 's2.jsonl'), row('user', 'the launch code is BLUEHERON', { cwd }));
  expect((await ctxb({ ...place, cwd: mine }, ['recall', 'BLUEHERON'])).code).toBe(1);
  expect((await ctxb({ ...place, cwd: other }, ['recall', 'BLUEHERON'])).code).toBe(0);
});

it.each([
  { words: 'ls alpha', by: '  you' },
  { words: 'beta', by: '' },
  { words: 'gamma', by: '' },
])('finds $words of a command that the user ran in the shell', async ({ words, by }) => {
  await using place = await createPlace();
  const rows = ['<bash-input>ls alpha</bash-input>', '<bash-stdout>beta</bash-stdout><bash-stderr>gamma</bash-stderr>'];
  writeFileSync(join(projectOf(place), 'shell.jsonl'), rows.map((text) => row('user', text)).join(''));
  const { stdout } = await recall(place, words);
  expect(stdout).toMatch(new RegExp(`shell${by}\\n +${words}\\n`));
});

it.each(['caf\u00e9-menu', 'cafe\u0301-menu'])('finds %j in both Unicode forms', async (word) => {
  await using place = await createPlace();
  const folder = projectOf(place);
  for (const form of ['NFC', 'NFD'])
    writeFileSync(join(folder, `${form}.jsonl`), row('user', `print the ${word.normalize(form)} in ${form}`));
  const { stdout } = await recall(place, word);
  expect(stdout).toContain('in NFC');
  expect(stdout).toContain('in NFD');
});
