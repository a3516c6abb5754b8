import type { OwnEvent } from '../../../src/core/governor/input.ts';
import type { Policy } from '../../../src/core/governor/policy.ts';
import { resumedWork } from '../../../src/core/governor/prompts/mailbox.ts';
import type { Run } from '../../../src/core/governor/state.ts';
import { isRelieving } from '../../../src/core/governor/steps.ts';
import { policyWith, runWith } from '../governor.ts';
import { createRandom, type Random } from '../random.ts';
import { type Judged, ModelRun } from './model-run.ts';
import type { Habits } from './model-turns.ts';

function randomRun(random: Random): Run {
  const limitUsd = random.chance(0.3) ? random.whole(1, 30) / 10 : undefined;
  const projectLimitUsd = random.chance(0.1) ? random.whole(1, 30) / 10 : undefined;
  const policy = policyWith({
    strategy: random.pick(['compact', 'compact', 'handoff']),
    compaction: {
      enabled: random.chance(0.8),
      when: random.chance(0.2) ? 'boundary' : 'next-prompt',
      maxAttempts: random.whole(1, 3),
    },
    midTurn: { enabled: random.chance(0.7) },
    handoff: { enabled: random.chance(0.8) },
    zones: { onLargeTask: random.pick(['announce', 'relieve', 'reject']) },
    cost: { limitUsd, projectLimitUsd, onLimit: random.pick(['auto', 'ask', 'wrap-up', 'stop']) },
    tools: { mode: random.pick(['enforce', 'enforce', 'advise', 'off']), perCall: random.pick([300, 2_000, 8_000]) },
    recovery: { enabled: random.chance(0.9), maxRestarts: random.whole(1, 3) },
  });
  return runWith({
    policy,
    resumes: random.chance(0.15),
    answersInSchema: random.chance(0.1),
    withoutHooks: random.chance(0.1),
    attended: random.chance(0.5),
    persistent: random.chance(0.92),
  });
}

function randomHabits(random: Random, { withoutHooks }: Run): Habits {
  return {
    hooks: withoutHooks ? 0 : random.pick([0.3, 1, 1]),
    tooLong: random.pick([0, 0, 0.01, 0.1]),
    nativeCompaction: random.pick([0, 0.9]),
    background: random.pick([0, 0, 0.1, 0.3]),
    silent: random.pick([0, 0, 0.1, 0.3]),
    deaf: random.pick([0, 0, 0, 0.3]),
    apiDown: random.pick([0, 0.05]),
    outage: 0,
    hangs: 0,
    commandsOff: random.chance(0.08),
    growth: random.pick([5_000, 30_000, 60_000]),
    callUsd: random.pick([0.01, 0.1, 0.4]),
    takesChanges: random.chance(0.8),
    clear: random.pick(['reset', 'new-id', 'new-id', 'silent', 'without-effect']),
    exact: 0,
  };
}

export interface Stream {
  readonly run: ModelRun;
  readonly judged: readonly Judged[];
}

/** Steps that a run takes at most to its end once the caller has ended: far more than any needs. */
const MOST_STEPS = 5_000;

/** Plays one random run to its end. */
export function play(seed: number, onJudged: (judged: Judged) => void = () => {}): Stream {
  return playRun(createRandom(seed), onJudged);
}

/** The same, in which what comes from outside comes during reliefs most of all, and compactions may be exact ones. */
export function playRelief(seed: number, onJudged: (judged: Judged) => void = () => {}): Stream {
  return playRun(createRandom(seed), onJudged, { relief: createRandom(seed + RELIEF_SEEDS) });
}

/** The same, in which ctxb itself is killed and the run is taken up; `judged` begins there. */
export function playTakenUp(seed: number, onJudged: (judged: Judged) => void = () => {}): Stream {
  return playRun(createRandom(seed), onJudged, { killedAfter: createRandom(seed + RELIEF_SEEDS).whole(4, 120) });
}

/** Like `play`, with an API that often does not answer, and a claude that stalls. */
export function playTrouble(seed: number, onJudged: (judged: Judged) => void = () => {}): Stream {
  const relief = createRandom(seed + RELIEF_SEEDS);
  return playRun(createRandom(seed), onJudged, { relief, trouble: createRandom(seed + 2 * RELIEF_SEEDS) });
}

const RELIEF_SEEDS = 1_000_000_000;

interface Outside {
  /** Random source for events during a relief. */
  readonly relief?: Random;
  /** Random source for failures of the API and stalls of claude. */
  readonly trouble?: Random;
  /** ctxb is killed after so many inputs. */
  readonly killedAfter?: number;
}

function playRun(random: Random, onJudged: (judged: Judged) => void, outside: Outside = {}): Stream {
  const { relief, trouble, killedAfter } = outside;
  const isExact = relief?.chance(0.5) ?? false;
  const ordinary = randomRun(random);
  const settings = { ...ordinary, policy: policyIn(ordinary.policy, trouble), exact: isExact };
  const judged: Judged[] = [];
  const run = new ModelRun({
    random,
    run: settings,
    habits: { ...randomHabits(random, settings), exact: isExact ? 0.8 : 0, ...troubleOf(trouble) },
    mostCrashes: random.whole(1, 5),
    onJudged: (one) => {
      judged.push(one);
      onJudged(one);
    },
  });
  const shares = { crash: random.pick([0, 0, 0.01, 0.05]), interrupt: random.chance(0.1) ? 0.02 : 0 };
  const length = random.whole(30, 120);
  const rate = relief?.pick([0.02, 0.1, 0.3]) ?? 0;
  while (judged.length < (killedAfter ?? length) && !run.isOver) {
    if (relief?.chance(rate) && isInRelief(run)) MEANWHILE[relief.weighted(MEANWHILE_WEIGHTS)](run, relief);
    else live(run, random, shares);
  }
  if (killedAfter !== undefined && !run.isOver) {
    judged.length = 0;
    run.takeUp();
  }
  finish(run);
  return { run, judged };
}

