import type { AgentPlan } from '../support/agent.ts';
import { SMALL_WINDOW } from '../support/ctxb.ts';
import { fortyTurns } from '../support/forty-turns.ts';
import { createRandom } from '../support/kill.ts';
import { type Kill, type Played, playRound, type Round } from '../support/play-round.ts';
import { createRandom as createChoice } from '../support/random.ts';
import { faultsOf, faultsOfDelivery, storyOf } from '../support/round-faults.ts';

const ROUNDS = 60;

/** The second turn crosses the level of a compaction. */
const CROSSING: AgentPlan = { turns: [4, 4, 2], growBy: 18_000 };

/** Ways of working that are disturbed. */
const WAYS: readonly Omit<Round, 'kills'>[] = [
  { name: 'short turns', agent: { turns: [1, 3, 1, 2, 1], growBy: 2_000 }, flags: [], claude: SMALL_WINDOW },
  { name: 'a compaction', agent: { ...CROSSING, summaryMs: 200 }, flags: [], claude: SMALL_WINDOW },
  { name: 'a handoff', agent: { ...CROSSING, callMs: 40 }, flags: ['--strategy', 'handoff'], claude: SMALL_WINDOW },
  {
    name: 'a handoff by process',
    agent: CROSSING,
    flags: [],
    claude: [...SMALL_WINDOW, '--disable-slash-commands'],
  },
  {
    name: 'a handoff without hooks',
    agent: CROSSING,
    flags: ['--strategy', 'handoff'],
    claude: [...SMALL_WINDOW, '--bare'],
  },
];

/** Steps of the protocols at which it hurts most. */
const STEPS: readonly RegExp[] = [
  /"kind":"handoff"/,
  /handoff-written/,
  /ctxb:session-start/,
  /"kind":"handed-over"/,
  /"kind":"compact"/,
  /"kind":"compacted"/,
  /"kind":"landed"/,
  /"kind":"restart"/,
  /"kind":"resume"/,
  /ctxb_begin/,
  /turn-\d-step-\d/,
];

/** Lines of a round's record when nothing disturbs it. */
const RECORD_LINES = 55;
/** claude is started again so often in a row. */
const MAX_KILLS = 3;

/** Of the long job: so many in all, so many in each. */
const LONG_JOBS = 20;
const KILLS_PER_JOB = 15;

/** Usage: `recovery.mjs [SEED [ROUNDS [LONG_JOBS]]]`. */
const seed = Number(process.argv[2] ?? Date.now() % 1_000_000);
const rounds = Number(process.argv[3] ?? ROUNDS);
const longJobs = Number(process.argv[4] ?? LONG_JOBS);
console.log(`Disturbs ${rounds} conversations and ${longJobs} jobs of forty turns with the real claude, seed ${seed}`);
let faulty = 0;
let killed = 0;
// One after the other on each of two processors.
await Promise.all([soak(seed, Math.ceil(rounds / 2)), soak(seed + 1, Math.floor(rounds / 2))]);
await Promise.all([soakLong(seed, Math.ceil(longJobs / 2)), soakLong(seed + 1, Math.floor(longJobs / 2))]);
console.log(`  ${killed} kills, ${faulty} of ${rounds + longJobs} rounds with faults`);
process.exitCode = faulty === 0 ? 0 : 1;

async function soak(own: number, count: number): Promise<void> {
  const random = createRandom(own);
  for (let left = count; left > 0; left--) await playRound(anyRound(random), (played) => tell(played));
}

async function soakLong(own: number, count: number): Promise<void> {
  const random = createChoice(own);
  for (let left = count; left > 0; left--)
    await playRound(fortyTurns(random, KILLS_PER_JOB), (played) => tell(played, faultsOfDelivery));
}

async function tell(played: Played, judge = faultsOf): Promise<void> {
  const faults = await judge(played);
  killed += played.killed;
  if (faults.length === 0) return;
  faulty++;
  const { round, runs, ms } = played;
  const kills = round.kills.map(({ who, signal, at, afterMs }) => `${who} ${signal} at ${at} + ${afterMs} ms`);
  console.log(
    `  ${round.name}, ${kills.join(', ')}: ${runs.length} runs, ${Math.round(ms)} ms\n    ${storyOf(played)}`,
  );
  for (const fault of faults.slice(0, 5)) console.log(`    - ${fault}`);
}

function anyRound(random: () => number): Round {
  const way = pick(WAYS, random);
  const count = 1 + Math.floor(random() * MAX_KILLS);
  const kills = Array.from({ length: count }, (_, index) => anyKill(random, index === 0));
  return { ...way, kills };
}

function anyKill(random: () => number, isFirst: boolean): Kill {
  const who = random() < 0.7 ? 'claude' : 'ctxb';
  const signal = who === 'claude' ? pick(['SIGKILL', 'SIGKILL', 'SIGSEGV'] as const, random) : 'SIGKILL';
  const at = isFirst && random() < 0.5 ? 2 + Math.floor(random() * RECORD_LINES) : pick(STEPS, random);
  return { who, signal, at, afterMs: random() < 0.4 ? 0 : Math.floor(random() * 250) };
}

function pick<T>(all: readonly [T, ...T[]] | readonly T[], random: () => number): T {
  const one = all[Math.floor(random() * all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}
