import { setTimeout as delay } from 'node:timers/promises';
import { orElse } from '../errors.ts';
import { namesOf } from '../store/files/plain-file.ts';
import { isAlive, type ProcessMark, processMark, readStat } from '../store/files/process-mark.ts';

/**
 * - `gone`: it was not running any more. Nothing was signalled.
 * - `unsure`: something runs under that number, and the mark cannot tell whether it is that claude. Nothing was signalled.
 * - `ended`: it, and all of its group, ended within the time after SIGTERM.
 * - `killed`: SIGKILL was needed.
 * - `refused`: the system did not let us end it, or it has not ended in spite of SIGKILL.
 */
export type EndKind = 'gone' | 'unsure' | 'ended' | 'killed' | 'refused';

export interface ClaudeEnd {
  readonly kind: EndKind;
  /**
   * What it had started outside of its group and is still running, with all that these have started, as far as it was
   * seen. claude runs every shell command in a session of its own, and 2.1.197 leaves it behind on SIGTERM, every version
   * on SIGKILL. It is not signalled, as it may be a server that is meant to stay. Empty where there is no `/proc`.
   */
  readonly left: readonly ProcessMark[];
}

const LOOK_EVERY_MS = 20;
/** Even a process that is killed needs a moment until it is gone; one that waits for a broken disk never is. */
const KILL_MS = 2_000;

/**
 * Ends a claude that an earlier ctxb, itself killed, has left running, with its process group: SIGTERM, `graceMs`
 * (default: 5,000) for it to end, SIGKILL. SIGTERM leaves claude's session log as a crash does; after SIGINT the agent
 * would be told that the user has rejected its tool. Resolves when all of the group is gone, or cannot be ended.
 *
 * @param mark taken when it was started: its number may be somebody else's by now
 */
export async function endClaude(mark: ProcessMark, { graceMs = 5_000 } = {}): Promise<ClaudeEnd> {
  if (!isAlive(mark)) return { kind: 'gone', left: [] };
  if (mark.start === undefined) return { kind: 'unsure', left: [] };
  const started = new Map<number, ProcessMark>();
  const look = () => {
    for (const found of descendants(mark.pid)) if (!started.has(found)) started.set(found, processMark(found));
  };
  look();
  const kind = await endGroup(mark, graceMs, look);
  return { kind, left: [...started.values()].filter(isAlive) };
}

async function endGroup(mark: ProcessMark, graceMs: number, look: () => void): Promise<EndKind> {
  // ctxb gives claude a group of its own. A claude that is in another's, such as a shell script's, goes alone.
  const target = readStat(mark.pid)?.group === mark.pid ? -mark.pid : mark.pid;
  if (!signal(target, 'SIGTERM')) return isThere(mark, target) ? 'refused' : 'ended';
  // It may have started a command after the first look, and its children cannot be identified once claude is gone.
  look();
  if (await isGoneWithin(mark, target, graceMs)) return 'ended';
  signal(target, 'SIGKILL');
  return (await isGoneWithin(mark, target, KILL_MS)) ? 'killed' : 'refused';
}

async function isGoneWithin(mark: ProcessMark, target: number, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; isThere(mark, target); ) {
    if (performance.now() >= end) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}

/** The number of a group is not given to a new process while any of the group is there. */
function isThere(mark: ProcessMark, target: number): boolean {
  return isAlive(mark) || (target < 0 && processes().some(({ pid, group }) => group === mark.pid && isAlive({ pid })));
}

function signal(target: number, name: NodeJS.Signals): boolean {
  return orElse(() => process.kill(target, name), false);
}

/** The children of a dead process get another parent: so they are found first. */
function descendants(pid: number): number[] {
  const all = processes();
  const found = [pid];
  for (const parent of found) found.push(...all.flatMap((one) => (one.parent === parent ? [one.pid] : [])));
  return found.slice(1);
}

/** All processes; empty without `/proc`. */
function processes() {
  const pids = namesOf('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).map((pid) => ({ pid, ...readStat(pid) }));
}
