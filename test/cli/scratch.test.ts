import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { inSoak, sampled } from '../support/size.ts';
import { createPlace, ctxb, type Place, runFake } from './fakes.ts';

const FIRST = '11111111-aaaa-4bbb-8ccc-000000000001';
const SECOND = '11111111-aaaa-4bbb-8ccc-000000000002';
const OTHER = '22222222-aaaa-4bbb-8ccc-000000000003';

/** A session whose only prompt, and only command, says its name. */
async function session(place: Place, id: string, name: string): Promise<void> {
  const run = { fake: 'runs-commands', flags: ['--prompt', `echo ${name}`], env: { PLAY_SESSION: id } };
  expect(await runFake(place, run)).toMatchObject({ code: 0, stderr: '' });
}

/** What is told with the index of a recording when its detail files were not wanted. */
const HINT = 'ctxb: --out FOLDER writes the files that it names\n';

async function printed(place: Place, args: readonly string[], more: { stdin?: string; stderr?: string } = {}) {
  const { stdin, stderr = '' } = more;
  const run = await ctxb(place, ['scratch', ...args], stdin === undefined ? {} : { stdin });
  expect(run).toMatchObject({ code: 0, stderr });
  return run.stdout.toString();
}

describe('ctxb scratch of a run', () => {
  it('prints the index of the latest run', async () => {
    await using place = await createPlace();
    await session(place, FIRST, 'one');
    await session(place, OTHER, 'two');
    const text = await printed(place, []);
    expect(text).toBe(readFileSync(place.path('.context/scratch.md'), 'utf8'));
    expect(text).toContain(`# Working memory of session ${OTHER}\nTask: echo two\n`);
    expect(text).toContain('- #1: `echo two` exit 0 [L');
  });

  it.each(
    sampled(
      [
        { title: 'an id', name: FIRST, task: 'one' },
        { title: 'the beginning of one', name: '22', task: 'three' },
        { title: 'a unique beginning of one', name: SECOND.slice(0, 40), task: 'two' },
      ],
      3,
    ),
  )('accepts $title', async ({ name, task }) => {
    await using place = await createPlace();
    await session(place, FIRST, 'one');
    await session(place, SECOND, 'two');
    await session(place, OTHER, 'three');
    expect(await printed(place, [name])).toContain(`\nTask: echo ${task}\n`);
  });

  it.each(
    sampled(
      [
        { title: 'a beginning that two have', args: ['1111'], says: ['several sessions', FIRST, SECOND] },
        { title: 'the beginning of no session id', args: ['9'], says: ['9: not a recording, and no session in'] },
        { title: 'a missing file', args: ['gone.ndjson'], says: ['gone.ndjson: not a recording'] },
        { title: 'a folder', args: ['.context'], says: ['.context: not a recording'] },
        { title: 'nothing', args: [''], says: ['not a recording'] },
        { title: '--out without a recording', args: ['--out', 'notes'], says: ['--out is for recordings'] },
        { title: '--out with a session', args: [FIRST, '--out', 'notes'], says: ['--out is for recordings'] },
      ],
      3,
    ),
  )('refuses $title', async ({ args, says }) => {
    await using place = await createPlace();
    await session(place, FIRST, 'one');
    await session(place, SECOND, 'two');
    const run = await ctxb(place, ['scratch', ...args]);
    expect(run.code).toBe(2);
    expect(run.stdout.toString()).toBe('');
    for (const part of says) expect(run.stderr).toContain(part);
    expect(run.stderr).not.toContain('    at ');
  });

  it.each([
    { title: 'there are no notes', prepare: async () => {} },
    {
      title: 'the folder has no notes',
      prepare: async (place: Place) => void (await mkdir(place.path('.context'))),
    },
  ])('reports that $title, and creates nothing', async ({ prepare }) => {
    await using place = await createPlace();
    await prepare(place);
    const before = readdirSync(place.cwd, { recursive: true });
    const run = await ctxb(place, ['scratch']);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('scratch.md does not exist: ctxb run keeps notes');
    expect(readdirSync(place.cwd, { recursive: true })).toEqual(before);
  });

  inSoak('looks in the folder of --context-dir or of the configuration', async () => {
    await using place = await createPlace();
    const flags = ['--context-dir', 'deep/er', '--prompt', 'echo one'];
    await runFake(place, { fake: 'runs-commands', flags });
    expect(await printed(place, ['--context-dir', 'deep/er'])).toContain('→ deep/er/sessions/');
    const run = await ctxb(place, ['scratch'], { env: { CTXB_CONTEXT_DIR: 'deep/er' } });
    expect(run.code).toBe(0);
  });
});

