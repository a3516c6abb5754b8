import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Finished, runProgram, startWorld, type World } from '../support/claude.ts';
import { givenTexts, mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journalLines, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { DOCUMENT, isAsked } from '../support/handoff.ts';
import { createRandom, type Random } from '../support/random.ts';
import { sized } from '../support/size.ts';
import type { Call, Scenario } from '../support/standin/scenario.ts';

/** What can happen to a session, each as often as it says. */
const STEPS = { said: 1, exact: 3, summary: 2, handoff: 2, alone: 1, 'alone, summed up': 1, clear: 0.5, killed: 1 };
type Step = keyof typeof STEPS;

const FLAGS: { readonly [S in Step]?: readonly string[] } = {
  // A level that is set holds, whatever a compaction costs.
  exact: ['--compaction', 'auto', '--compact-at', '78%'],
  summary: ['--no-mid-turn'],
  handoff: ['--strategy', 'handoff'],
};

/** Crosses the levels of a run, which then relieves before its next prompt. */
const FULL = 165_000;

/** What is said: in short it is the task alone. */
const taskOf = (number: number) => `Prompt ${number}: see to part ${number}.`;
const ruleOf = (number: number) =>
  `Never change the file src/part-${number}.ts, which has ${4_000 + number} lines and belongs to somebody else, who must be asked before anything is done to it or to its tests.`;
const promptOf = (number: number) => `${taskOf(number)} ${ruleOf(number)}`;

/** A session and all that the user has said in it. */
function createSession(world: World, random: Random) {
  const script: Call[] = [];
  let said: number[] = [];
  let total = 0;

  function say(): string {
    said.push(++total);
    return promptOf(total);
  }

  /** A turn with tools that say much, and its last answer at so many tokens: more steps than stay whole where it is full. */
  function turn(context: number): void {
    for (let step = 0; step < (context === FULL ? 5 : 1); step++) {
      const input = { command: `seq ${total + step} 4000`, description: 'A step' };
      script.push({ tools: [{ name: 'Bash', input }], context: 30_000 });
    }
    script.push({ text: `answer ${total}`, context });
  }

  /** The session that was written to last. */
  function newest(): readonly string[] {
    const root = join(world.scratch.env.CLAUDE_CONFIG_DIR ?? '', 'projects');
    const logs = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /^[^/]+\/[0-9a-f-]{36}\.jsonl$/.test(name))
      .map((name) => ({ id: basename(name, '.jsonl'), at: statSync(join(root, name)).mtimeMs }))
      .sort((a, b) => b.at - a.at);
    return random.chance(0.5) ? ['--continue'] : ['--resume', logs[0]?.id ?? ''];
  }

  const alone = (prompt: string) =>
    runProgram(world.claude, [...SMALL_WINDOW, ...newest(), '-p', prompt], world.scratch);

  const run = (flags: readonly string[], claude: readonly string[]) =>
    runCtxb(world, { flags, claude: [...SMALL_WINDOW, ...claude] });

  /** ctxb and claude are killed while the model is asked. */
  async function killed(): Promise<Finished> {
    let free = () => {};
    const until = new Promise<void>((resolve) => {
      free = resolve;
    });
    const before = mainRequests(world.standin).length;
    script.push({ text: 'Too late.', until, context: 30_000 });
    const program = startCtxb(world, { flags: prompts(say(), say()), claude: [...SMALL_WINDOW, ...newest()] });
    program.stdin.end();
    await vi.waitFor(() => expect(mainRequests(world.standin).length).toBeGreaterThan(before), { timeout: 30_000 });
    program.kill('SIGKILL');
    process.kill(Number(journalLines(world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
    await program.finished;
    free();
    turn(30_000);
    turn(30_000);
    return runProgram(process.execPath, [CTXB, 'run', '--resume-run'], world.scratch);
  }

  function play(step: Step): Promise<Finished> {
    if (step === 'killed') return killed();
    if (step === 'alone, summed up') return alone('/compact');
    if (step === 'clear') {
      said = [];
      turn(30_000);
      return run(prompts('/clear', say()), newest());
    }
    turn(FLAGS[step] === undefined ? 30_000 : FULL);
    if (step === 'alone') return alone(say());
    turn(30_000);
    return run([...(FLAGS[step] ?? []), ...prompts(say(), say())], total > 2 ? newest() : []);
  }

  return { play, said: (): readonly number[] => said, next: () => script.shift() };
}

/** What is wrong with the newest request, and with what ctxb says. */
function faultsIn(world: World, said: readonly number[], { stderr, code }: Finished): string[] {
  const request = mainRequests(world.standin).findLast((one) => !isAsked(one));
  const given = givenTexts(request).join('\n');
  const whole = userTexts(request);
  const kept = [...stderr.matchAll(/kept (\d+) of (\d+) prompts/g)];
  const stayed = [...stderr.matchAll(/\((\d+) of (\d+) prompts/g)];
  return [
    ...(code === 0 ? [] : [`exit ${code}: ${stderr}`]),
    ...said.flatMap((number) => {
      const head = taskOf(number);
      const times = whole.filter((text) => text.trim() === promptOf(number)).length;
      return [
        ...(given.includes(head) ? [] : [`prompt ${number} is lost`]),
        ...(given.includes(ruleOf(number)) ? [] : [`rule ${number} is lost`]),
        ...(times > 1 ? [`prompt ${number} stands there ${times} times`] : []),
      ];
    }),
    ...kept
      .filter(([, n, of]) => n !== of || Number(of) > said.length)
      .map(([text]) => `${text}: ${said.length} were said`),
    ...stayed
      .filter(([, n, of]) => n !== of || Number(of) > said.length)
      .map(([text]) => `${text}: ${said.length} were said`),
  ];
}

it.each(sized([3, 1], [1, 2, 3, 4, 5, 6, 7, 8]))(
  'the model has every prompt of the user after any order of compactions and handoffs: seed %i',
  async (seed) => {
    const random = createRandom(seed);
    const scenario: Scenario = {
      calls: (request) =>
        isAsked(request) ? { text: DOCUMENT } : (session.next() ?? { text: 'Nothing more.', context: 30_000 }),
      summary: { text: '<summary>Some work was done.</summary>' },
    };
    await using world = await startWorld(scenario);
    const session = createSession(world, random);
    const steps: Step[] = [];
    while (steps.length < sized(6, 9)) {
      const step = steps.length === 0 ? 'said' : random.weighted(STEPS);
      steps.push(step);
      const end = await session.play(step);
      if (step === 'alone, summed up') continue;
      if (step === 'exact') expect(end.stderr).toContain(', all prompts kept');
      expect(faultsIn(world, session.said(), end), `${steps.join(', ')}\n${end.stderr}`).toEqual([]);
    }
  },
);
