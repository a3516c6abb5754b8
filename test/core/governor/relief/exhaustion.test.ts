import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { OwnEvent } from '../../../../src/core/governor/input.ts';
import { unansweredPrompts } from '../../../../src/core/governor/prompts/mailbox.ts';
import { isComparable } from '../../../../src/core/governor/relief/accounts.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  answerTo,
  boundaryLine,
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
  it('is shown to the caller only if nothing helps', () => {
    const driver = afterTurn(100_000);
    driver.prompt('Second.');
    const seen = TOO_LONG.map((line) => {
      const fate = visibilityOf(driver.state, decodeObject(line));
      driver.claude(line);
      return fate;
    });
    expect(seen).toEqual(['show', 'defer', 'defer']);
  });

  it('is compacted, and the turn resumes', () => {
    const driver = exhausted();
    expect(isComparable(driver.state)).toBe(false);
    expect(said(driver.actions).at(-1)).toBe('/compact focus on Do the thing.');
    const actions = driver.claude(...COMPACT_TURNS.success);
    expect(said(actions)).toEqual([RESUMED]);
    expect(kinds(actions)).not.toContain('deferred');
    expect(driver.claude(initLine(), callLine(30_000), resultLine())).toContainEqual({
      kind: 'deferred',
      fate: 'drop',
    });
  });

  it('is handed over from memory if compacting did not help', () => {
    const driver = exhausted();
    const actions = driver.claude(...COMPACT_TURNS.failed);
    expect(kinds(decisions(actions))).toContain('handoff');
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'write-handoff', answer: undefined }));
    expect(said(driver.tell(WRITTEN))).toEqual(['/clear']);
    expect(said(driver.claude(...CLEARED))).toEqual([RESUMED]);
  });

  it('is handed over if the compaction does not end', () => {
    const driver = exhausted();
    expect(kinds(decisions(driver.timeout('operation')))).toEqual(['compacted', 'handoff']);
  });

  it('is handed over to another process, and the turn resumes there', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...OFF);
    driver.tell(exitEvent({ code: 0, signal: undefined }));
    expect(said(driver.begin())).toEqual([RESUMED]);
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('is not handed over if the user stops the run meanwhile: undone prompts are named', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.prompt('Third.');
    driver.tell(WRITTEN);
    driver.claude(...OFF);
    driver.interrupt();
    const ended = driver.tell(exitEvent({ code: 0, signal: undefined }));
    expect(kinds(ended)).not.toContain('start-claude');
    const left = { reason: 'the run was stopped', prompts: ['prompt-2', 'prompt-3'] };
    expect(decisions(ended)).toMatchObject([{ kind: 'left-undone', ...left }]);
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('ends the run if a fresh context does not help either, and names the refused prompt and the document', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...CLEARED);
    expect(kinds(decisions(driver.claude(...REFUSED)))).not.toContain('handoff');
    const actions = driver.tell({ ...WRITTEN, path: 'last.md' });
    const reason = expect.stringContaining('the request has 210000 tokens, the window 200000');
    expect(decisions(actions)).toMatchObject([{ kind: 'give-up', of: 'run', path: 'last.md', reason }]);
    expect(actions).toContainEqual({ kind: 'deferred', fate: 'show' });
    expect(driver.state.mailbox).toMatchObject({ outcome: 'unrelieved', input: 'closed' });
  });

  it('ends the run after three handoffs in a row, even if each let the work continue for a while', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.claude(...CLEARED);
    for (const session_id of ['s2', 's3', 's4']) {
      driver.claude(...[initLine(), callLine(100_000), ...TOO_LONG].map((line) => ({ ...line, session_id })));
      driver.tell({ ...WRITTEN, path: `${session_id}.md` });
      driver.claude(...CLEARED.map((line) => ({ ...line, session_id: `${session_id}c` })));
    }
    expect(decisions(driver.actions).filter(({ kind }) => kind === 'handoff')).toHaveLength(3);
    expect(driver.actions).toContainEqual(expect.objectContaining({ kind: 'give-up', of: 'run', path: 's4.md' }));
  });

  it.each([
    { name: 'a new conversation', resumes: false, decided: ['exhausted'] },
    { name: 'one that goes on', resumes: true, decided: ['exhausted', 'compact'] },
  ])('in the first turn of $name: the caller gets the error if the context has nothing else', (one) => {
    const driver = drive(runWith({ resumes: one.resumes }));
    driver.begin();
    driver.claude(answerTo(driver, 'initialize'));
    if (one.resumes) driver.claude(answerTo(driver, 'context', { totalTokens: 15_000 }));
    driver.prompt('one');
    const actions = driver.claude(initLine(), resultLine({ is_error: true, result: 'Prompt is too long' }));
    expect(kinds(decisions(actions))).toEqual(one.decided);
    expect(actions.some(({ kind }) => kind === 'answered')).toBe(!one.resumes);
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('gets the prompts from the caller again, and not those of ctxb', () => {
    const driver = afterTurn(100_000);
    driver.prompt('Second.');
    driver.claude(initLine(), callLine(101_000));
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    driver.claude(answerTo(driver, 'context', { totalTokens: 101_000 }), ...TOO_LONG);
    const [text] = said(driver.claude(...COMPACT_TURNS.success));
    expect(text).toEqual(RESUMED);
    expect(text).not.toContain('[ctxb]');
  });

  it('is handed over even if claude dies meanwhile', () => {
    const driver = exhausted({ compaction: { enabled: false } });
    driver.tell(WRITTEN);
    driver.tell(exitEvent());
    expect(kinds(decisions(driver.begin()))).toEqual(['handed-over', 'resume']);
    expect(driver.state.mailbox.outcome).toBeUndefined();
  });

  it('is forgotten after a successful turn', () => {
    const driver = exhausted();
    driver.claude(...COMPACT_TURNS.success);
    driver.claude(initLine(), callLine(30_000), resultLine());
    expect(driver.state.relief.exhausted).toBeUndefined();
  });
});

