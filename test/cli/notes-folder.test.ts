import { readdirSync, readFileSync, statSync } from 'node:fs';
import { copyFile, mkdir, symlink } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { openContextDir } from '../../src/store/folders/context-dir.ts';
import { promptLine, runProgram } from '../support/claude.ts';
import { CTXB, PROTOCOL, untilClosing } from '../support/ctxb.ts';
import { sampled } from '../support/size.ts';
import { createPlace, type FakeRun, fakeArguments, type Place, runFake, startFake } from './fakes.ts';

const COMMANDS = ['echo one', 'echo two; exit 3', 'echo three'];

function prompts(commands: readonly string[]): string[] {
  return commands.flatMap((text) => ['--prompt', text]);
}

function run(place: Place, commands: readonly string[] = COMMANDS, more: Partial<FakeRun> = {}) {
  return runFake(place, { fake: 'runs-commands', flags: prompts(commands), ...more });
}

/** Every file below the folder, by its path. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);
}

function mode(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

it('folders and files are readable only by their owner', async () => {
  await using place = await createPlace();
  await run(place);
  const all = readdirSync(place.path('.context'), { recursive: true, withFileTypes: true });
  const modes = all.map((entry) => [entry.isDirectory(), mode(`${entry.parentPath}/${entry.name}`)].join(' '));
  expect(new Set(modes)).toEqual(new Set(['true 700', 'false 600']));
  expect(mode(place.path('.context'))).toBe('700');
  const [session] = readdirSync(place.path('.context/sessions'));
  expect(readdirSync(place.path(`.context/sessions/${session}`))).toEqual(
    expect.arrayContaining([
      'commands.md',
      'human-input.md',
      'memory.ndjson',
      'scratch.md',
      'session.json',
      'tool-log.md',
    ]),
  );
});

it('the notes of a run that resumes or forks a session begin with what its log has, once', async () => {
  await using place = await createPlace();
  const log = 'fixtures/notes/week.session.jsonl';
  const env = { CLAUDE_CONFIG_DIR: place.path('claude') };
  const id = '1dac1b6d-223c-4476-a42a-cedaae0d8a42';
  const folder = place.path(`claude/projects/${place.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')}`);
  await mkdir(folder, { recursive: true });
  await copyFile(log, `${folder}/${id}.jsonl`);
  const fixture = await runProgram(process.execPath, [CTXB, 'scratch', log], place);
  const noted = (text: string) => text.match(/^- #\d+: .*?(?= \[L|$)/gm) ?? [];
  for (const claude of [['--resume', id, '--fork-session'], ['--continue']]) {
    await run(place, ['echo one'], { claude, env });
    const notes = noted(readFileSync(place.path('.context/scratch.md'), 'utf8'));
    expect(notes).toEqual(expect.arrayContaining(noted(fixture.stdout.toString())));
    expect(notes.filter((note) => note.includes('`echo one`'))).toHaveLength(1);
    const [session] = readdirSync(place.path('.context/sessions'));
    const entries = readFileSync(place.path(`.context/sessions/${session}/memory.ndjson`), 'utf8');
    expect(entries.split('\n').filter((line) => line.includes('Let the week begin on Monday'))).toHaveLength(1);
  }
});

interface Fault {
  readonly title: string;
  readonly prepare: (place: Place) => Promise<unknown>;
  readonly says: RegExp;
}

const IN_THE_WAY: readonly Fault[] = [
  {
    title: '.context is a symbolic link',
    prepare: async (place) => {
      await mkdir(place.path('elsewhere'));
      await symlink('elsewhere', place.path('.context'));
    },
    says: /\.context is a symbolic link/,
  },
  {
    title: '.context/sessions is a symbolic link',
    prepare: async (place) => {
      await mkdir(place.path('elsewhere'));
      openContextDir(place.path('.context'));
      await symlink('../elsewhere', place.path('.context/sessions'));
    },
    says: /sessions is a symbolic link/,
  },
  {
    title: '.context/inbox is a file',
    prepare: async (place) => {
      openContextDir(place.path('.context'));
      await place.file('.context/inbox', 'mine');
    },
    says: /inbox is a file, not a folder/,
  },
  {
    title: 'scratch.md is a symbolic link',
    prepare: async (place) => {
      await mkdir(place.path('elsewhere'));
      openContextDir(place.path('.context'));
      await symlink('../elsewhere/target', place.path('.context/scratch.md'));
    },
    says: /scratch\.md is a symbolic link/,
  },
];

describe('an obstacle is reported once, and the run continues without notes', () => {
  it.each(sampled(IN_THE_WAY, 3))('$title', async ({ prepare, says }) => {
    await using place = await createPlace();
    await using plain = await createPlace();
    const without = await run(plain, COMMANDS, { flags: ['--no-memory', ...prompts(COMMANDS)] });
    await prepare(place);
    const finished = await run(place);
    expect(finished.stdout.toString()).toBe(without.stdout.toString());
    expect(finished.code).toBe(without.code);
    expect(finished.stderr).toMatch(/^ctxb: [^\n]*\n$/);
    expect(finished.stderr).toMatch(says);
    if (readdirSync(place.cwd).includes('elsewhere')) expect(readdirSync(place.path('elsewhere'))).toEqual([]);
  });

  it('a full disk', async () => {
    await using place = await createPlace();
    const commands = Array.from({ length: 12 }, (_, index) => `echo ${index}`);
    const args = fakeArguments({ fake: 'runs-commands', flags: prompts(commands) });
    // Files may have 4 blocks, which stands for a disk that is full.
    const limited = ['-c', 'ulimit -f 4; exec "$@"', 'sh', process.execPath, CTXB, ...args];
    const finished = untilClosing(await runProgram('/bin/sh', limited, { env: place.env, cwd: place.cwd }));
    expect(finished.stdout.toString()).toBe('done\n'.repeat(12));
    expect(finished.code).toBe(0);
    expect(finished.stderr).toMatch(/^ctxb: [^\n]*\n$/);
    expect(finished.stderr).toContain('raise the limit for the size of files');
    // What is there is whole.
    for (const file of filesBelow(place.path('.context')).filter((name) => name.endsWith('.ndjson'))) {
      for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean))
        expect(() => JSON.parse(line)).not.toThrow();
    }
  });
});

describe('two runs in one folder at once', () => {
  it.each([
    { title: 'of two sessions', ids: ['aaaa', 'bbbb'], folders: [/^aaaa$/, /^bbbb$/] },
    { title: 'of the same session', ids: ['aaaa', 'aaaa'], folders: [/^aaaa$/, /^aaaa\.[0-9a-f]{8}$/] },
  ])('$title keep their notes apart', async ({ ids, folders }) => {
    await using place = await createPlace();
    const runs = ids.map((id) =>
      startFake(place, { fake: 'runs-commands', claude: PROTOCOL, env: { PLAY_SESSION: id } }),
    );
    const names = ['left', 'right'];
    for (const turn of [1, 2, 3]) {
      for (const [index, program] of runs.entries()) {
        program.send(promptLine(`echo ${names[index]} ${turn}`));
        await program.waitForLine(({ type }) => type === 'result');
      }
    }
    for (const program of runs) program.stdin.end();
    for (const program of runs) expect((await program.finished).code).toBe(0);

    const sessions = readdirSync(place.path('.context/sessions')).sort();
    expect(sessions).toHaveLength(2);
    for (const [at, session] of sessions.entries()) {
      expect(session).toMatch(folders[at] ?? /never/);
      const index = readFileSync(place.path(`.context/sessions/${session}/scratch.md`), 'utf8');
      const [mine = '', other = ''] = index.includes('left') ? names : [...names].reverse();
      const whole = filesBelow(place.path(`.context/sessions/${session}`)).map((file) => readFileSync(file, 'utf8'));
      expect(index.match(new RegExp(`echo ${mine} \\d\` exit 0`, 'g'))).toHaveLength(3);
      expect(whole.join('')).not.toContain(`echo ${other}`);
    }
  });
});

it('a second run of a session continues its notes', async () => {
  await using place = await createPlace();
  await run(place, ['echo first']);
  await run(place, ['echo second']);
  expect(readdirSync(place.path('.context/sessions'))).toHaveLength(1);
  const index = readFileSync(place.path('.context/scratch.md'), 'utf8');
  expect(index).toContain('Task: echo first\n');
  expect(index).toMatch(/- #1: `echo first` exit 0 .*\n- #2: `echo second` exit 0 /);
});

describe('the tool log', () => {
  const logOf = (place: Place) => {
    const [session] = readdirSync(place.path('.context/sessions'));
    return place.path(`.context/sessions/${session}/tool-log.md`);
  };
  const entriesIn = (file: string) => readFileSync(file, 'utf8').match(/(?<=UTC · ).*(?= · toolu_)/g);

  it('is complete, with one line per call', async () => {
    await using place = await createPlace();
    await run(place);
    expect(readFileSync(logOf(place), 'utf8')).toMatch(
      /^# Tool log\n\n3 tool calls in 3 entries, .*\n.*\n\n(?:- .*\n){3}$/,
    );
    expect(entriesIn(logOf(place))).toEqual([
      'Bash `echo one` exit 0 — `one`',
      'Bash `echo two; exit 3` exit 3 — `two`',
      'Bash `echo three` exit 0 — `three`',
    ]);
  });
});

// Made up, of the form that GitHub gives its tokens.
const TOKEN = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`;

function holding(place: Place): string[] {
  const folder = place.path('.context');
  return filesBelow(folder)
    .filter((file) => readFileSync(file, 'utf8').includes(TOKEN))
    .map((file) => file.slice(folder.length + 1));
}

describe('secrets', () => {
  it.each(
    sampled(
      [
        { title: 'in what a tool prints', commands: [`echo gh''p_$(printf 'A1b2C3d4E5f6%.0s' 1 2 3)`] },
        { title: 'in what a failing tool prints', commands: [`echo gh''p_$(printf 'A1b2C3d4E5f6%.0s' 1 2 3); exit 3`] },
        { title: 'in a command', commands: [`true ${TOKEN}`] },
        { title: 'in a prompt that does not wait', commands: [`: ${TOKEN}`] },
      ],
      4,
    ),
  )('$title are in no file', async ({ commands }) => {
    await using place = await createPlace();
    await run(place, commands);
    expect(holding(place)).toEqual([]);
    expect(readFileSync(place.path('.context/scratch.md'), 'utf8')).toContain('1 prompt →');
  });

  it('masks a waiting prompt in the mailbox too', async () => {
    await using place = await createPlace();
    await run(place, ['echo one', `: ${TOKEN}`]);
    expect(holding(place)).toEqual([]);
  });
});
