import { readFileSync } from 'node:fs';
import { fieldsOf } from '../../core/protocol/fields.ts';
import { orElse } from '../../errors.ts';
import { errorCode } from './store-error.ts';

/** Tells a process from a later one with the same process id. */
export interface ProcessMark {
  readonly pid: number;
  /** Start time in the clock ticks of `/proc/<pid>/stat`; absent on systems without it. */
  readonly start?: string | undefined;
}

export function processMark(pid: number): ProcessMark {
  return { pid, start: readStat(pid)?.start };
}

/** Reads a mark from parsed JSON; undefined for anything else. */
export function readProcessMark(value: unknown): ProcessMark | undefined {
  const { pid, start } = fieldsOf(value);
  const isMark = typeof pid === 'number' && (start === undefined || typeof start === 'string');
  return isMark ? { pid, start } : undefined;
}

/** Whether that very process is still running. A zombie is not. */
export function isAlive({ pid, start }: ProcessMark): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  const stat = readStat(pid);
  if (stat === undefined) return answersSignals(pid);
  return !'ZX'.includes(stat.state) && (start === undefined || start === stat.start);
}

/** The figures of a process; undefined if the process is gone, or on systems without `/proc`. */
export function readStat(pid: number) {
  return orElse(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the program's name is the second field, in parentheses, and may contain spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', parent, group] = fields;
    return { state, parent: Number(parent), group: Number(group), start: fields[19] };
  }, undefined);
}

/** Whether that very process is running. False if its id alone is known, because another process may have it by now. */
export function isCertainlyAlive(mark: ProcessMark): boolean {
  return mark.start !== undefined && isAlive(mark);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists, but belongs to another user.
    return errorCode(error) === 'EPERM';
  }
}
