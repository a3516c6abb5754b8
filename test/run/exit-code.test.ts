import { expect, it } from 'vitest';
import type { ChildEnd } from '../../src/claude/child.ts';
import { decodeLine } from '../../src/core/protocol/decode.ts';
import type { ResultEvent } from '../../src/core/protocol/events.ts';
import { exitCodeOf } from '../../src/run/conduct.ts';

const GOOD = decodeLine('{"type":"result","is_error":false}') as ResultEvent;
const BAD = decodeLine('{"type":"result","is_error":true}') as ResultEvent;

interface CodeCase {
  readonly title: string;
  readonly end: Partial<ChildEnd>;
  readonly result?: ResultEvent;
  readonly received?: NodeJS.Signals;
  readonly isUnwritable?: true;
  readonly isUnsaved?: true;
  readonly isUndone?: true;
  readonly isUnsent?: true;
  readonly code: number;
  readonly outcome?: 'limit' | 'unrelieved';
}

const CASES: readonly CodeCase[] = [
  { title: '0 without a result', end: { code: 0 }, code: 0 },
  { title: '1 without a result', end: { code: 1 }, code: 1 },
  { title: '0 behind a good result', end: { code: 0 }, result: GOOD, code: 0 },
  { title: '0 behind an error that the caller saw', end: { code: 0 }, result: BAD, code: 1 },
  { title: '1 because of a hidden turn', end: { code: 1 }, result: GOOD, code: 0 },
  { title: '1 behind an error', end: { code: 1 }, result: BAD, code: 1 },
  { title: '0 with prompts left', end: { code: 0 }, isUndone: true, code: 7 },
  { title: 'an error with its prompt left', end: { code: 1 }, result: BAD, isUndone: true, code: 1 },
  {
    title: 'an error with further prompts left',
    end: { code: 1 },
    result: BAD,
    isUndone: true,
    isUnsent: true,
    code: 7,
  },
  { title: '0 behind a session that could not be saved', end: { code: 0 }, result: GOOD, isUnsaved: true, code: 1 },
  { title: 'a code of its own', end: { code: 7 }, result: GOOD, code: 7 },
  { title: 'a signal that ended claude', end: { signal: 'SIGKILL' }, result: GOOD, code: 137 },
  { title: 'neither code nor signal', end: {}, code: 1 },
  { title: 'a signal of the user', end: { code: 0 }, result: GOOD, received: 'SIGINT', code: 130 },
  {
    title: 'a signal of the user that ended claude otherwise',
    end: { signal: 'SIGKILL' },
    received: 'SIGTERM',
    code: 143,
  },
  { title: 'an output that takes no more', end: { signal: 'SIGTERM' }, result: GOOD, isUnwritable: true, code: 1 },
  { title: 'a limit that was hit', end: { code: 0 }, result: GOOD, outcome: 'limit', code: 3 },
  { title: 'a context that could not be relieved', end: { code: 1 }, result: GOOD, outcome: 'unrelieved', code: 4 },
  { title: 'a signal of the user after a limit', end: { code: 0 }, outcome: 'limit', received: 'SIGINT', code: 130 },
];

it.each(CASES)(
  '$title: $code',
  ({
    end,
    result,
    received,
    isUnwritable = false,
    isUnsaved = false,
    isUndone = false,
    isUnsent = false,
    outcome,
    code,
  }) => {
    const run = { lastResult: result, received, isUnwritable, isUnsaved, isUndone, isUnsent, outcome };
    expect(exitCodeOf({ code: end.code, signal: end.signal }, run)).toBe(code);
  },
);
