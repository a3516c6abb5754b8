import { describe, expect, it } from 'vitest';
import { isComputed, totalMicroUsd } from '../../../../src/core/governor/cost/cost.ts';
import { latestCallsMicroUsd, openMicroUsd } from '../../../../src/core/governor/cost/priced-call.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import type { ExitEvent } from '../../../../src/core/governor/input.ts';
import {
  openPrompts,
  promptsInTurn,
  unansweredPrompts,
  waiting,
} from '../../../../src/core/governor/prompts/mailbox.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  answerOpening,
  callLine,
  type Driver,
  decisions,
  drive,
  exitEvent,
  hookLine,
  initLine,
  kinds,
  type Line,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  told,
  userLine,
} from '../../../support/governor.ts';

/** In the middle of the second turn, whose prompt is `prompt-2`. */
function midTurn(changes: Partial<Run> = {}): Driver {
  const driver = afterTurn(20_000, changes);
  driver.prompt('Second.');
  driver.claude(initLine(), callLine(21_000));
  return driver;
}

/** The process dies, and another one takes its place; returns what that one is told. */
function diedAndBack(driver: Driver, changes: Partial<ExitEvent> = {}): unknown[] {
  driver.tell(exitEvent(changes));
  driver.begin();
  return said(driver.claude(answerOpening(driver)));
}

const starts = (driver: Driver) => driver.actions.filter(({ kind }) => kind === 'start-claude');

describe('the cost of a call that dies with claude', () => {
  /** After a turn whose cost claude has reported. */
  function afterCost(used = 20_000, changes: Partial<Run> = {}): Driver {
    const driver = afterTurn(20_000, changes);
    driver.prompt('First.');
    driver.claude(initLine(), callLine(used), resultLine({ total_cost_usd: 0.5 }));
    return driver;
  }

  it('is reported as not fully known', () => {
    const driver = afterCost();
    driver.prompt('Second.');
    driver.claude(initLine());
    expect(isComputed(driver.state.limits.cost)).toBe(false);
    driver.tell(exitEvent());
    expect(isComputed(driver.state.limits.cost)).toBe(true);
  });

  it.each(['compact', 'handoff'] as const)('also if the call was for a relief (%s)', (strategy) => {
    const driver = afterCost(160_000, { policy: policyWith({ strategy }) });
    driver.prompt('Next.');
    driver.claude(initLine());
    expect(isComputed(driver.state.limits.cost)).toBe(false);
    driver.tell(exitEvent());
    expect(isComputed(driver.state.limits.cost)).toBe(true);
  });

  it('is nothing between two turns', () => {
    const driver = afterCost();
    driver.tell(exitEvent());
    expect(isComputed(driver.state.limits.cost)).toBe(false);
  });
});