describe('ctxb scratch of a recording', () => {
  it.each([
    { name: 'tool-turn.ndjson', has: ['- #1: `echo step 1` exit 0 [L', '- #2: `echo step 2` exit 0 [L'] },
    { name: 'tool-turn.session.jsonl', has: ['Task: List what is here.', '`echo step 1` exit 0'] },
    { name: 'subagent.session.jsonl', has: ['`echo 3` exit 0 (subagent)'] },
    { name: 'compact.dialogue.ndjson', has: ['#1: Do the long thing. [L3-6]', 'compaction: manual at 160008 tokens'] },
  ])('$name', async ({ name, has }) => {
    await using place = await createPlace();
    const text = await printed(place, [fixture(name)], { stderr: HINT });
    expect(text).toMatch(/^# Working memory of session [0-9a-f]{8}-/);
    for (const part of has) expect(text).toContain(part);
    expect(readdirSync(place.cwd)).toEqual([]);
  });

  it('reads stdin', async () => {
    await using place = await createPlace();
    const name = fixture('tool-turn.session.jsonl');
    const piped = await printed(place, ['-'], { stdin: readFileSync(name, 'utf8'), stderr: HINT });
    expect(piped).toBe(await printed(place, [name], { stderr: HINT }));
  });

  it("of a run's --record has the same facts as the notes of the run", async () => {
    await using place = await createPlace();
    const flags = ['--record', 'run.ndjson', '--prompt', 'echo one; exit 3', '--prompt', 'echo one; exit 3'];
    await runFake(place, { fake: 'runs-commands', flags });
    const facts = (text: string) => text.match(/^- #\d+: .*$/gm);
    expect(facts(await printed(place, ['run.ndjson'], { stderr: HINT }))).toEqual(facts(await printed(place, [])));
  });

  it('refuses a file that is not a recording', async () => {
    await using place = await createPlace();
    const file = await place.file('odd.ndjson', 'no json\n{"type":"odd"}\n');
    const run = await ctxb(place, ['scratch', file]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('odd.ndjson: no line is from claude: name a recording');
  });
});

/** The text of the lines that `[L12-17]` names. */
function linesOf(file: string, from: number, to: number): string {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(from - 1, to)
    .join('\n');
}

/** Every pointer of an index: the number of the entry, and where it is to be. */
function pointersIn(index: string, base: string) {
  return index.split(/^## /m).flatMap((section) => {
    const file = join(base, /→ (\S+)/.exec(section)?.[1] ?? '');
    return [...section.matchAll(/^- #(\d+): .* \[L(\d+)-(\d+)\]$/gm)].map(([, number, from, to]) => ({
      file,
      number: Number(number),
      from: Number(from),
      to: Number(to),
    }));
  });
}

/** Each pointer covers its entry from the heading to the last line, and nothing of the next one. */
function expectPointersToHold(index: string, base: string, atLeast: number): void {
  const pointers = pointersIn(index, base);
  expect(pointers.length).toBeGreaterThanOrEqual(atLeast);
  for (const { file, number, from, to } of pointers) {
    expect(linesOf(file, from, from)).toMatch(new RegExp(`^## #${number} · `));
    expect(linesOf(file, to, to)).not.toBe('');
    expect(linesOf(file, to + 1, to + 1)).toBe('');
    expect(linesOf(file, to + 2, to + 2)).toMatch(new RegExp(`^(?:## #${number + 1} · .*)?$`));
  }
}

describe('--out', () => {
  it.each([
    { file: fixture('native-mid-turn.session.jsonl'), pointers: 6 },
    { file: fixture('../notes/week.session.jsonl'), pointers: 6 },
    { file: fixture('subagent.session.jsonl'), pointers: 2 },
  ])('writes the index, and detail files in which each pointer names its entry ($file)', async ({ file, pointers }) => {
    await using place = await createPlace();
    const index = await printed(place, [file, '--out', 'notes']);
    expect(readFileSync(place.path('notes/scratch.md'), 'utf8')).toBe(index);
    expectPointersToHold(index, place.cwd, pointers);
    for (const name of readdirSync(place.path('notes'))) {
      expect((statSync(place.path(`notes/${name}`)).mode & 0o777).toString(8)).toBe('600');
    }
    expect((statSync(place.path('notes')).mode & 0o777).toString(8)).toBe('700');
  });

  inSoak('the pointers of a run are valid too', async () => {
    await using place = await createPlace();
    const prompts = ['echo one', 'echo "## #1 · not ours"; exit 4', "printf 'a\\nb\\n```\\nc\\n'; exit 5", 'echo four'];
    await runFake(place, { fake: 'runs-commands', flags: prompts.flatMap((text) => ['--prompt', text]) });
    expectPointersToHold(await printed(place, []), place.cwd, 8);
  });

  it('is refused if the folder is not empty', async () => {
    await using place = await createPlace();
    await mkdir(place.path('notes'));
    await place.file('notes/mine', '');
    const run = await ctxb(place, ['scratch', fixture('tool-turn.ndjson'), '--out', 'notes']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toContain('notes is not empty: name a new folder');
    expect(readdirSync(place.path('notes'))).toEqual(['mine']);
  });

  inSoak('is refused if it is a file', async () => {
    await using place = await createPlace();
    await place.file('notes', 'mine');
    const run = await ctxb(place, ['scratch', fixture('tool-turn.ndjson'), '--out', 'notes']);
    expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
    expect(run.stderr).toContain('notes is a file, not a folder');
    expect(readFileSync(place.path('notes'), 'utf8')).toBe('mine');
  });
});
