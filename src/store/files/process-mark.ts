import { readFileSync } from 'node:fs';
import { fieldsOf } from '../../core/protocol/fields.ts';

/** Tells a process from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** When it started, in the clock ticks of `/proc/<pid>/stat`; absent on systems without it. */
  readonly start?: string;
}

export function processMark(pid: number): ProcessMark {
  const start = readStat(pid)?.start;
  return start === undefined ? { pid } : { pid, start };
}

/** Reads a mark out of JSON; undefined for anything else. */
export function asProcessMark(value: unknown): ProcessMark | undefined {
  const { pid, start } = fieldsOf(value);
  if (typeof pid !== 'number') return undefined;
  if (start === undefined) return { pid };
  return typeof start === 'string' ? { pid, start } : undefined;
}

/** Whether that very process is still running. One that was killed and not yet waited for is not. */
export function isAlive({ pid, start }: ProcessMark): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const stat = readStat(pid);
  if (stat === undefined) return answersSignals(pid);
  return !'ZX'.includes(stat.state) && (start === undefined || start === stat.start);
}

interface Stat {
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly start: string;
}

/** Undefined if the process is gone, or without `/proc`. */
export function readStat(pid: number): Stat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the program's name comes second, in brackets, and may itself contain spaces and brackets.
    const end = stat.lastIndexOf(')');
    const fields = stat.slice(end + 2).split(' ');
    const [state, parent, group] = fields;
    const start = fields[19];
    const name = stat.slice(stat.indexOf('(') + 1, end);
    return state && start ? { name, state, parent: Number(parent), group: Number(group), start } : undefined;
  } catch {
    return undefined;
  }
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