describe('claude dies within a turn', () => {
  it('and after a refused resume the next process gets all unanswered prompts', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    driver.tell(exitEvent({ code: 1, signal: undefined }));
    // It does not come up either: the session stays given up.
    const again = driver.tell(exitEvent({ code: 127, signal: undefined }));
    expect(again).not.toContainEqual(expect.objectContaining({ kind: 'start-claude', resume: 's1' }));
    expect(waiting(driver.state).map(({ text }) => text)).toEqual(['Second.']);
    expect(driver.state.mailbox.resumeReason).toBeUndefined();
  });

  it('and after a refused resume the next process gets prompts that an earlier ctxb left unanswered', () => {
    const driver = drive(runWith({ resumes: true }));
    const spent = { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 };
    const nothing = { finished: false, openTool: undefined, document: undefined };
    driver.tell({
      kind: 'recovered',
      ...nothing,
      answers: [JSON.stringify(userLine('Earlier.', { uuid: 'earlier' }))],
      spent,
    });
    driver.callerEnd();
    driver.begin();
    driver.claude(answerOpening(driver), initLine(), callLine(30_000));
    driver.tell(exitEvent({ delivered: promptsInTurn(driver.state).map(({ uuid }) => uuid) }));
    driver.begin();
    driver.tell(exitEvent({ code: 1, signal: undefined }));
    expect(waiting(driver.state).map(({ text }) => text)).toEqual(['Earlier.']);
    expect(openPrompts(driver.state).map(({ uuid }) => uuid)).toEqual(['earlier']);
  });

  it('and again after the caller has sent a prompt into the resumed turn: each prompt is answered once', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    driver.claude(answerOpening(driver), initLine(), callLine(22_000));
    driver.prompt('Third.');
    driver.tell(exitEvent({ delivered: promptsInTurn(driver.state).map(({ uuid }) => uuid) }));
    expect(openPrompts(driver.state).map(({ uuid }) => uuid)).toEqual(['prompt-2', 'prompt-3']);
    driver.begin();
    driver.claude(answerOpening(driver), initLine(), callLine(23_000), resultLine());
    expect(unansweredPrompts(driver.state)).toEqual([]);
  });

  it("and claude's log corrects the cost, and a running call still counts for limits", () => {
    const driver = midTurn();
    const call = latestCallsMicroUsd(driver.state.limits.cost);
    const before = totalMicroUsd(driver.state.limits.cost);
    const logged = openMicroUsd(driver.state.limits.cost) + 70_000;
    driver.tell(exitEvent({ delivered: ['prompt-2'], openMicroUsd: logged }));
    expect(call).toBeGreaterThan(0);
    expect(totalMicroUsd(driver.state.limits.cost)).toBe(before + 70_000);
    expect(driver.state.limits.lost).toBe(call);
  });

  it('and ctxb waits for the resumed turn, however late claude begins', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    const actions = driver.claude(answerOpening(driver));
    expect(kinds(actions)).toContain('resume');
    expect(actions).not.toContainEqual(expect.objectContaining({ kind: 'set-timer', timer: 'skip' }));
  });

  it.each([
    { hasMaxTurns: true, warnings: 1 },
    { hasMaxTurns: false, warnings: 0 },
  ])("and a caller's limit for a turn starts over: $hasMaxTurns", ({ hasMaxTurns, warnings }) => {
    const driver = midTurn({ hasMaxTurns });
    diedAndBack(driver, { delivered: ['prompt-2'] });
    const names = decisions(driver.actions).map(nameOf);
    expect(names.filter((name) => name === 'unavailable:max-turns')).toHaveLength(warnings);
    // The next prompt has a turn of its own.
    driver.claude(initLine(), callLine(22_000), resultLine());
    driver.prompt('Third.');
    expect(decisions(driver.actions).map(nameOf)).toHaveLength(names.length);
  });

  it('and is restarted with its session, after a second', () => {
    const driver = midTurn();
    const actions = driver.tell(exitEvent());
    expect(decisions(actions)).toMatchObject([{ kind: 'restart', reason: 'claude ended: SIGKILL', attempt: 1 }]);
    expect(actions).toContainEqual({ kind: 'start-claude', resume: 's1', isFirst: false, afterMs: 1_000 });
    expect(actions).toContainEqual({ kind: 'buffered', fate: 'drop' });
  });

  it('without a log it is restarted in a new session, with a document from memory', () => {
    const driver = midTurn();
    const actions = driver.tell(exitEvent({ logged: false }));
    expect(kinds(decisions(actions))).toEqual(['restart', 'handoff']);
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'write-handoff', answer: undefined }));
    driver.tell({ kind: 'handoff-written', path: 'h.md', text: 'Notes.', by: 'memory', problems: [] });
    expect(starts(driver)).toMatchObject([{ resume: undefined, isFirst: false }]);
    expect(said(driver.begin())).toEqual(['Second.']);
  });

  it.each([
    { name: 'killed', end: { signal: 'SIGSEGV' }, reason: 'claude ended: SIGSEGV' },
    { name: 'by an error of its own', end: { signal: undefined, code: 134 }, reason: 'claude ended: exit code 134' },
  ])('says how it ended: $name', ({ end, reason }) => {
    expect(decisions(midTurn().tell(exitEvent(end)))).toMatchObject([{ kind: 'restart', reason }]);
  });

  it('clears every timer of the dead process', () => {
    const timers = midTurn()
      .tell(exitEvent())
      .flatMap((action) => (action.kind === 'clear-timer' ? [action.timer] : []));
    const all = ['background', 'context', 'exact', 'exit', 'interrupt', 'operation', 'skip', 'stall', 'turn'];
    expect(timers.sort()).toEqual(all);
  });
});

