import { spawn } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fake, fakeArguments, isAlive, type Place, STREAM } from '../cli/fakes.ts';
import { CTXB } from './ctxb.ts';

/** The session that every program in `fixtures/programs` is in. */
export const SESSION = '85324b67-e575-4ee8-9ad9-d915f0c95875';

/**
 * When to kill: this much was seen of stdout, and since then the event loop went round so often, or the log has grown.
 * No clock is in it.
 */
export type KillPlan =
  | { readonly bytes: number; readonly ticks: number }
  | { readonly bytes: number; readonly grows: true };

/** A run of ctxb over `works.mjs`, whose calls are numbered from `first` on. */
export interface Round {
  readonly first: number;
  readonly prompts: readonly string[];
  /** Calls that the program makes when nothing stops it. */
  readonly calls: number;
  /** Numbers of the calls whose whole result came out of ctxb. */
  readonly seen: readonly number[];
  /** Bytes that came out. */
  readonly bytes: number;
  readonly killed: boolean;
  readonly code: number | null;
  readonly stderr: string;
}

/** A session that is killed and taken up again. */
export interface Victim {
  readonly context: string;
  readonly rounds: readonly Round[];
  /** Lines of the log that were cut off. The next run ends them, and readers skip them. */
  readonly torn: readonly string[];
  /** The next run of the session, to its end or, as planned, less far. */
  run(plan?: KillPlan): Promise<Round>;
  /** Told that only these calls are in the log, as if the runs that made others had been killed before. */
  onlyLogged(calls: ReadonlySet<number>): void;
}

/** Of one round; the first and the last number of a round tell it from any other. */
const NUMBERS = 1_000;
const CALLS_PER_TURN = 6;

export function createVictim(place: Place, random: () => number, turns = 4): Victim {
  let rounds: Round[] = [];
  const torn: string[] = [];
  const log = logOf(place.path('.context'));
  return {
    context: place.path('.context'),
    torn,
    get rounds() {
      return rounds;
    },
    async run(plan) {
      const first = (rounds.length + 1) * NUMBERS;
      if (existsSync(log)) torn.push(readFileSync(log, 'utf8').split('\n').at(-1) ?? '');
      const prompts = Array.from({ length: turns }, (_, turn) => promptOf(first, turn, random));
      const ended = await runToPlan(place, argumentsOf(prompts, rounds.length > 0), first, plan);
      const round = { first, prompts, calls: turns * CALLS_PER_TURN, ...ended };
      rounds.push(round);
      return round;
    },
    onlyLogged(calls) {
      rounds = rounds.map((round) => {
        const seen = round.seen.filter((number) => calls.has(number));
        return { ...round, seen, killed: round.killed || seen.length < round.seen.length };
      });
    },
  };
}

export function logOf(context: string): string {
  return join(context, 'sessions', SESSION, 'memory.ndjson');
}

/** Numbers from 0 to 1, the same ones for the same seed: mulberry32, a generator in the public domain. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Anywhere in a run that puts out so many bytes, the last deeds after them included. */
export function anyMoment(random: () => number, bytes: number): KillPlan {
  return { bytes: 1 + Math.floor(random() * bytes), ticks: Math.floor(random() * 60) };
}

/** In the middle of what is written about one call, as near as another process can tell. */
export function atNextEntry(random: () => number, bytes: number): KillPlan {
  return { bytes: 1 + Math.floor(random() * bytes), grows: true };
}

/** While the notes of earlier runs are read and repaired: that begins with the first line. */
export function duringRepair(random: () => number): KillPlan {
  return { bytes: 1, ticks: Math.floor(10 ** (random() * 3.5)) };
}

/** Long prompts make long lines in the log, which a kill can tear. */
function promptOf(first: number, turn: number, random: () => number): string {
  const opening = `prompt ${first + turn}`;
  return random() < 0.3 ? `${opening}\n${'Please see to all of it. '.repeat(2_000)}` : opening;
}

function argumentsOf(prompts: readonly string[], resumes: boolean): string[] {
  return fakeArguments({
    fake: 'works',
    flags: prompts.flatMap((prompt) => ['--prompt', prompt]),
    claude: [...STREAM, resumes ? '--resume' : '--session-id', SESSION],
  });
}

type RunEnd = Pick<Round, 'seen' | 'bytes' | 'killed' | 'code' | 'stderr'>;

function runToPlan(place: Place, args: readonly string[], first: number, plan: KillPlan | undefined): Promise<RunEnd> {
  const env = { ...place.env, PLAY_CALLS: String(CALLS_PER_TURN), PLAY_FIRST: String(first) };
  const child = spawn(process.execPath, [CTXB, ...args], { env, cwd: place.cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  let stderr = '';
  let bytes = 0;
  let planned = plan;
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    bytes += chunk.length;
    if (planned === undefined || bytes < planned.bytes) return;
    if ('ticks' in planned) afterTicks(planned.ticks, () => child.kill('SIGKILL'));
    else {
      waitForGrowth(logOf(place.path('.context')));
      child.kill('SIGKILL');
    }
    planned = undefined;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const killed = signal === 'SIGKILL';
      if (killed) killFake(place);
      resolve({ seen: resultsIn(Buffer.concat(stdout).toString()), bytes, killed, code, stderr });
    });
  });
}

function afterTicks(ticks: number, work: () => void): void {
  if (ticks === 0) work();
  else setImmediate(() => afterTicks(ticks - 1, work));
}

/** Looks without a pause, as a notice of the system would come too late; gives up when nothing more is written. */
function waitForGrowth(path: string): void {
  const size = () => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const before = size();
  for (let looks = 0; looks < 3_000 && size() === before; looks++);
}

/** The program that played claude has lost its reader; it may be in the middle of a turn. */
function killFake(place: Place): void {
  const path = join(place.path('.context'), 'journal.ndjson');
  const starts = existsSync(path) ? readFileSync(path, 'utf8').match(/"kind":"start","pid":\d+/g) : null;
  const pid = Number(starts?.at(-1)?.split(':').at(-1) ?? 0);
  if (pid > 0 && isFake(pid)) process.kill(pid, 'SIGKILL');
}

/** Its number may be somebody else's by now. */
function isFake(pid: number): boolean {
  try {
    return isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(fake('works'));
  } catch {
    return false;
  }
}

/** Of whole lines only. */
function resultsIn(stdout: string): number[] {
  const whole = stdout.slice(0, stdout.lastIndexOf('\n') + 1);
  return [...whole.matchAll(/"tool_use_id":"toolu_(\d+)"/g)].map(([, number]) => Number(number));
}