/** The second prompt's turn had no room, and claude begins at once with what was said into it. */
function spokenInto(changes: PolicyChanges = {}): Driver {
  const driver = afterTurn(100_000, { policy: policyWith(changes), callerSpeaksProtocol: true });
  driver.prompt('Second.');
  driver.claude(initLine(), callLine(101_000));
  driver.prompt('Third.');
  driver.claude(...TOO_LONG.slice(1));
  return driver;
}

function answered(driver: Driver): readonly string[] {
  const uuids = driver.actions.flatMap((action) => (action.kind === 'answered' ? action.uuids : []));
  return uuids.filter((uuid) => uuid.startsWith('prompt-'));
}

describe('a turn without room that got a further prompt', () => {
  it('resumes after the turn of that prompt, if that succeeds', () => {
    const driver = spokenInto();
    const after = driver.claude(initLine(), callLine(40_000), resultLine());
    expect(answered(driver)).toEqual(['prompt-1', 'prompt-3']);
    expect(said(after)).toEqual([expect.stringContaining('has room again')]);
    const resumed = driver.claude(initLine(), callLine(41_000), resultLine());
    expect(resumed).toContainEqual({ kind: 'deferred', fate: 'drop' });
    expect(answered(driver)).toEqual(['prompt-1', 'prompt-3', 'prompt-2']);
  });

  it('gets its own prompt again, if claude has compacted meanwhile', () => {
    const driver = spokenInto();
    const [text] = said(driver.claude(initLine(), boundaryLine('auto', 101_000), callLine(40_000), resultLine()));
    expect(text).toMatch(/has room again.*Second\./s);
  });

  it('resumes together with that prompt, if that has no room either', () => {
    const driver = spokenInto({ handoff: { enabled: false } });
    const result = decodeObject(TOO_LONG.at(-1) ?? {});
    driver.claude(...TOO_LONG.slice(0, 2));
    expect(visibilityOf(driver.state, result)).toBe('defer');
    driver.claude(...TOO_LONG.slice(2));
    const [text] = said(driver.claude(...COMPACT_TURNS.success));
    expect(text).toMatch(/Second\..*Third\./s);
    driver.claude(initLine(), callLine(41_000), resultLine());
    expect(answered(driver)).toEqual(['prompt-1', 'prompt-2', 'prompt-3']);
    expect(unansweredPrompts(driver.state)).toEqual([]);
  });

  it('does not resume if the caller stops that prompt', () => {
    const driver = spokenInto();
    driver.claude(initLine(), callLine(40_000));
    driver.caller({ type: 'control_request', request_id: 'stop', request: { subtype: 'interrupt' } });
    const stopped = driver.claude(resultLine({ subtype: 'error_during_execution', is_error: true }));
    expect(stopped).toContainEqual({ kind: 'deferred', fate: 'show' });
    expect(said(stopped)).toEqual([]);
    expect(answered(driver)).toEqual(['prompt-1', 'prompt-3', 'prompt-2']);
  });
});

it('a turn that claude started during the relief does not answer the prompts of a resumed turn', () => {
  const driver = exhausted();
  driver.claude(...COMPACT_TURNS.success);
  driver.claude(initLine(), ...TOO_LONG.slice(1));
  expect(driver.state.operation.phase).not.toBe('idle');
  driver.claude(initLine(), callLine(100_000), resultLine({ origin: { kind: 'task-notification' } }));
  expect(answered(driver)).toEqual(['prompt-1']);
});
