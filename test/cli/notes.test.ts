import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { promptLine, type RunningProgram } from '../support/claude.ts';
import { CTXB, PROTOCOL } from '../support/ctxb.ts';
import { inSoak } from '../support/size.ts';
import { createPlace, ctxb, type FakeRun, inputOf, type Place, runFake, startFake } from './fakes.ts';

const FULL = '160000';

/** A command of ctxb as the agent, a hook or a script inside of claude calls it. */
function inside(command: 'state' | 'dead-end', text: string): string {
  return `node '${CTXB}' note ${command} '${text}'`;
}

/** Runs prompts, each of which the program takes for a command of the shell. */
function runCommands(place: Place, commands: readonly string[], more: Partial<FakeRun> = {}) {
  const flags = [...(more.flags ?? []), ...commands.flatMap((text) => ['--prompt', text])];
  return runFake(place, { fake: 'runs-commands', ...more, flags });
}

function scratch(place: Place, folder = '.context'): string {
  return readFileSync(place.path(`${folder}/scratch.md`), 'utf8');
}

/** A run that waits for prompts. */
async function startRun(place: Place, env: Record<string, string> = {}): Promise<RunningProgram> {
  const run = startFake(place, {
    fake: 'runs-commands',
    claude: PROTOCOL,
    env: { ...env, PLAY_INPUT: place.path('input') },
  });
  await turn(run, 'echo begin');
  return run;
}

async function turn(run: RunningProgram, prompt: string): Promise<void> {
  run.send(promptLine(prompt));
  await run.waitForLine(({ type, num_turns }) => type === 'result' && num_turns !== 0);
}

async function end(run: RunningProgram): Promise<void> {
  run.stdin.end();
  expect(await run.finished).toMatchObject({ code: 0 });
}

function compactions(input: string): string[] {
  return input
    .split('\n')
    .filter((line) => line.includes('/compact'))
    .map((line) => (JSON.parse(line) as { message: { content: string } }).message.content);
}

