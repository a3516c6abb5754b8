import { setTimeout as delay } from 'node:timers/promises';
import { orElse } from '../errors.ts';
import { namesOf } from '../store/files/plain-file.ts';
import { isAlive, type ProcessMark, processMark, readStat } from '../store/files/process-mark.ts';

/**
 * - `gone`: it was no longer running. Nothing was signalled.
 * - `unsure`: a process has that id, and the mark cannot tell whether it is that claude. Nothing was signalled.
 * - `ended`: it and its whole group ended in time after SIGTERM.
 * - `killed`: SIGKILL was needed.
 * - `refused`: the system refused the signal, or the process survived SIGKILL.
 */
export type EndKind = 'gone' | 'unsure' | 'ended' | 'killed' | 'refused';

export interface ClaudeEnd {
  readonly kind: EndKind;
  /**
   * Processes that claude had started outside of its group and that are still running, with their descendants, as far
   * as they were found. claude runs every shell command in a session of its own; 2.1.197 leaves it running on SIGTERM,
   * every version on SIGKILL. They are not signalled, because one may be a server that should stay. Empty without
   * `/proc`.
   */
  readonly left: readonly ProcessMark[];
}

const POLL_INTERVAL_MS = 20;
/** Milliseconds. A killed process takes a moment to end; one blocked by a broken disk never does. */
const KILL_MS = 2_000;

/**
 * Ends a claude that an earlier, killed ctxb has left running, with its process group: SIGTERM, then SIGKILL after
 * `graceMs` (default: 5,000). SIGTERM leaves claude's session log as a crash does; after SIGINT, the agent would be
 * told that the user rejected its tool. Resolves when the whole group has ended, or cannot be ended.
 *
 * @param mark taken when claude was started, because its process id may be reused by now
 */
export async function endClaude(mark: ProcessMark, { graceMs = 5_000 } = {}): Promise<ClaudeEnd> {
  if (!isAlive(mark)) return { kind: 'gone', left: [] };
  if (mark.start === undefined) return { kind: 'unsure', left: [] };
  const started = new Map<number, ProcessMark>();
  const recordStarted = () => {
    for (const found of descendants(mark.pid)) if (!started.has(found)) started.set(found, processMark(found));
  };
  recordStarted();
  const kind = await endGroup(mark, graceMs, recordStarted);
  return { kind, left: [...started.values()].filter(isAlive) };
}

async function endGroup(mark: ProcessMark, graceMs: number, recordStarted: () => void): Promise<EndKind> {
  // ctxb gives claude a group of its own. A claude in another group, such as a shell script's, is signaled alone.
  const target = readStat(mark.pid)?.group === mark.pid ? -mark.pid : mark.pid;
  if (!sendSignal(target, 'SIGTERM')) return isRunning(mark, target) ? 'refused' : 'ended';
  // claude may have started another command meanwhile. Once claude has ended, its children cannot be found.
  recordStarted();
  if (await isGoneWithin(mark, target, graceMs)) return 'ended';
  sendSignal(target, 'SIGKILL');
  return (await isGoneWithin(mark, target, KILL_MS)) ? 'killed' : 'refused';
}

async function isGoneWithin(mark: ProcessMark, target: number, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; isRunning(mark, target); ) {
    if (performance.now() >= end) return false;
    await delay(POLL_INTERVAL_MS);
  }
  return true;
}

/** Whether claude or its group still exists. The id of a group is not reused while any member exists. */
function isRunning(mark: ProcessMark, target: number): boolean {
  return isAlive(mark) || (target < 0 && processes().some(({ pid, group }) => group === mark.pid && isAlive({ pid })));
}

function sendSignal(target: number, name: NodeJS.Signals): boolean {
  return orElse(() => process.kill(target, name), false);
}

/** All processes below `pid`. Must be found before the process ends, because orphans get another parent. */
function descendants(pid: number): number[] {
  const all = processes();
  const found = [pid];
  for (const parent of found) found.push(...all.flatMap((process) => (process.parent === parent ? [process.pid] : [])));
  return found.slice(1);
}

/** All processes of the machine; none without `/proc`. */
function processes() {
  const pids = namesOf('/proc', /^\d+$/);
  return pids.map(Number).map((pid) => ({ pid, ...readStat(pid) }));
}