describe('prompts of a turn that died', () => {
  it('are sent again, before others, if the log lacks them', () => {
    const driver = midTurn();
    driver.prompt('Said into it.');
    driver.prompt('/cost');
    const [restart] = decisions(driver.tell(exitEvent()));
    expect(restart).toMatchObject({ undelivered: ['prompt-2', 'prompt-3'] });
    driver.begin();
    expect(said(driver.claude(answerOpening(driver)))).toEqual(['Second.']);
    expect(said(driver.claude(initLine(), callLine(21_000), resultLine()))).toEqual(['Said into it.']);
    expect(said(driver.claude(initLine(), callLine(22_000), resultLine()))).toEqual(['/cost']);
  });

  it('are on disk before they wait', () => {
    const driver = midTurn();
    expect(driver.tell(exitEvent())).toContainEqual({
      kind: 'hold',
      uuid: 'prompt-2',
      line: expect.stringContaining('Second.'),
    });
  });

  it('are continued, and not sent twice, if the log has them', () => {
    expect(diedAndBack(midTurn(), { delivered: ['prompt-2'] })).toEqual([
      expect.stringMatching(/ended unexpectedly \(SIGKILL\) and continues in a new process.*Go on from where/s),
    ]);
  });

  it('count as delivered if a later one is, and are still unanswered', () => {
    const driver = midTurn();
    driver.prompt('Said into it.');
    expect(decisions(driver.tell(exitEvent({ delivered: ['prompt-3'] })))).toMatchObject([{ undelivered: [] }]);
    driver.begin();
    driver.claude(answerOpening(driver));
    const uuids = expect.arrayContaining(['prompt-2', 'prompt-3']);
    expect(driver.claude(initLine(), callLine(22_000), resultLine())).toContainEqual({ kind: 'answered', uuids });
  });

  it('of both kinds: begun ones first, then the rest', () => {
    const driver = midTurn();
    driver.prompt('Said into it.');
    expect(diedAndBack(driver, { delivered: ['prompt-2'] })).toEqual([
      expect.stringMatching(/^\[ctxb\] Claude Code ended/),
    ]);
    expect(said(driver.claude(initLine(), callLine(22_000), resultLine()))).toEqual(['Said into it.']);
  });

  it('the agent learns which tool was running', () => {
    const driver = midTurn();
    const line = callLine(22_000);
    const content = [{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'make all' } }];
    driver.claude({ ...line, message: { ...(line.message as object), content } });
    expect(diedAndBack(driver, { delivered: ['prompt-2'] })).toEqual([
      expect.stringContaining('This was running, and its outcome is unknown: Bash make all. Check what it has done'),
    ]);
  });

  it('the agent learns about tools that only the log shows', () => {
    const told = diedAndBack(midTurn(), { delivered: ['prompt-2'], openTool: 'Edit a.ts' });
    expect(told).toEqual([expect.stringContaining('is unknown: Edit a.ts.')]);
  });

  it('an answer that did not arrive is requested again', () => {
    const told = diedAndBack(midTurn(), { delivered: ['prompt-2'], finished: true });
    expect(told).toEqual([expect.stringContaining('The last answer did not arrive: give it again.')]);
  });

  it('the prompt to resume is not lost if claude dies again', () => {
    const driver = midTurn();
    diedAndBack(driver, { delivered: ['prompt-2'] });
    driver.claude(initLine());
    expect(diedAndBack(driver)).toEqual([expect.stringMatching(/Go on from where the work stands\.$/)]);
  });
});

