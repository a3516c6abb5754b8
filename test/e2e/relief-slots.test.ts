import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RecordedRequest, Scenario } from '../../src/standin/scenario.ts';
import { promptLine, runProgram, startWorld, type World } from '../support/claude.ts';
import { summaryRequests, userTexts } from '../support/conversation.ts';
import { CTXB, LARGE_WINDOW, PROTOCOL, startCtxb } from '../support/ctxb.ts';
import { recordedDecisions } from '../support/record.ts';
import { inSoak } from '../support/size.ts';

/** A prompt says whose it is, and how large the context is to be with it. */
const said = (request: RecordedRequest) => {
  const [, name = '', context = '0'] =
    userTexts(request)
      .flatMap((text) => /^\[\[(\w) (\d+)\]\]/.exec(text) ?? [])
      .slice(-3) ?? [];
  return { name, context: Number(context) };
};

/** Of a summary: whose conversation it is about. */
const nameIn = (request: RecordedRequest) => /\[\[(\w) \d+\]\]/.exec(JSON.stringify(request.body))?.[1] ?? '';

/** A model whose summaries are held until they are let go, by the names of the runs. */
function holding() {
  const free = new Set<string>();
  const holds = new Map<string, () => void>();
  const scenario: Scenario = {
    calls: (request) => ({ text: 'Done.', context: said(request).context }),
    summary(request) {
      const name = nameIn(request);
      const until = new Promise<void>((resolve) => holds.set(name, resolve));
      return { text: '<summary>What was done.</summary>', ...(!free.has(name) && { until }) };
    },
  };
  function letGo(...names: readonly string[]): void {
    for (const name of names) {
      free.add(name);
      holds.get(name)?.();
    }
  }
  return { scenario, letGo };
}

const asked = (world: World) => summaryRequests(world.standin).map(nameIn);

const summaryOf = (world: World, name: string) =>
  world.standin.waitFor((request) => request.kind === 'summary' && nameIn(request) === name);

/** A run that is given prompts one by one, and has room between the level of compacting and the one of the handoff. */
function startRun(world: World, name: string, env: Readonly<Record<string, string>> = {}) {
  const program = startCtxb(world, {
    flags: ['--record', `${name}.ndjson`],
    claude: [...PROTOCOL, ...LARGE_WINDOW],
    env: { CTXB_THRESHOLDS_COMPACT: '0.5', ...env },
  });
  const send = (context: number) => program.send(promptLine(`[[${name} ${context}]]`));
  return {
    ...program,
    send,
    async turn(context: number) {
      send(context);
      await program.waitForLine(({ type }) => type === 'result');
    },
  };
}

type Run = ReturnType<typeof startRun>;

/** Its context crosses the level of compacting. */
async function crossing(world: World, name: string, env?: Readonly<Record<string, string>>) {
  const run = startRun(world, name, env);
  await run.turn(480_000);
  await run.turn(510_000);
  return run;
}

async function end(...runs: readonly Run[]) {
  for (const { stdin } of runs) stdin.end();
  return Promise.all(runs.map(({ finished }) => finished));
}

const locks = ({ scratch }: World) =>
  readdirSync(join(scratch.home, '.local/state/ctxb/shared/reliefs')).filter((file) => file.startsWith('lock.'));

/** Two runs whose summaries are held. */
async function twoHolders(world: World) {
  const runs = [await crossing(world, 'a'), await crossing(world, 'b')] as const;
  for (const [at, run] of runs.entries()) {
    run.send(520_000);
    await summaryOf(world, at === 0 ? 'a' : 'b');
  }
  expect(locks(world)).toHaveLength(2);
  return runs;
}

/** Prompts that change little, until the context is relieved. */
async function workUntilRelieved(world: World, name: string, run: Run): Promise<void> {
  for (let context = 530_000; !asked(world).includes(name); context += 100) await run.turn(context);
}

inSoak(
  'two of the summaries of all runs are written at a time; the others wait as long as their level allows',
  async () => {
    const { scenario, letGo } = holding();
    await using world = await startWorld(scenario);
    const [a, b] = await twoHolders(world);

    // The work of the others goes on.
    const [c, d] = [await crossing(world, 'c'), await crossing(world, 'd')];
    await c.turn(520_000);
    await d.turn(520_000);
    expect(asked(world)).toEqual(['a', 'b']);

    // The level of one rises to that of the handoff.
    await c.turn(860_000);
    c.send(861_000);
    await summaryOf(world, 'c');
    expect(locks(world)).toHaveLength(2);

    // A holder is killed, and its place is free.
    a.kill('SIGKILL');
    await a.finished;
    const e = await crossing(world, 'e');
    e.send(520_000);
    await summaryOf(world, 'e');
    expect(locks(world)).toHaveLength(2);

    // A holder is done, and its place goes to the one that waits.
    letGo('b', 'd');
    await b.waitForLine(({ type }) => type === 'result');
    await workUntilRelieved(world, 'd', d);
    letGo('a', 'c', 'e');
    for (const run of [c, e]) await run.waitForLine(({ type }) => type === 'result');
    const ends = await end(b, c, d, e);
    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    const waited = ends.map(({ stderr }) => stderr.match(/is relieved later: others of your runs/g)?.length ?? 0);
    expect(waited).toEqual([0, 1, 1, 0]);
    expect(locks(world)).toEqual([]);
  },
);

inSoak('none waits for longer than a compaction may take, nor where places cannot be kept', async () => {
  const { scenario, letGo } = holding();
  await using world = await startWorld(scenario);
  const holders = await twoHolders(world);
  letGo('c', 'd');
  const c = await crossing(world, 'c', { CTXB_COMPACTION_TIMEOUT_SECONDS: '2' });
  await c.turn(520_000);
  expect(asked(world)).toEqual(['a', 'b']);
  await workUntilRelieved(world, 'c', c);

  const d = await crossing(world, 'd', { XDG_STATE_HOME: '/dev/null/state' });
  await d.turn(520_000);
  expect(asked(world)).toEqual(['a', 'b', 'c', 'd']);
  letGo('a', 'b');
  for (const run of holders) await run.waitForLine(({ type }) => type === 'result');
  const ends = await end(...holders, c, d);
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(ends[3]?.stderr).toContain('reliefs are not kept apart from those of other runs');
  const { env, cwd } = world.scratch;
  const replay = await runProgram(process.execPath, [CTXB, 'replay', '--json', 'c.ndjson'], { env, cwd });
  const decisions = recordedDecisions(join(cwd, 'c.ndjson'));
  expect(decisions).not.toEqual([]);
  expect(JSON.parse(replay.stdout.toString()).sessions[0].actions).toEqual(decisions);
});
