import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { stateFolder } from '../../src/store/folders/user-folders.ts';
import { openSeal } from '../../src/store/runs/seal.ts';
import { type Finished, type RunningProgram, startProgram } from '../support/claude.ts';
import { CTXB, readLines } from '../support/ctxb.ts';
import { SECRETS, textOf } from '../support/secrets.ts';
import { inSoak } from '../support/size.ts';
import { createPlace, ctxb, fake, journalOf, type Place, runFake, STREAM, startFake } from './fakes.ts';

type Variables = Readonly<Record<string, string>>;

/** A run of three prompts that is killed in the second; the first has cost a cent. */
async function broken(place: Place, flags: readonly string[] = [], env: Variables = {}): Promise<void> {
  const prompts = ['--prompt', 'one', '--prompt', 'long two', '--prompt', 'three'];
  const run = startFake(place, { fake: 'takes-its-time', flags: [...prompts, ...flags], claude: STREAM, env });
  await killedInSecond(place, run);
}

/** @param notes of what it has spent: at its beginning, of each call and each turn */
async function killedInSecond(place: Place, run: RunningProgram, notes = 4): Promise<Finished> {
  await run.waitForLine(isSecondCall);
  const noted = () => readFileSync(runFileOf(place), 'utf8').match(/"spent":/g);
  await vi.waitFor(() => expect(noted()).toHaveLength(notes), { timeout: 20_000 });
  run.kill('SIGKILL');
  return run.finished;
}

const isSecondCall = (line: object) => JSON.stringify(line).includes('answer to long two');

/** Takes it up with a claude that answers at once; a prompt costs it a cent. */
function takeUp(place: Place, flags: readonly string[] = [], env: Variables = {}): Promise<Finished> {
  return ctxb(place, ['run', '--resume-run', ...flags, '--', fake('answers'), ...STREAM], { env });
}

/** The policy that the run goes by when it is taken up, as its record says. */
async function policyOf(place: Place, flags: readonly string[] = [], env: Variables = {}) {
  const path = place.path(`again-${journalOf(place).length}.ndjson`);
  const run = await takeUp(place, ['--record', path, ...flags], env);
  const opening = JSON.parse(String(readLines(path)[0]?.line)) as { readonly run: { readonly policy: object } };
  return { run, policy: opening.run.policy };
}

function runFileOf(place: Place): string {
  const names = readdirSync(place.path('.context/runs'), { withFileTypes: true }).filter((entry) => entry.isFile());
  const name = names[0]?.name ?? '';
  return place.path(`.context/runs/${name}`);
}

