import { isDeepStrictEqual } from 'node:util';
import type { Decision } from '../core/governor/decisions.ts';
import { type Fields, fieldsOf } from '../core/protocol/fields.ts';
import { readValues } from './read/read-values.ts';
import type { ReplayOptions } from './replay.ts';
import { replayRun } from './replay-run.ts';
import { createSessionReplay } from './session-replay.ts';
import type { Source } from './sources.ts';

/** The decisions in a record of `ctxb run`, compared with those that a replay of it makes. */
export type CheckedRecord = Awaited<ReturnType<typeof checkRecord>>;

/** The first difference. */
export type Difference = NonNullable<ReturnType<typeof firstDifference>>;

interface Placed {
  readonly line: number;
  readonly decision: Fields;
}

/** Replays a record and compares the decisions in order. @throws CtxbError `unreadable-input` */
export async function checkRecord({ file }: Source, options: Omit<ReplayOptions, 'series'>) {
  const expected: Placed[] = [];
  const found: Placed[] = [];
  let holdsActions = false;
  const replay = createSessionReplay({
    run: replayRun(options.policy),
    series: false,
    mask: options.mask,
    onLine(read, line) {
      if (read.kind === 'run') holdsActions = read.decisions;
      if (read.kind === 'decided') expected.push({ line, decision: read.decision });
    },
    onDecision: (decision, line) => found.push({ line, decision: asRecorded(decision) }),
  });
  await readValues(file, { stdin: options.stdin }, replay.line);
  // There is nothing to compare: a recording of claude alone, or a record from before decisions were kept.
  if (!holdsActions) return { file, verdict: 'no-actions' } as const;
  const difference = firstDifference(expected, found);
  if (difference !== undefined) return { file, verdict: 'different', ...difference } as const;
  return { file, verdict: 'same', actions: expected.length } as const;
}

/** What is undefined is left out of JSON. */
function asRecorded(decision: Decision): Fields {
  return fieldsOf(JSON.parse(JSON.stringify(decision)));
}

/**
 * @returns `line` of the record, from 1: where the decision stands, or, where none does, the line that led to the other;
 * the number of the action, from 1; the decisions that the run and the replay made, null: none
 */
function firstDifference(expected: readonly Placed[], found: readonly Placed[]) {
  const last = Math.max(expected.length, found.length);
  for (let at = 0; at < last; at++) {
    const [should, does] = [expected[at], found[at]];
    if (isDeepStrictEqual(should?.decision, does?.decision)) continue;
    const line = should?.line ?? does?.line ?? 0;
    return { line, action: at + 1, expected: should?.decision ?? null, found: does?.decision ?? null };
  }
  return undefined;
}
