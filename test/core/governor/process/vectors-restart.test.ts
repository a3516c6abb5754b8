import { expect, it } from 'vitest';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import type { OwnEvent } from '../../../../src/core/governor/input.ts';
import {
  callLine,
  decisions,
  drive,
  initLine,
  policyWith,
  resultLine,
  runWith,
  said,
} from '../../../support/governor.ts';
import { type Vector, vectorsOf } from '../../../support/recordings.ts';

interface Loop {
  readonly prompt?: string;
  readonly max_restarts?: number;
  readonly results: readonly { readonly log: string; readonly success?: boolean; readonly exit_code?: number }[];
}

interface Ended {
  readonly attempts: number;
  readonly prompts: readonly (string | null)[];
  readonly success: boolean;
}

const LOOP = vectorsOf<Loop, Ended>('restart-loop');

/** There is nothing of the kind here: thresholds are not cut to whole percents, and no run is a remediation. */
const ELSEWHERE = new Set(['db-057', 'db-058']);

const DOCUMENT = 'RESTART CONTEXT 1';
const FULL = /^CONTEXT_LIMIT_RESTART/;

/** A run whose attempts end as the vector says; a full context is ours to see by claude's result. */
function play({ input }: Vector<Loop, Ended>) {
  const { prompt = 'BASE PROMPT', max_restarts = 1, results } = input;
  const handoff = { enabled: max_restarts > 0 };
  const policy = policyWith({ compaction: { enabled: false }, handoff, recovery: { maxRestarts: max_restarts } });
  const driver = drive(runWith({ policy, withoutHooks: true }));
  driver.begin();
  driver.prompt(prompt);
  const attempt = (index: number) => {
    const { log = '', success = false } = results[Math.min(index, results.length - 1)] ?? {};
    const session_id = `s${index + 1}`;
    const isFull = FULL.test(log);
    // What is full has been worked in.
    driver.claude(initLine({ session_id }), ...(isFull ? [callLine(1_000, { session_id })] : []));
    driver.claude(resultLine({ session_id, is_error: !success, result: isFull ? 'Prompt is too long' : log }));
  };
  attempt(0);
  const written: OwnEvent = { kind: 'handoff-written', path: 'h.md', text: DOCUMENT, by: 'memory', problems: [] };
  if (driver.state.operation.phase === 'writing') {
    driver.tell(written);
    const fresh = { session_id: 's2', num_turns: 0 };
    driver.claude(initLine(fresh), resultLine({ ...fresh, result: '' }));
    driver.claude(initLine(fresh), resultLine({ session_id: 's2', result: 'OK' }));
    attempt(1);
    // What is left is a last document.
    if (driver.state.operation.phase === 'writing') driver.tell(written);
  }
  return driver;
}

it.each(LOOP.filter(({ id }) => !ELSEWHERE.has(id)))('$id: $name', (vector) => {
  const driver = play(vector);
  const words = said(driver.actions).filter((text) => text !== '/clear');
  const again = vector.expected.attempts > 1;
  const base = vector.input.prompt ?? 'BASE PROMPT';
  expect(words[0]).toBe(base);
  expect(words.slice(1)).toHaveLength(again ? 2 : 0);
  if (again) {
    // The fresh context is given the document first, then what the broken-off turn was to answer.
    expect(words[1]).toContain(DOCUMENT);
    expect(words[2]).toContain(base);
  }
  const last = vector.input.results.at(-1);
  const isGivenUp = again && FULL.test(last?.log ?? '');
  expect(driver.state.mailbox.outcome).toBe(isGivenUp ? 'unrelieved' : undefined);
  expect(decisions(driver.actions).some((one) => nameOf(one) === 'give-up:run')).toBe(isGivenUp);
});