describe('--resume-run continues as the run began', () => {
  it('with its flags', async () => {
    await using place = await createPlace();
    await broken(place, ['--cost-limit', '3', '--strategy', 'handoff', '--task', 'the parser', '--compact-at', '60%']);
    const { run, policy } = await policyOf(place);
    expect(run.code).toBe(0);
    expect(policy).toMatchObject({ strategy: 'handoff', task: 'the parser', cost: { limitUsd: 3 } });
    expect(policy).toMatchObject({ thresholds: { compact: 0.6 } });
    expect(run.stderr).toMatch(/^ctxb: run [0-9a-f]{8} continues with its own settings; it has cost \$0\.0\d so far$/m);
  });

  inSoak('whatever variables and the file say now', async () => {
    await using place = await createPlace();
    const rc = await place.file('.contextbudgetrc', '{"cost":{"limitUsd":3},"tools":{"Read":2000}}');
    await broken(place, [], { CTXB_STRATEGY: 'handoff' });
    writeFileSync(rc, '{"cost":{"limitUsd":900},"tools":{"Read":2000}}');
    const { policy } = await policyOf(place, [], { CTXB_STRATEGY: 'compact' });
    expect(policy).toMatchObject({ strategy: 'handoff', cost: { limitUsd: 3 }, tools: { byTool: { Read: 2000 } } });
  });

  it('after a clean-up, which keeps and names the files that a resume needs', async () => {
    await using place = await createPlace();
    await broken(place);
    const cleanup = await ctxb(place, ['cleanup', '--yes']);
    expect(cleanup.stderr).toMatch(/^ctxb: kept run [0-9a-f]{8}: ctxb run --resume-run answers its prompts, /);
    const run = await takeUp(place);
    expect(run.code).toBe(0);
    expect(run.stdout.toString()).toContain('answer to three');
  });

  it('not after a clean-up with --unfinished', async () => {
    await using place = await createPlace();
    await broken(place);
    expect(await ctxb(place, ['cleanup', '--yes', '--unfinished'])).toMatchObject({ code: 0, stderr: '' });
    expect(await takeUp(place)).toMatchObject({ code: 2, stderr: expect.stringContaining('no unfinished run') });
  });

  it('without a new prompt, and says so', async () => {
    await using place = await createPlace();
    await broken(place);
    const run = await ctxb(place, ['run', '--resume-run', '--', fake('answers'), '-p', 'four', ...STREAM]);
    expect(run.stderr).toContain('the prompt next to --resume-run is not sent: the run continues with its own');
    expect(run.code).toBe(0);
    expect(run.stdout.toString()).not.toContain('four');
  });

  it('except for new flags', async () => {
    await using place = await createPlace();
    await broken(place, ['--cost-limit', '3', '--strategy', 'handoff']);
    const { policy } = await policyOf(place, ['--cost-limit', '5', '--strategy', 'handoff', '--task', 'x']);
    expect(policy).toMatchObject({ strategy: 'handoff', task: 'x', cost: { limitUsd: 5 } });
  });

  inSoak('also when it is resumed twice', async () => {
    await using place = await createPlace();
    await broken(place, ['--cost-limit', '3', '--task', 'the parser']);
    const flags = ['--resume-run', '--strategy', 'handoff'];
    const run = startFake(place, { fake: 'takes-its-time', flags, claude: STREAM });
    const { stderr } = await killedInSecond(place, run, 2);
    const third = await policyOf(place);
    expect(third.policy).toMatchObject({ strategy: 'handoff', task: 'the parser', cost: { limitUsd: 3 } });
    expect(costIn(third.run.stderr)).toBeGreaterThan(costIn(stderr));
  });

  inSoak('and reports that its record ends', async () => {
    await using place = await createPlace();
    await broken(place, ['--record', place.path('first.ndjson')]);
    const before = readFileSync(place.path('first.ndjson'));
    const run = await takeUp(place);
    expect(run.stderr).toContain(
      'first.ndjson ends where the run was interrupted: --record FILE records the rest in another file',
    );
    expect(readFileSync(place.path('first.ndjson')).equals(before)).toBe(true);
  });
});

it('the record of the rest is masked with --mask-record', async () => {
  await using place = await createPlace();
  const [kind] = SECRETS;
  if (kind === undefined) throw new Error('no kind of secret');
  await broken(place, ['--prompt', textOf(kind)]);
  const record = place.path('rest.ndjson');
  const run = await takeUp(place, ['--record', record, '--mask-record']);
  expect(run.code).toBe(0);
  expect(readFileSync(record, 'utf8')).toContain('answer to ');
  expect(readFileSync(record, 'utf8')).not.toContain(kind.secret);
});

it('of two that resume a run at once, one is refused, and each prompt is answered once', async () => {
  await using place = await createPlace();
  await broken(place);
  const runs = await Promise.all([takeUp(place), takeUp(place)]);
  expect(runs.map(({ code }) => code).sort()).toEqual([0, 2]);
  const said = runs.map(({ stdout }) => stdout.toString()).join('');
  expect(said.match(/"type":"result"/g)).toHaveLength(2);
});

