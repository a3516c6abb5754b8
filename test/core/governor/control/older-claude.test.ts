import { describe, expect, it } from 'vitest';
import {
  afterTurn,
  boundaryLine,
  callLine,
  type Driver,
  decisions,
  hookLine,
  initLine,
  type Line,
  resultLine,
  said,
  told,
  userLine,
} from '../../../support/governor.ts';

/** Claude Code 1.0: it knows few control requests, names no version, and tells of a compaction only when it is over. */
const OLD = { claude_code_version: undefined };

/** `/compact` as 1.0.128 answers it. */
const COMPACTED: readonly Line[] = [
  initLine(OLD),
  {
    type: 'system',
    subtype: 'compact_boundary',
    session_id: 's1',
    compact_metadata: { trigger: 'manual', pre_tokens: 170_120 },
  },
  resultLine({ num_turns: 0, result: '', usage: { input_tokens: 0, output_tokens: 0 } }),
];

/** What it does with requests that it does not know. */
const ANSWERS = [
  { name: 'refuses them', answer: refuseAll },
  { name: 'leaves them unanswered', answer: () => {} },
];

function refuseAll(driver: Driver): void {
  for (const request_id of Object.keys(driver.state.process.control.pending)) {
    driver.claude({ type: 'control_response', response: { subtype: 'error', request_id, error: 'unknown' } });
  }
}

describe.each(ANSWERS)('a claude of 1.0 that knows few requests and $name', ({ answer }) => {
  function full(): Driver {
    const driver = afterTurn(165_000, { mode: 'act' });
    answer(driver);
    return driver;
  }

  it('is measured as soon as its result names the window', () => {
    expect(full().state.gauge).toMatchObject({ used: 165_000, window: { tokens: 200_000, source: 'result' } });
  });

  it('is compacted between two turns, and gets the prompt that waited', () => {
    const driver = full();
    expect(said(driver.prompt('Next.'))).toEqual(['/compact focus on Do the thing.']);
    const actions = driver.claude(...COMPACTED);
    expect(decisions(actions)).toContainEqual(expect.objectContaining({ kind: 'compacted', verdict: 'success' }));
    expect(said(actions)).toEqual(['Next.']);
    driver.claude(initLine(OLD), callLine(30_000));
    expect(driver.state).toMatchObject({ relief: { latch: 'none' }, gauge: { used: 30_000, basis: 'measured' } });
  });

  it('gets the notices about its context', () => {
    const driver = full();
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' }))).join()).toContain('200');
  });
});

it('keeps its own trigger if it cannot be moved, with a notice', () => {
  const driver = afterTurn(50_000, { mode: 'act' });
  // First that it tells its window.
  refuseAll(driver);
  refuseAll(driver);
  expect(decisions(driver.actions)).toContainEqual(expect.objectContaining({ kind: 'unavailable', of: 'trigger' }));
  expect(driver.state.process.control.trigger).toBe('off');
});

it('clears crossed thresholds after it has compacted within a turn', () => {
  const driver = afterTurn(150_000, { mode: 'act' });
  driver.prompt('Next.');
  driver.claude(
    initLine(OLD),
    callLine(170_000),
    boundaryLine('auto', 170_120),
    userLine('…', { isCompactSummary: true }),
  );
  driver.claude(callLine(30_000), resultLine());
  expect(driver.state).toMatchObject({ relief: { latch: 'none' }, gauge: { used: 30_000 } });
  expect(said(driver.prompt('And then.'))).toEqual(['And then.']);
});
