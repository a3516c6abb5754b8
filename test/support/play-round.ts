import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentPlan, agent, promptText } from './agent.ts';
import { type Finished, type RunningProgram, startProgram, startWorld, type World } from './claude.ts';
import { CTXB, prompts } from './ctxb.ts';

/** Something that is killed. */
export interface Kill {
  readonly who: 'claude' | 'ctxb' | 'both';
  readonly signal: NodeJS.Signals;
  /** When the record has so many lines, or record or journal have a line, since the last kill, that fits. */
  readonly at: number | RegExp;
  /** Milliseconds after that. */
  readonly afterMs: number;
}

/** A run of ctxb over an agent, and what befalls it. */
export interface Round {
  readonly name: string;
  readonly agent: AgentPlan;
  readonly flags: readonly string[];
  /** Arguments of claude. */
  readonly claude: readonly string[];
  readonly kills: readonly Kill[];
  /** Milliseconds after which it must be over; 60,000 when it is left out. */
  readonly limitMs?: number;
}

/** A round that was played; its world is still there. */
export interface Played {
  readonly round: Round;
  readonly world: World;
  /** The run, and those that took it up. */
  readonly runs: readonly Finished[];
  readonly ms: number;
  /** Kills whose moment came. */
  readonly killed: number;
  /** When ctxb was killed, in milliseconds since the epoch: its claude works alone until the run is taken up. */
  readonly orphanedAt: readonly number[];
  /** Whether the round timed out. */
  readonly timedOut: boolean;
}

const LIMIT_MS = 60_000;

const STREAM = ['--output-format', 'stream-json', '--verbose'];

/** Plays a round to its end, taking the run up again wherever ctxb was killed, and has it judged. */
export async function playRound<T>(round: Round, judge: (played: Played) => Promise<T>): Promise<T> {
  await using world = await startWorld(agent(round.agent));
  const begun = performance.now();
  const kills = [...round.kills];
  const runs: Finished[] = [];
  const orphanedAt: number[] = [];
  let timedOut = false;
  while (runs.length === 0 || (runs.at(-1)?.signal === 'SIGKILL' && !timedOut)) {
    const record = join(world.scratch.cwd, `run-${runs.length}.ndjson`);
    const run = start(world, round, runs.length === 0, record);
    const stop = killAsPlanned(world, run, { record, kills, onOrphan: () => orphanedAt.push(Date.now()) });
    const patience = setTimeout(
      () => {
        timedOut = true;
        run.kill('SIGKILL');
      },
      (round.limitMs ?? LIMIT_MS) - (performance.now() - begun),
    );
    runs.push(await run.finished);
    clearTimeout(patience);
    stop();
  }
  const killed = round.kills.length - kills.length;
  const ms = performance.now() - begun;
  const judgement = await judge({ round, world, runs, ms, killed, orphanedAt, timedOut });
  endAll(world);
  return judgement;
}

function start(world: World, { agent: plan, flags, claude }: Round, isFirst: boolean, record: string): RunningProgram {
  const texts = plan.turns.map((_, index) => promptText(index + 1));
  const words = isFirst
    ? [...prompts(...texts), ...flags, '--record', record, '--', world.claude, ...claude, ...STREAM]
    : ['--resume-run', ...flags, '--record', record];
  const { env, cwd } = world.scratch;
  const run = startProgram(process.execPath, [CTXB, 'run', ...words], { env, cwd });
  run.stdin.end();
  return run;
}

interface Plan {
  readonly record: string;
  readonly kills: Kill[];
  readonly onOrphan: () => void;
}

/** Looks every millisecond; takes the kills whose moment has come off the list. */
function killAsPlanned(world: World, run: RunningProgram, { record, kills, onOrphan }: Plan): () => void {
  const journal = join(world.scratch.cwd, '.context', 'journal.ndjson');
  const files = [record, journal];
  let seen = files.map((file) => linesOf(file).length);
  let timer: NodeJS.Timeout | undefined;

  function isTime({ at }: Kill): boolean {
    if (typeof at === 'number') return linesOf(record).length >= at;
    return files.flatMap((file, index) => linesOf(file).slice(seen[index])).some((line) => at.test(line));
  }

  function carryOut({ who, signal }: Kill): void {
    if (who !== 'ctxb') endProcess(claudePid(journal), signal);
    if (who !== 'claude') {
      onOrphan();
      endProcess(run.pid, signal);
    }
    seen = files.map((file) => linesOf(file).length);
    look();
  }

  function look(): void {
    const [next] = kills;
    if (next === undefined) return;
    if (isTime(next)) {
      kills.shift();
      timer = setTimeout(() => carryOut(next), next.afterMs);
    } else timer = setTimeout(look, 1);
  }

  look();
  return () => clearTimeout(timer);
}

function claudePid(journal: string): number | undefined {
  const start = linesOf(journal).findLast((line) => line.includes('"kind":"start"'));
  return start === undefined ? undefined : Number(JSON.parse(start).pid);
}

export function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
}

/** Programs of a world that still run; what claude's tools have started is not counted. */
export function processesOf({ scratch }: World): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const isOurs = readFileSync(`/proc/${name}/environ`, 'utf8').includes(`TMPDIR=${scratch.env.TMPDIR}`);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ');
        return isOurs && /^\S*(?:claude|node)\s/.test(command) ? [{ pid: Number(name), command }] : [];
      } catch {
        return [];
      }
    });
}

function endAll(world: World): void {
  for (const { pid } of processesOf(world)) endProcess(pid, 'SIGKILL');
}

function endProcess(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // The program ended before the kill.
  }
}
