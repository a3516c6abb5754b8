import { expect, it } from 'vitest';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import { endReason } from '../../../src/core/governor/run-status.ts';
import type { GovernorState } from '../../../src/core/governor/state.ts';
import { changedIn } from '../../../src/core/governor/steps.ts';
import { runWith } from '../../support/governor.ts';
import { PAGES } from '../../support/pages.ts';

const timeUp = (state: GovernorState) => changedIn(state, 'limits', { isTimeUp: true });

it.each([
  { outcome: undefined, exitCode: 0, reason: 'done' },
  { outcome: undefined, exitCode: 1, reason: 'failed' },
  { outcome: undefined, exitCode: 9, reason: 'failed' },
  { outcome: undefined, exitCode: 7, reason: 'unanswered' },
  { outcome: undefined, exitCode: 137, reason: 'signal' },
  { outcome: 'limit', exitCode: 130, reason: 'signal' },
  { outcome: 'limit', exitCode: 3, reason: 'cost-limit' },
  { outcome: 'asked', exitCode: 0, reason: 'stopped' },
  { outcome: 'asked', exitCode: 7, reason: 'stopped' },
  { outcome: 'usage-limit', exitCode: 5, reason: 'usage-limit' },
  { outcome: 'outage', exitCode: 7, reason: 'outage' },
] as const)('$outcome with $exitCode is $reason, which the documentation lists', ({ outcome, exitCode, reason }) => {
  expect(endReason(changedIn(initialState(runWith()), 'mailbox', { outcome }), exitCode)).toBe(reason);
  expect(PAGES.get('docs/runs.md')).toContain(`\`${reason}\``);
});

it('names the time limit as the reason', () => {
  expect(endReason(timeUp(changedIn(initialState(runWith()), 'mailbox', { outcome: 'limit' })), 3)).toBe('time-limit');
});