describe('a copy of a folder with an unfinished run', () => {
  const there = (place: Place, name: string) => ({
    ...place,
    cwd: place.path(name),
    path: (file: string) => place.path(`${name}/${file}`),
  });

  it('cannot be resumed: only the original can', async () => {
    await using place = await createPlace();
    await broken(place);
    cpSync(place.path('.context'), place.path('copy/.context'), { recursive: true });
    const refused = await takeUp(there(place, 'copy'));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(`belongs to ${place.path('.context')}`) });
    expect((await takeUp(place)).stdout.toString().match(/"type":"result"/g)).toHaveLength(2);
    expect((await takeUp(there(place, 'copy'))).code).toBe(2);
  });

  it.each([
    ['moved', (from: string, to: string) => renameSync(from, to)],
    ['reached through a link', (from: string, to: string) => symlinkSync(from, to)],
  ])('but a folder that was %s is resumed', async (_, move) => {
    await using place = await createPlace();
    mkdirSync(place.path('old'));
    await broken(there(place, 'old'));
    move(place.path('old'), place.path('new'));
    expect((await takeUp(there(place, 'new'))).code).toBe(0);
  });
});

it('a run whose home cannot keep the key of its state says at once that it cannot be resumed', async () => {
  await using place = await createPlace();
  const env = { XDG_STATE_HOME: '/proc/nowhere' };
  const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one', '--prompt', 'two'], env });
  expect(run.code).toBe(0);
  expect(run.stderr.match(/this run cannot be resumed: \/proc\/nowhere/g)).toHaveLength(1);
});

describe('a run that is resumed on a full disk', () => {
  const PROMPTS = ['--prompt', 'one', '--prompt', `long two ${'x'.repeat(100_000)}`, '--prompt', 'three'];

  /** Breaks one off, and takes it up with 32 KiB of room, into which the run's file does not go. */
  async function takeUpWithoutRoom(place: Place, name: string): Promise<RunningProgram> {
    await killedInSecond(place, startFake(place, { fake: 'takes-its-time', flags: PROMPTS, claude: STREAM }));
    const again = [process.execPath, CTXB, 'run', '--resume-run', '--', fake(name), ...STREAM];
    return startProgram('sh', ['-c', 'ulimit -f 64; exec "$@"', 'sh', ...again], { env: place.env, cwd: place.cwd });
  }

  it('is not lost when it is interrupted again', async () => {
    await using place = await createPlace();
    const run = await takeUpWithoutRoom(place, 'takes-its-time');
    await run.waitForLine(isSecondCall);
    run.kill('SIGKILL');
    expect((await run.finished).stderr).toContain('nothing more is written to');
    const last = await takeUp(place);
    expect(last.stdout.toString()).toContain('answer to three');
  });

  it('is over when it is done', async () => {
    await using place = await createPlace();
    const run = await takeUpWithoutRoom(place, 'answers');
    run.stdin.end();
    expect(await run.finished).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('nothing more is written to'),
    });
    expect(await takeUp(place)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no unfinished run'),
    });
  });
});

it('a limit raised by a person also applies to claude without a terminal', async () => {
  await using place = await createPlace();
  await broken(place, ['--cost-limit', '0.02']);
  const path = runFileOf(place);
  const name = path.slice(path.indexOf('runs/'));
  const line = JSON.stringify({
    v: 1,
    spent: {
      settled: 20_000,
      open: 0,
      raised: { run: 5 },
      agents: 0,
      lost: 0,
      claimed: 0,
      at: Date.now(),
      computed: 0,
    },
  });
  // A seal covers the line before it.
  const last = readFileSync(path, 'utf8').trimEnd().split('\n').at(-1);
  appendFileSync(path, `${openSeal(stateFolder(place.env)).close(line, `${name}\n${last}`)}\n`);
  const run = await ctxb(place, ['run', '--resume-run', '--', fake('shows-arguments'), ...STREAM]);
  const { args } = JSON.parse(run.stdout.toString()) as { readonly args: readonly string[] };
  expect(Number(args[args.indexOf('--max-budget-usd') + 1])).toBeGreaterThan(4.5);
});