function finish(run: ModelRun): void {
  if (!run.isOver && !run.state.mailbox.hasInputEnded) run.endCaller();
  for (let left = MOST_STEPS; left > 0 && !run.isOver && drain(run); left--);
}

/** A policy by which ctxb waits for the API, and notices a claude that hangs. */
function policyIn(policy: Policy, trouble: Random | undefined): Policy {
  if (trouble === undefined) return policy;
  const limits = { ...policy.limits, wait: trouble.pick([60, 3_600]), outageWait: trouble.pick([0, 600, 3_600]) };
  return { ...policy, limits, recovery: { ...policy.recovery, stallAfter: trouble.pick([60, 600]) } };
}

function troubleOf(trouble: Random | undefined) {
  return trouble && { outage: trouble.pick([0, 0.1, 0.3]), hangs: trouble.pick([0, 0.05, 0.2]) };
}

function live(run: ModelRun, random: Random, shares: { crash: number; interrupt: number }): void {
  if (random.chance(shares.crash) && run.crash()) return;
  if (random.chance(shares.interrupt)) run.tell({ kind: 'interrupt' });
  else MOVES[random.weighted(WEIGHTS)](run, random);
}

function isInRelief({ state }: ModelRun): boolean {
  const { relief, process, mailbox } = state;
  const isToResume =
    relief.exhausted !== undefined || mailbox.resumeReason !== undefined || resumedWork(state) !== undefined;
  return isRelieving(state) || process.isStillCompacting === true || isToResume || relief.undelivered !== undefined;
}

/** Events from outside during a relief, with their probabilities. */
const MEANWHILE_WEIGHTS = { crash: 4, prompt: 3, stop: 1, interrupt: 0.3, cost: 1, own: 1, end: 0.5, timer: 0.5 };

const MEANWHILE: Readonly<Record<keyof typeof MEANWHILE_WEIGHTS, (run: ModelRun, random: Random) => void>> = {
  crash: (run) => void run.crash(),
  prompt: say,
  stop: (run) => run.interruptByCaller(),
  interrupt: (run) => run.tell({ kind: 'interrupt' }),
  cost: (run, random) => run.tell({ kind: 'project-cost', others: random.whole(0, 2_000_000), earlier: 0 }),
  own: (run, random) => run.tell(ownEvent(random)),
  end: (run) => run.state.mailbox.hasInputEnded || run.endCaller(),
  timer: (run) => void (mayFire(run) && run.fire()),
};

/** Weights of the events. */
const WEIGHTS = { deliver: 8, work: 8, prompt: 1, timer: 0.3, task: 0.3, person: 0.5, own: 0.1, end: 0.03 };

const MOVES: Readonly<Record<keyof typeof WEIGHTS, (run: ModelRun, random: Random) => void>> = {
  deliver: (run, random) => void (run.deliver() || run.claude.work() || idle(run, random)),
  work: (run, random) => void (run.claude.work() || run.deliver() || idle(run, random)),
  prompt: say,
  timer: (run) => void (mayFire(run) && run.fire()),
  task: (run) => void run.claude.endTask(),
  person: (run) => void run.answerPerson(),
  own: (run, random) => run.tell(ownEvent(random)),
  end: (run) => run.state.mailbox.hasInputEnded || run.endCaller(),
};

function ownEvent(random: Random): OwnEvent {
  return random.pick<OwnEvent>([
    { kind: 'state', to: 'here' },
    { kind: 'notes', path: '.context' },
    { kind: 'project-cost', others: random.whole(0, 2_000_000), earlier: 0 },
  ]);
}

/** Short watches run out only when nothing comes: claude is not so slow. */
function mayFire(run: ModelRun): boolean {
  const [first] = [...run.timers].sort(([, a], [, b]) => a - b);
  return first !== undefined && !['turn', 'background', 'exit'].includes(first[0]);
}

function idle(run: ModelRun, random: Random): boolean {
  if (run.answerPerson() || (random.chance(0.5) && run.fire())) return true;
  say(run, random);
  return true;
}

const WORDS = {
  plain: 'Go on.',
  large: 'word '.repeat(6_000),
  compact: '/compact mine',
  clear: '/clear',
  command: '/cost',
};

function say(run: ModelRun, random: Random): void {
  if (run.state.mailbox.hasInputEnded || run.said.length >= 40) return;
  const what = random.weighted({ plain: 10, large: 1, compact: 0.3, clear: 0.3, command: 0.3 });
  // What is said while lines of the turn are on their way cannot be told from what was heard in it.
  while (run.state.turn.phase === 'running' && run.claude.stdout.length > 0) run.deliver();
  run.prompt(WORDS[what]);
}

/** claude and the clock go on until nothing is left to do. */
function drain(run: ModelRun): boolean {
  return run.deliver() || run.claude.work() || run.answerPerson() || run.claude.endTask() || run.fire();
}
