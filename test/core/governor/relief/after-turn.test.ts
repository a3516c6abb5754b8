import { expect, it } from 'vitest';
import {
  afterTurn,
  boundaryLine,
  callLine,
  decisions,
  initLine,
  kinds,
  type Line,
  resultLine,
  said,
  statusLine,
  userLine,
} from '../../../support/governor.ts';

/** claude sums up in the background once a turn is over, without a turn of its own (2.1.332, in hosted sessions). */
const AFTER_TURN: readonly Line[] = [
  statusLine({ status: 'compacting' }),
  statusLine({ compact_result: 'success' }),
  boundaryLine('auto', 160_000),
  userLine('This is what happened.', { isSynthetic: true, isCompactSummary: true, session_id: 's1' }),
];

it('after a compaction of claude between two turns ctxb starts no other', () => {
  const driver = afterTurn(160_000);
  const actions = driver.claude(...AFTER_TURN);
  expect(kinds(decisions(actions))).toContain('native-compaction');
  expect(driver.state.relief.latch).toBe('none');
  expect(driver.state.turn.phase).toBe('idle');
  expect(said(driver.prompt('Next.'))).toEqual(['Next.']);
});

it('a prompt during that compaction is sent once, and its turn is shown', () => {
  const [compacting, ...end] = AFTER_TURN;
  const driver = afterTurn(100_000);
  driver.claude(compacting ?? {});
  expect(said(driver.prompt('Next.'))).toEqual(['Next.']);
  const actions = driver.claude(...end, initLine(), callLine(30_000), resultLine());
  expect(said(actions)).toEqual([]);
  expect(actions).not.toContainEqual({ kind: 'buffered', fate: 'drop' });
  expect(driver.state.turn.ended).toBe(2);
  expect(driver.state.gauge.used).toBe(30_000);
});

it('a failed summary after a turn changes nothing', () => {
  const driver = afterTurn(160_000);
  const before = driver.state.gauge;
  driver.claude(
    statusLine({ status: 'compacting' }),
    statusLine({ compact_result: 'failed', compact_error: 'Error during compaction: aborted' }),
  );
  expect(driver.state.gauge).toBe(before);
  expect(said(driver.prompt('Next.'))).toEqual(['/compact focus on Do the thing.']);
});