describe('secrets in the options of a run', () => {
  const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

  it('are masked in the task, and absent from the file', async () => {
    await using place = await createPlace();
    await broken(place, ['--task', `use ${SECRET}`, '--otlp', `http://127.0.0.1:9/${SECRET}`]);
    expect(readFileSync(runFileOf(place), 'utf8')).not.toContain(SECRET);
    const { run, policy } = await policyOf(place);
    expect(policy).toMatchObject({ task: 'use [masked: GitHub token]' });
    expect(run.stderr).toContain('not kept, because it contains a secret: --otlp; give it again');
  });
});

function costIn(stderr: string): number {
  return Number(/it has cost \$(\d+\.\d+) so far/.exec(stderr)?.[1]);
}

/** What Sonnet reads for so many dollars. */
function costing(usd: number) {
  return { input_tokens: Math.round((usd / 3) * 1e6), output_tokens: 1, cache_creation_input_tokens: 0 };
}

describe('a cost limit counts earlier cost', () => {
  inSoak('with the limit of the run', async () => {
    await using place = await createPlace();
    await broken(place, ['--cost-limit', '0.03', '--on-cost-limit', 'stop']);
    const run = await takeUp(place);
    // Alone, the two prompts that are left would have cost less.
    expect(run.stderr).toMatch(/the cost limit of this run is reached: \$0\.0[34] of \$0\.03/);
    expect(run.code).toBe(3);
    expect(run.stdout.toString()).toContain('answer to long two');
    expect(run.stdout.toString()).not.toContain('answer to three');
  });

  it('and claude is not started if it is reached, until a new limit is given', async () => {
    await using place = await createPlace();
    const flags = ['--prompt', 'one', '--prompt', 'two', '--cost-limit', '0.005', '--on-cost-limit', 'stop'];
    const first = await runFake(place, { fake: 'answers', flags, claude: STREAM });
    expect(first.code).toBe(3);
    const starts = () => journalOf(place).filter(({ kind, pid }) => kind === 'start' && pid !== undefined).length;
    const run = await takeUp(place);
    expect(run.code).toBe(3);
    expect(run.stderr).toContain('the cost limit of the run is reached ($0.01 of $0.0050): raise it with --cost-limit');
    expect(starts()).toBe(1);
    const last = await takeUp(place, ['--cost-limit', '1']);
    expect(last.code).toBe(0);
    expect(last.stdout.toString()).toContain('answer to two');
    expect(starts()).toBe(2);
  });

  inSoak('including the cost of claude alone, from its log', async () => {
    await using place = await createPlace();
    const env = { CLAUDE_CONFIG_DIR: place.path('claude') };
    await broken(place, ['--cost-limit', '3'], env);
    const alone = costIn((await takeUp(place, ['--cost-limit', '0.001'], env)).stderr);
    const session = String(journalOf(place).find(({ kind }) => kind === 'session')?.id);
    const call = (id: string, timestamp: string, usd: number) => ({
      type: 'assistant',
      uuid: id,
      timestamp,
      sessionId: session,
      message: { id, type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', content: [], usage: costing(usd) },
    });
    const later = '2999-01-01T00:00:00.000Z';
    // The second of the run's two calls, which claude had not reported, is there too.
    const seen = call('seen', later, alone / 2);
    const rows = [call('before', '2020-01-01T00:00:00.000Z', 3), seen, call('alone', later, 3)];
    const folder = place.path(`claude/projects/${place.cwd.replaceAll(/[^a-zA-Z0-9]/g, '-')}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${session}.jsonl`, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    const counted = costIn((await takeUp(place, ['--cost-limit', '0.001'], env)).stderr);
    expect(counted - alone).toBeCloseTo(3, 2);
  });
});