describe('between two processes', () => {
  it('prompts wait on disk, and are sent in order', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    expect(kinds(driver.prompt('Third.', 'Fourth.')).filter((kind) => kind === 'hold')).toHaveLength(2);
    driver.begin();
    driver.claude(answerOpening(driver));
    expect(said(driver.claude(initLine(), callLine(22_000), resultLine()))).toEqual(['Third.']);
    expect(said(driver.claude(initLine(), callLine(22_000), resultLine()))).toEqual(['Fourth.']);
  });

  it('nothing is written to the dead process', () => {
    const driver = midTurn();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    expect(sent(driver.prompt('Third.'))).toEqual([]);
  });

  it('the next process is initialized like the first, and asked for its context', () => {
    const driver = midTurn();
    driver.tell(exitEvent());
    const subtypes = sent(driver.begin()).map(({ request }) => (request as { subtype: string }).subtype);
    expect(subtypes).toEqual(['initialize', 'get_context_usage', 'get_usage']);
    expect(driver.state.process.control.trigger).toBe('unplaced');
  });

  it("with the caller's own initialize, if claude had answered one", () => {
    const driver = drive(runWith({ callerSpeaksProtocol: true }));
    driver.begin();
    driver.caller({
      type: 'control_request',
      request_id: 'theirs',
      request: { subtype: 'initialize', agents: { a: 1 } },
    });
    driver.claude({ type: 'control_response', response: { subtype: 'success', request_id: 'theirs', response: {} } });
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(20_000));
    driver.tell(exitEvent());
    const [initialize] = sent(driver.begin());
    expect(initialize).toMatchObject({
      request_id: expect.stringMatching(/^ctxb:/),
      request: { subtype: 'initialize', agents: { a: 1 } },
    });
  });

  it('an interrupted compaction begins again', () => {
    const driver = afterTurn(160_000);
    driver.prompt('Next.');
    driver.tell(exitEvent());
    driver.begin();
    driver.claude({
      ...answerOpening(driver),
      response: {
        ...(answerOpening(driver).response as object),
        response: { totalTokens: 160_000, rawMaxTokens: 200_000, isAutoCompactEnabled: true },
      },
    });
    expect(said(driver.actions).slice(-2)).toEqual([
      '/compact focus on Do the thing.',
      '/compact focus on Do the thing.',
    ]);
  });
});

describe('the number of restarts', () => {
  it('is three in a row, each later than the one before', () => {
    const driver = midTurn();
    for (let count = 0; count < 3; count++) diedAndBack(driver);
    expect(starts(driver)).toMatchObject([{ afterMs: 1_000 }, { afterMs: 2_000 }, { afterMs: 4_000 }]);
    const actions = driver.tell(exitEvent());
    expect(kinds(actions)).toEqual(['left-undone', 'deferred']);
    expect(driver.state.mailbox.input).toBe('closed');
  });

  it('is reset after a turn that ended well', () => {
    const driver = midTurn();
    diedAndBack(driver);
    diedAndBack(driver);
    driver.claude(initLine(), callLine(21_000), resultLine());
    driver.prompt('Third.');
    driver.tell(exitEvent());
    expect(starts(driver)).toMatchObject([{ afterMs: 1_000 }, { afterMs: 2_000 }, { afterMs: 1_000 }]);
  });

  it.each<{ name: string; changes: Partial<Run> }>([
    { name: 'recovery is off', changes: { policy: policyWith({ recovery: { enabled: false } }) } },
    { name: 'claude keeps no log', changes: { persistent: false } },
  ])('is zero if $name', ({ changes }) => {
    const driver = midTurn(changes);
    driver.tell(exitEvent());
    expect(starts(driver)).toEqual([]);
    expect(driver.state.mailbox.input).toBe('closed');
  });
});

