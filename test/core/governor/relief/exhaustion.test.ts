import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { OwnEvent } from '../../../../src/core/governor/input.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  type Driver,
  decisions,
  drive,
  exitEvent,
  initLine,
  kinds,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
  said,
  syntheticLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS } from '../../../support/recordings.ts';

const TOO_LONG = [
  initLine(),
  syntheticLine('Prompt is too long'),
  resultLine({ is_error: true, result: 'Prompt is too long', terminal_reason: 'prompt_too_long' }),
];

/** The same as claude tells it of a single exchange. */
const REFUSED = TOO_LONG.map((line) =>
  line.type === 'result' ? { ...line, result: 'Prompt is too long · ~210000 tokens (limit 200000)' } : line,
);

const WRITTEN: OwnEvent = { kind: 'handoff-written', path: 'h.md', text: 'Notes.', by: 'memory', problems: [] };
const CLEARED = [initLine({ session_id: 's2' }), resultLine({ session_id: 's2', num_turns: 0, result: '' })];
const OFF = [initLine(), resultLine({ num_turns: 0, result: "/clear isn't available in this environment." })];

/** The API has refused the second prompt for its length. */
function exhausted(changes: PolicyChanges = {}): Driver {
  const driver = afterTurn(100_000, { policy: policyWith(changes) });
  driver.prompt('Second.');
  driver.claude(...TOO_LONG);
  return driver;
}

const RESUMED = expect.stringMatching(/^The context was full in the middle of the work.*Second\./s);

describe('a context that is too full for a turn', () => {
  it('is seen by the caller only if nothing helps', () => {
    const driver = afterTurn(100_000);
    driver.prompt('Second.');
    const seen = TOO_LONG.map((line) => {
      const fate = visibilityOf(driver.state, decodeObject(line));
      driver.claude(line);
      return fate;
    });
    expect(seen).toEqual(['show', 'defer', 'defer']);
  });

  it('is compacted, and the turn is gone on with', () => {
    const driver = exhausted();
    expect(said(driver.actions).at(-1)).toBe('/compact focus on Do the thing.');
    const actions = driver.claude(...COMPACT_TURNS.success);
    expect(said(actions)).toEqual([RESUMED]);
    expect(kinds(actions)).not.toContain('deferred');
    expect(driver.claude(initLine(), callLine(30_000), resultLine())).toContainEqual({
      kind: 'deferred',
      fate: 'drop',
    });
  });

  it('is handed over from memory where compacting did not help', () => {
    const driver = exhausted();
    const actions = driver.claude(...COMPACT_TURNS.failed);
    expect(kinds(decisions(actions))).toContain('handoff');
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'write-handoff', answer: undefined }));
    expect(said(driver.tell(WRITTEN))).toEqual(['/clear']);
    expect(said(driver.claude(...CLEARED))).toEqual([RESUMED]);
  });

  it('is handed over where the compaction is not heard of again', () => {
    const driver = exhausted();
    expect(kinds(decisions(driver.timeout('compaction')))).toEqual(['compacted', 'handoff']);
  });

  it('is handed over by another process, and the turn is gone on with there', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...OFF);
    driver.tell(exitEvent({ code: 0, signal: undefined }));
    expect(said(driver.begin())).toEqual([RESUMED]);
    expect(driver.state.outcome).toBeUndefined();
  });

  it('ends the run where a fresh context does not help either, and says what was refused and where the document is', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...CLEARED);
    expect(kinds(decisions(driver.claude(...REFUSED)))).not.toContain('handoff');
    const actions = driver.tell({ ...WRITTEN, path: 'last.md' });
    const reason = expect.stringContaining('the request has 210000 tokens, the window 200000');
    expect(decisions(actions)).toMatchObject([{ kind: 'unrelieved', path: 'last.md', reason }]);
    expect(actions).toContainEqual({ kind: 'deferred', fate: 'show' });
    expect(driver.state).toMatchObject({ outcome: 'unrelieved', input: 'closed' });
  });

  it('ends the run after three handoffs in a row, each of which let the work go on for a while', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...CLEARED);
    for (const session_id of ['s2', 's3', 's4']) {
      driver.claude(...[initLine(), callLine(100_000), ...TOO_LONG].map((line) => ({ ...line, session_id })));
      driver.tell({ ...WRITTEN, path: `${session_id}.md` });
      driver.claude(...CLEARED.map((line) => ({ ...line, session_id: `${session_id}c` })));
    }
    expect(decisions(driver.actions).filter(({ kind }) => kind === 'handoff')).toHaveLength(3);
    expect(driver.actions).toContainEqual(expect.objectContaining({ kind: 'unrelieved', path: 's4.md' }));
  });

  it.each([
    { name: 'a new conversation', resumes: false, decided: ['exhausted'] },
    { name: 'one that goes on', resumes: true, decided: ['exhausted', 'compact'] },
  ])('in the first turn of $name: the caller gets the error where nothing else is to be relieved', (one) => {
    const driver = drive(runWith({ resumes: one.resumes }));
    driver.begin();
    driver.claude(answerTo(driver, 'initialize'));
    if (one.resumes) driver.claude(answerTo(driver, 'context', { totalTokens: 15_000 }));
    driver.prompt('one');
    const actions = driver.claude(initLine(), resultLine({ is_error: true, result: 'Prompt is too long' }));
    expect(kinds(decisions(actions))).toEqual(one.decided);
    expect(actions.some(({ kind }) => kind === 'answered')).toBe(!one.resumes);
    expect(driver.state.outcome).toBeUndefined();
  });

  it('is handed over all the same where claude dies meanwhile', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.tell(exitEvent());
    expect(kinds(decisions(driver.begin()))).toEqual(['handed-over', 'resume']);
    expect(driver.state.outcome).toBeUndefined();
  });

  it('is forgotten after a turn that went well', () => {
    const driver = exhausted();
    driver.claude(...COMPACT_TURNS.success);
    driver.claude(initLine(), callLine(30_000), resultLine());
    expect(driver.state.relief.exhausted).toBeUndefined();
  });
});