describe('from inside claude', () => {
  it('puts a state into the notes and into the focus of the next compaction', async () => {
    await using place = await createPlace();
    const env = { PLAY_CONTEXTS: FULL, PLAY_INPUT: place.path('input') };
    const flags = ['--task', 'a parser'];
    const run = await runCommands(place, [inside('state', 'tokenizer done'), 'echo two'], { flags, env });
    expect(run.code).toBe(0);
    expect(scratch(place)).toMatch(/^Task: a parser\nState: tokenizer done$/m);
    expect(scratch(place)).toContain('- #1: state: tokenizer done [L3-4]');
    expect(compactions(await inputOf(place))).toEqual([
      expect.stringMatching(/^\/compact focus on a parser -- current state is tokenizer done -- say that notes/),
    ]);
  });

  it('notes a dead end verbatim, and reports it', async () => {
    await using place = await createPlace();
    const run = await runCommands(place, [inside('dead-end', 'the old API has no paging')]);
    expect(run.stderr).toBe('ctxb: dead end: the old API has no paging\n');
    expect(scratch(place)).toContain('## Dead Ends\n- #1: the old API has no paging [L3-');
    expect(scratch(place)).toContain('\n1 dead end → .context/sessions/');
  });

  it.each([
    { title: 'several lines', text: 'one\ntwo', state: 'one two' },
    { title: 'words of another script', text: 'Zerlegen läuft – 残り', state: 'Zerlegen läuft – 残り' },
    { title: 'a line that looks like a heading', text: '# Working memory', state: '# Working memory' },
    { title: 'more than a line can have', text: 'x'.repeat(600), state: 'x'.repeat(120) },
  ])('$title', async ({ text, state }) => {
    await using place = await createPlace();
    await runCommands(place, [inside('state', text)]);
    expect(scratch(place)).toContain(`\nState: ${state}\n`);
  });

  it('the last of several is in force, and all are kept', async () => {
    await using place = await createPlace();
    await runCommands(place, [`${inside('state', 'one')}; ${inside('state', 'two')}`, inside('state', 'three')], {
      flags: ['--state', 'zero'],
    });
    expect(scratch(place)).toContain('\nState: three\n');
    expect(scratch(place).match(/state: \S+.*(?= \[)/g)).toEqual([
      'state: one',
      'state: one → two',
      'state: two → three',
    ]);
  });
});

describe('from outside', () => {
  it.each([
    { command: 'state', said: 'half way', noted: '\nState: half way\n' },
    { command: 'dead-end', said: 'no paging', noted: '- #1: no paging [L' },
  ] as const)('ctxb note $command reaches the only run in the folder', async ({ command, said, noted }) => {
    await using place = await createPlace();
    const run = await startRun(place);
    expect(await ctxb(place, ['note', command, said])).toMatchObject({ code: 0, stderr: '', stdout: Buffer.alloc(0) });
    await turn(run, 'echo more');
    await end(run);
    expect(scratch(place)).toContain(noted);
  });

  it('is noted even if no turn follows', async () => {
    await using place = await createPlace();
    const run = await startRun(place);
    await ctxb(place, ['note', 'state', 'all done']);
    await end(run);
    expect(scratch(place)).toContain('\nState: all done\n');
  });

  inSoak('between two turns, is in the focus of the compaction before the next prompt', async () => {
    await using place = await createPlace();
    const run = await startRun(place, { PLAY_CONTEXTS: FULL });
    await ctxb(place, ['note', 'state', 'half way']);
    await turn(run, 'echo more');
    await end(run);
    expect(compactions(await inputOf(place))[0]).toContain('current state is half way');
  });

  it.each([{ command: 'state' }, { command: 'dead-end' }])(
    'ctxb note $command without a run ends with 2',
    async ({ command }) => {
      await using place = await createPlace();
      const run = await ctxb(place, ['note', command, 'x']);
      expect(run).toMatchObject({ code: 2, stdout: Buffer.alloc(0) });
      expect(run.stderr).toBe(
        `ctxb: note ${command}: no run is active in ${place.path('.context')}: ctxb runs lists all runs\n`,
      );
      expect(readdirSync(place.cwd)).toEqual([]);
    },
  );

  it('does not count a killed run', async () => {
    await using place = await createPlace();
    const run = await startRun(place);
    run.kill('SIGKILL');
    await run.finished;
    expect(await ctxb(place, ['note', 'state', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no run is active'),
    });
  });

  it('asks which of two runs is meant', async () => {
    await using place = await createPlace();
    const [one, two] = [
      await startRun(place, { PLAY_SESSION: 'aaaa' }),
      await startRun(place, { PLAY_SESSION: 'bbbb' }),
    ];
    const refused = await ctxb(place, ['note', 'state', 'x']);
    expect(refused.code).toBe(2);
    const inboxes = /set CTXB_INBOX to one of (\S+), (\S+)\n$/.exec(refused.stderr)?.slice(1) ?? [];
    expect(inboxes).toHaveLength(2);
    for (const inbox of inboxes) await ctxb(place, ['note', 'state', `for ${inbox}`], { env: { CTXB_INBOX: inbox } });
    await turn(one, 'printf %s "$CTXB_INBOX" > aaaa');
    await turn(two, 'printf %s "$CTXB_INBOX" > bbbb');
    await end(one);
    await end(two);
    for (const id of ['aaaa', 'bbbb']) {
      const states = readFileSync(place.path(`.context/sessions/${id}/state-changes.md`), 'utf8');
      expect(states.match(/state: `.*`/g)).toEqual([`state: \`for ${readFileSync(place.path(id), 'utf8')}\``]);
    }
  });

  it.each([
    { title: 'nothing', args: ['note', 'state', ' '], says: 'the text is empty' },
    { title: 'no text at all', args: ['note', 'dead-end'], says: "missing required argument 'text'" },
    { title: 'a text without its quotes', args: ['note', 'state', 'two', 'words'], says: 'too many arguments' },
    { title: 'more than 16 KiB', args: ['note', 'dead-end', 'x'.repeat(17_000)], says: 'at most 16384 bytes' },
  ])('$title is refused', async ({ args, says }) => {
    await using place = await createPlace();
    const run = await startRun(place);
    expect(await ctxb(place, args)).toMatchObject({ code: 2, stderr: expect.stringContaining(says) });
    await end(run);
  });

  it('names a missing inbox', async () => {
    await using place = await createPlace();
    const run = await ctxb(place, ['note', 'state', 'x'], { env: { CTXB_INBOX: place.path('gone.ndjson') } });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('gone.ndjson does not exist') });
  });
});

describe('--task and --state', () => {
  it('are at the top of the notes', async () => {
    await using place = await createPlace();
    await runCommands(place, ['echo one'], { flags: ['--task', 'a parser', '--state', 'tokens done'] });
    expect(scratch(place)).toMatch(/\nTask: a parser\nState: tokens done\nUpdated: /);
  });

  it('without them, the first prompt is the task', async () => {
    await using place = await createPlace();
    await runCommands(place, ['echo one', 'echo two']);
    expect(scratch(place)).toMatch(/\nTask: echo one\nUpdated: /);
  });
});

describe('--no-memory', () => {
  it('keeps no notes, and does not mention the inbox to claude', async () => {
    await using place = await createPlace();
    const run = await runCommands(place, ['test -z "$CTXB_INBOX" && touch none'], { flags: ['--no-memory'] });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(place.cwd).sort()).toEqual(['.context', 'none']);
    expect(readdirSync(place.path('.context')).sort()).toEqual([
      ...['.gitignore', 'CTXB.TAG', 'health.ndjson', 'inbox', 'journal.ndjson', 'mailbox.ndjson'],
    ]);
  });
});

it("--observe keeps notes too, because notes add nothing to claude's input", async () => {
  await using place = await createPlace();
  await runCommands(place, ['echo one'], { flags: ['--observe'] });
  expect(scratch(place)).toContain('- #1: `echo one` exit 0 [L');
});