describe('an exit without a restart', () => {
  it.each<{ name: string; end: Partial<ExitEvent> }>([
    ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGXFSZ'] as const).map((signal) => ({ name: signal, end: { signal } })),
    ...[0, 129, 130, 143].map((code) => ({ name: `exit code ${code}`, end: { signal: undefined, code } })),
  ])('$name', ({ end }) => {
    const driver = midTurn();
    driver.tell(exitEvent(end));
    expect(starts(driver)).toEqual([]);
  });

  it('after the end of its input', () => {
    const driver = afterTurn(20_000);
    driver.callerEnd();
    driver.tell(exitEvent());
    expect(starts(driver)).toEqual([]);
  });

  it('after the user asked to stop', () => {
    const driver = midTurn();
    driver.interrupt();
    driver.tell(exitEvent());
    expect(starts(driver)).toEqual([]);
  });

  it.each([
    { type: 'user' },
    { type: 'user', message: { role: 'assistant', content: 'x' } },
    { type: 'control_request', request_id: 'r' },
  ])('by itself, at a line of the caller: %o', (line) => {
    const driver = midTurn();
    driver.caller(line);
    driver.tell(exitEvent({ code: 1, signal: undefined }));
    expect(starts(driver)).toEqual([]);
    expect(driver.state.mailbox.outcome).toBe('refused');
  });

  it('by itself, at an invalid line before the session: earlier prompts are named', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('Do the thing.');
    driver.caller({ type: 'user' });
    const ended = driver.tell(exitEvent({ code: 1, signal: undefined, logged: false }));
    expect(ended).toContainEqual(expect.objectContaining({ kind: 'left-undone', prompts: ['prompt-1'] }));
  });

  it('but with a restart after a line that claude ignores', () => {
    const driver = midTurn();
    driver.caller([] as unknown as Line);
    driver.tell(exitEvent({ code: 1, signal: undefined }));
    expect(starts(driver)).toHaveLength(1);
  });

  it('by itself, before the session', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('Do the thing.');
    driver.tell(exitEvent({ code: 1, signal: undefined, logged: false }));
    expect(starts(driver)).toEqual([]);
  });
});

it('a claude that is killed before its session restarts like the first one', () => {
  const driver = drive();
  driver.begin();
  driver.prompt('Do the thing.');
  driver.tell(exitEvent({ logged: false }));
  expect(starts(driver)).toEqual([{ kind: 'start-claude', resume: undefined, isFirst: true, afterMs: 1_000 }]);
});

it('a run that resumes another one begins with the interrupted work', () => {
  const driver = drive(runWith({ resumes: true }));
  driver.begin();
  driver.tell({
    kind: 'recovered',
    finished: false,
    openTool: 'Bash make',
    answers: [JSON.stringify(userLine('Do it.', { uuid: 'u' }))],
    document: undefined,
    spent: { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 },
  });
  driver.prompt('Held.');
  expect(said(driver.claude(answerOpening(driver)))).toEqual([
    expect.stringMatching(/^\[ctxb\] The work was interrupted.*is unknown: Bash make\./),
  ]);
  expect(said(driver.claude(initLine(), callLine(21_000), resultLine()))).toEqual(['Held.']);
});

it('a document that was lost with a process before it was logged is given again', () => {
  const driver = drive();
  driver.tell({
    kind: 'recovered',
    finished: true,
    openTool: undefined,
    answers: [],
    document: { path: 'handoff.md', text: 'All that is known.' },
    spent: { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 },
  });
  driver.begin();
  const document = () => told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' }))).join('\n');
  driver.prompt('Go on.');
  driver.claude(initLine());
  expect(document()).toContain('All that is known.');
  expect(driver.tell(exitEvent({ logged: false, delivered: [] })).at(-1)).toMatchObject({ resume: undefined });
  driver.begin();
  expect(document()).toContain('All that is known.');
});
