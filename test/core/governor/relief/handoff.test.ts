import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { OwnEvent } from '../../../../src/core/governor/input.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
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
  hookLine,
  initLine,
  kinds,
  type Line,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  syntheticLine,
  told,
  toolResultLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS } from '../../../support/recordings.ts';

const FULL = 160_000;
const ASKED = expect.stringMatching(/^Your context ends here \(.*Answer with the handoff document itself/s);
const DOCUMENT = 'The context before this one was full. ## Goal';
const WRITTEN: OwnEvent = {
  kind: 'handoff-written',
  path: '.context/handoffs/h.md',
  text: DOCUMENT,
  by: 'agent',
  problems: [],
};

/** A handoff has begun because `Next.` waits. */
function asking(changes: Partial<Run> = {}, policy: PolicyChanges = {}): Driver {
  const driver = afterTurn(FULL, { policy: policyWith({ strategy: 'handoff', ...policy }), ...changes });
  driver.prompt('Next.');
  return driver;
}

/** The agent's turn with the document. */
function answer(text: string, more: Line = {}): Line[] {
  return [initLine(), callLine(FULL), resultLine({ result: text, ...more })];
}

function clearing(changes: Partial<Run> = {}, policy: PolicyChanges = {}): Driver {
  const driver = asking(changes, policy);
  driver.claude(...answer('## Goal'));
  driver.tell(WRITTEN);
  return driver;
}

/** `/clear` of 2.1.197, which says no more than a new session id. */
const CLEARED = [
  initLine({ session_id: 's2' }),
  syntheticLine('(no content)'),
  resultLine({ session_id: 's2', num_turns: 0, result: '' }),
];

const COMMANDS_OFF = "/clear isn't available in this environment.";
const REFUSED = [initLine(), syntheticLine(COMMANDS_OFF), resultLine({ num_turns: 0, result: COMMANDS_OFF })];

/** A `/clear` that says nothing about what it did. */
const MUTE = [initLine(), resultLine({ num_turns: 0, result: '' })];

function fates(driver: Driver, lines: readonly Line[]): string[] {
  return lines.map((line) => {
    const fate = visibilityOf(driver.state, decodeObject(line));
    driver.claude(line);
    return fate;
  });
}

const handedOver = (driver: Driver) => decisions(driver.actions).filter(({ kind }) => kind === 'handed-over');
const interrupts = (driver: Driver) =>
  sent(driver.actions).filter(({ request }) => (request as { subtype?: string })?.subtype === 'interrupt');

describe('a handoff begins', () => {
  const reasonAfter = (driver: Driver) => decisions(driver.actions).find(({ kind }) => kind === 'handoff')?.reason;

  it.each<{ name: string; run: () => Driver; reason: string }>([
    {
      name: 'where it is the strategy',
      run: () => asking(),
      reason: '160001 tokens have crossed 156000 of 200000',
    },
    {
      name: 'where compacting is off, at its own level',
      run: () => asking({}, { strategy: 'compact', compaction: { enabled: false } }),
      reason: '160001 tokens have crossed 159000 of 200000, and nothing else relieves it',
    },
    {
      name: 'where the API refused the compaction',
      run: () => {
        const driver = afterTurn(160_000);
        driver.prompt('Next.');
        driver.claude(...COMPACT_TURNS.failed);
        return driver;
      },
      reason: 'the API refuses to summarise the context',
    },
    {
      name: 'where slash commands are off',
      run: () => {
        const driver = afterTurn(160_000);
        driver.prompt('Next.');
        driver.claude(...COMPACT_TURNS.refused);
        return driver;
      },
      reason: 'slash commands are switched off',
    },
    {
      name: 'where a compaction landed above its target',
      run: () => {
        const driver = afterTurn(160_000);
        driver.prompt('Next.');
        driver.claude(...COMPACT_TURNS.success, initLine(), callLine(120_000), resultLine());
        driver.prompt('More.');
        return driver;
      },
      reason: 'a compaction landed at 120000 tokens, above its target of 100000',
    },
  ])('$name', ({ run, reason }) => {
    expect(reasonAfter(run())).toBe(reason);
  });

  it('after three useless compactions within five turns, and names what refilled the window', () => {
    const driver = afterTurn(160_000);
    for (const prompt of ['One.', 'Two.', 'Three.']) {
      driver.prompt(prompt);
      const read = callLine(40_000);
      const content = [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'big.log' } }];
      driver.claude(...COMPACT_TURNS.success, initLine());
      driver.claude({ ...read, message: { ...(read.message as object), content } }, toolResultLine('x'.repeat(500)));
      driver.claude(callLine(160_000), resultLine());
    }
    driver.prompt('Four.');
    expect(reasonAfter(driver)).toMatch(
      /crossed 156000 of 200000; 3 compactions within 5 turns, filled again by Read big\.log \(500 characters\)$/,
    );
  });

  it.each<{ name: string; policy: PolicyChanges; used?: number }>([
    { name: 'is switched off', policy: { handoff: { enabled: false }, compaction: { enabled: false } } },
    { name: 'is not needed yet', policy: { compaction: { enabled: false } }, used: 158_000 },
  ])('not if it $name', ({ policy, used = FULL }) => {
    expect(said(afterTurn(used, { policy: policyWith(policy) }).prompt('Next.'))).toEqual(['Next.']);
  });

  it('not if a compaction stayed above its target only because of the prompt', () => {
    const landed = (prompt: string) => {
      const driver = afterTurn(120_000, { exact: true });
      driver.prompt(prompt);
      driver.claude(initLine(), boundaryLine('auto', 190_000), callLine(120_000), resultLine());
      driver.prompt('More.');
      return reasonAfter(driver);
    };
    expect(landed('Read the log.')).toMatch(/^a compaction landed at 120000 tokens/);
    expect(landed('failed at line 17, '.repeat(5_000))).toBeUndefined();
  });

  it('not if a compaction stayed above its target because of the system prompt and the tools, which stay', () => {
    const driver = drive();
    driver.begin();
    driver.prompt('First.');
    driver.claude(initLine(), callLine(100_000), callLine(160_000), resultLine());
    driver.prompt('Next.');
    driver.claude(...COMPACT_TURNS.success, initLine(), callLine(120_000), resultLine());
    expect(said(driver.prompt('More.'))).toEqual(['More.']);
  });

  it('not after an API that was down', () => {
    const driver = afterTurn(160_000);
    driver.prompt('Next.');
    expect(said(driver.claude(...COMPACT_TURNS.unavailable))).toEqual(['Next.']);
  });
});

describe('the document', () => {
  it('is requested in a separate turn; the prompt waits on disk', () => {
    const driver = asking();
    expect(kinds(driver.actions).slice(-4)).toEqual(['hold', 'handoff', 'send', 'set-timer']);
    expect(said(driver.actions).at(-1)).toEqual(ASKED);
    expect(driver.actions.at(-1)).toEqual({ kind: 'set-timer', timer: 'operation', afterMs: 300_000 });
  });

  it('is checked and written', () => {
    const driver = asking();
    expect(driver.claude(...answer('## Goal\nx'))).toContainEqual({
      kind: 'write-handoff',
      answer: '## Goal\nx',
      reason: '160001 tokens have crossed 156000 of 200000',
    });
  });

  it('comes from memory if the answer is an error', () => {
    const driver = asking();
    const actions = driver.claude(...answer('API Error: 400 no', { is_error: true }));
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'write-handoff', answer: undefined }));
  });

  it('comes from memory if answers have a prescribed schema', () => {
    const driver = asking({ answersInSchema: true });
    expect(said(driver.actions)).toEqual(['Do the thing.']);
    expect(driver.actions).toContainEqual(expect.objectContaining({ kind: 'write-handoff', answer: undefined }));
  });

  it('is written without any tool: no permission is requested', () => {
    const driver = asking({ callerSpeaksProtocol: true });
    driver.claude(initLine());
    const question = { type: 'control_request', request_id: 'p1', request: { subtype: 'can_use_tool' } };
    expect(visibilityOf(driver.state, decodeObject(question))).toBe('hide');
    expect(sent(driver.claude(question))).toMatchObject([{ response: { response: { behavior: 'deny' } } }]);
  });

  it('hides all lines of its turn', () => {
    const driver = asking();
    const seen = fates(driver, answer('## Goal'));
    expect(seen).toEqual(['buffer', 'buffer', 'buffer']);
    expect(driver.actions).toContainEqual({ kind: 'buffered', fate: 'drop' });
    expect(driver.state.turn.ended).toBe(1);
  });

  it('hides no line about a background task that ends meanwhile', () => {
    const driver = asking();
    const task = { type: 'system', task_id: 't1', tool_use_id: 'toolu_1', task_type: 'local_bash' };
    driver.claude(initLine(), { ...task, subtype: 'task_started' }, toolResultLine(''));
    const list = { type: 'system', subtype: 'background_tasks_changed', tasks: [] };
    const ended = { ...task, subtype: 'task_notification', status: 'completed' };
    expect(fates(driver, [ended, list])).toEqual(['show', 'show']);
  });

  it('costs one call, whose tokens the result repeats', () => {
    const driver = asking();
    const { calls } = driver.state.gauge;
    const usage = { input_tokens: FULL, output_tokens: 900 };
    driver.claude(...answer('## Goal', { usage, uuid: 'result-1' }));
    expect(driver.state.gauge.calls).toBe(calls + 1);
  });

  it('shows a turn that claude starts by itself meanwhile, and the answer is still awaited', () => {
    const driver = asking();
    const actions = driver.claude(
      initLine(),
      callLine(FULL),
      resultLine({ result: 'The task is done.', origin: { kind: 'task-notification' } }),
    );
    expect(actions).toContainEqual({ kind: 'buffered', fate: 'show' });
    expect(driver.state.operation.phase).toBe('asking');
    expect(kinds(driver.claude(...answer('## Goal')))).toContain('write-handoff');
  });
});

it('an agent that works instead of writing is told to stop at its seventh call', () => {
  const driver = asking();
  const seen = Array.from({ length: 8 }, () => {
    driver.claude(callLine(FULL), toolResultLine('done'));
    return interrupts(driver).length;
  });
  expect(seen).toEqual([0, 0, 0, 0, 0, 0, 1, 1]);
});

describe("a claude with a cost limit of the caller's", () => {
  it('is replaced by a new process, because /clear would set its count back', () => {
    const driver = asking({ hasOwnBudget: true });
    driver.claude(...answer('## Goal'));
    expect(kinds(driver.tell(WRITTEN))).toContain('end-input');
  });

  it('gets the prompt, and refuses it itself, if the limit ends the document', () => {
    const driver = asking({ hasOwnBudget: true });
    const actions = driver.claude(
      initLine(),
      callLine(FULL),
      resultLine({ subtype: 'error_max_budget_usd', is_error: true, errors: ['Reached maximum budget ($1)'] }),
    );
    expect(kinds(decisions(actions))).toEqual(['put-off']);
    expect(said(actions)).toEqual(['Next.']);
  });
});

describe('an agent that takes too long', () => {
  it('is told to stop, and the document comes from memory', () => {
    const driver = asking();
    driver.claude(initLine(), callLine(FULL));
    driver.timeout('operation');
    expect(interrupts(driver)).toHaveLength(1);
    const stopped = resultLine({ subtype: 'error_during_execution', is_error: true });
    expect(driver.claude(stopped)).toContainEqual(
      expect.objectContaining({ kind: 'write-handoff', answer: undefined }),
    );
    expect(said(driver.tell(WRITTEN))).toEqual(['/clear']);
  });

  it('loses its process if it does not stop either', () => {
    const driver = asking();
    driver.timeout('operation');
    expect(kinds(driver.timeout('operation'))).toContain('write-handoff');
    expect(kinds(driver.tell(WRITTEN))).toEqual(['end-input', 'set-timer']);
    expect(driver.timeout('exit')).toEqual([{ kind: 'kill' }]);
    const actions = driver.tell(exitEvent());
    expect(actions).toContainEqual({ kind: 'start-claude', resume: undefined, isFirst: false, afterMs: 0 });
  });

  it('still has its full time after a turn that claude started by itself', () => {
    const driver = asking();
    const actions = driver.claude(initLine(), callLine(FULL), resultLine({ origin: { kind: 'task-notification' } }));
    expect(actions).toContainEqual({ kind: 'set-timer', timer: 'operation', afterMs: 300_000 });
  });
});

describe('/clear', () => {
  it('is sent alone, and has half a minute', () => {
    const driver = clearing();
    expect(said(driver.actions).at(-1)).toBe('/clear');
    expect(driver.actions.at(-1)).toEqual({ kind: 'set-timer', timer: 'operation', afterMs: 30_000 });
    expect(said(driver.prompt('Another.'))).toEqual([]);
  });

  it.each([
    { name: 'a new session id', lines: CLEARED },
    {
      name: 'a reset of the conversation',
      lines: [{ type: 'conversation_reset', session_id: 's1' }, ...CLEARED],
    },
  ])('is proved by $name: the waiting prompts are sent', ({ lines }) => {
    const driver = clearing();
    driver.wait(1_500);
    const actions = driver.claude(...lines);
    expect(decisions(actions)).toMatchObject([
      { kind: 'handed-over', way: 'clear', by: 'agent', path: '.context/handoffs/h.md', ms: 1_500, problems: [] },
    ]);
    expect(said(actions)).toEqual(['Next.']);
    expect(actions).toContainEqual({ kind: 'clear-timer', timer: 'operation' });
  });

  it('hides all lines of its turn', () => {
    const driver = clearing();
    expect(fates(driver, CLEARED)).not.toContain('show');
    expect(driver.actions).toContainEqual({ kind: 'buffered', fate: 'drop' });
  });

  it('shows a whole turn that a background task starts before it', () => {
    const driver = clearing();
    const origin = { kind: 'task-notification' };
    const seen = fates(driver, [initLine(), callLine(FULL), resultLine({ result: 'The task is done.', origin })]);
    expect(seen).toEqual(['buffer', 'show', 'show']);
    expect(driver.actions).toContainEqual({ kind: 'buffered', fate: 'show' });
    expect(fates(driver, CLEARED)).not.toContain('show');
    expect(said(driver.actions).at(-1)).toBe('Next.');
  });

  it('gives the document to the fresh context, once, by the SessionStart hook', () => {
    const driver = clearing();
    expect(told(driver.claude(hookLine('SessionStart', { source: 'clear' })))).toEqual([DOCUMENT]);
    driver.claude(...CLEARED);
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' }))).join('')).not.toContain(DOCUMENT);
  });

  it('does not give the document to a turn that a background task starts before it', () => {
    const driver = clearing();
    const prompt = '<task-notification>The task is done.</task-notification>';
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt }))).join('')).not.toContain(DOCUMENT);
    expect(told(driver.claude(hookLine('SessionStart', { source: 'clear' })))).toEqual([DOCUMENT]);
  });

  it('gives the document with the first prompt if claude did not call that hook', () => {
    const driver = clearing();
    driver.claude(...CLEARED);
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' })))).toEqual([
      expect.stringMatching(new RegExp(`^${DOCUMENT}`)),
    ]);
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' }))).join('')).not.toContain(DOCUMENT);
  });

  it('is followed by a hidden turn if claude calls no hooks', () => {
    const driver = clearing({ withoutHooks: true });
    const actions = driver.claude(...CLEARED);
    expect(said(actions)).toEqual([expect.stringContaining(DOCUMENT)]);
    const turn = [initLine({ session_id: 's2' }), callLine(21_000), resultLine({ result: 'OK' })];
    expect(fates(driver, turn)).not.toContain('show');
    expect(said(driver.actions).at(-1)).toBe('Next.');
  });

  it('is followed by the next prompt only after a late injected turn has ended', () => {
    const driver = clearing({ withoutHooks: true });
    driver.claude(...CLEARED, initLine({ session_id: 's2' }), callLine(21_000));
    const late = driver.timeout('operation');
    expect(said(late)).toEqual([]);
    expect(sent(late)).toMatchObject([{ request: { subtype: 'interrupt' } }]);
    const end = [resultLine({ subtype: 'error_during_execution', is_error: true })];
    expect(fates(driver, end)).not.toContain('show');
    expect(said(driver.actions).at(-1)).toBe('Next.');
    expect(driver.state.mailbox.prompts).toMatchObject([{ fate: 'heard' }]);
  });

  it('is followed by another process if claude does not stop a turn of ctxb', () => {
    const driver = clearing({ withoutHooks: true });
    driver.claude(...CLEARED, initLine({ session_id: 's2' }), callLine(21_000));
    driver.timeout('operation');
    expect(driver.timeout('operation')).toEqual([{ kind: 'kill' }]);
    driver.tell(exitEvent({ signal: 'SIGKILL', logged: false }));
    driver.begin();
    expect(said(driver.actions).at(-1)).toContain(DOCUMENT);
  });

  it('is not waited for beyond its timeout', () => {
    const driver = clearing();
    expect(kinds(driver.timeout('operation'))).toEqual(['end-input', 'set-timer']);
  });

  it('is not given up during a turn that claude started by itself', () => {
    const driver = clearing();
    driver.claude(initLine(), callLine(FULL), toolResultLine('x'));
    expect(kinds(driver.timeout('operation'))).toEqual(['set-timer']);
  });

  it('leads to another process if it is switched off', () => {
    const driver = clearing();
    expect(kinds(driver.claude(...REFUSED))).toContain('end-input');
  });

  it('leads to another process if it has no effect', () => {
    const driver = clearing();
    expect(kinds(driver.claude(...MUTE))).toContain('end-input');
  });
});

describe('another process', () => {
  const left = (changes: Partial<Run> = {}, policy: PolicyChanges = {}) => {
    const driver = clearing(changes, policy);
    driver.claude(...REFUSED);
    driver.tell(exitEvent({ code: 0, signal: undefined }));
    return driver;
  };

  it('replaces the full one, at once and without a session', () => {
    expect(left().actions.at(-1)).toEqual({ kind: 'start-claude', resume: undefined, isFirst: false, afterMs: 0 });
  });

  it('gets the waiting prompts, and the document with the first one', () => {
    const driver = left();
    const actions = driver.begin();
    expect(decisions(actions)).toMatchObject([{ kind: 'handed-over', way: 'process', by: 'agent' }]);
    expect(said(actions)).toEqual(['Next.']);
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' })))).toEqual([
      expect.stringContaining(DOCUMENT),
    ]);
  });

  it('needs no log of the old one, and no crash recovery', () => {
    expect(left({ persistent: false }).actions.at(-1)).toMatchObject({ kind: 'start-claude' });
    expect(left({}, { recovery: { enabled: false } }).actions.at(-1)).toMatchObject({ kind: 'start-claude' });
  });

  it('does not start if a signal stops the run before: undone prompts are named', () => {
    const actions = left().tell(exitEvent({ signal: 'SIGTERM' }));
    expect(kinds(actions)).not.toContain('start-claude');
    expect(decisions(actions)).toMatchObject([{ kind: 'left-undone', prompts: ['prompt-2'] }]);
  });

  it('does not resume the full session if it dies before its own begins', () => {
    const driver = left();
    driver.begin();
    const actions = driver.tell(exitEvent({ logged: true }));
    expect(actions).toContainEqual(expect.objectContaining({ kind: 'start-claude', resume: undefined }));
  });
});

describe('after a handoff', () => {
  const landed = (used: number) => {
    const driver = clearing();
    driver.claude(...CLEARED);
    return { driver, actions: driver.claude(initLine({ session_id: 's2' }), callLine(used)) };
  };

  it('the first call shows how much the handoff freed', () => {
    expect(decisions(landed(30_000).actions)).toMatchObject([
      { kind: 'landed', reason: 'the handoff made room', freed: 130_001 },
    ]);
  });

  it('no other follows if it freed too little', () => {
    const { driver, actions } = landed(150_000);
    expect(decisions(actions)).toMatchObject([{ reason: 'the handoff freed too little' }, { kind: 'warn' }]);
    driver.claude(callLine(FULL), resultLine());
    expect(kinds(decisions(driver.prompt('More.')))).not.toContain('handoff');
  });

  it('the health records include it, with its duration', () => {
    const { driver } = landed(30_000);
    const events = driver.actions.flatMap((action) => (action.kind === 'health' ? [action.record.details] : []));
    expect(events).toContainEqual(
      expect.objectContaining({ event: 'handoff', by: 'agent', tokens: 160_001, ms: 0, zone: 'handoff' }),
    );
  });

  it('latch, failures and due reliefs are reset', () => {
    const { state } = landed(30_000).driver;
    expect(state).toMatchObject({
      relief: { latch: 'none', failures: 0, due: undefined, lastHandoff: { sizeAfter: 30_000 } },
    });
  });
});

describe('an interrupted handoff', () => {
  it('begins again after a crash', () => {
    const driver = asking();
    driver.claude(initLine());
    driver.tell(exitEvent());
    driver.begin();
    driver.claude(
      answerTo(driver, 'context', { totalTokens: FULL, rawMaxTokens: 200_000, isAutoCompactEnabled: true }),
    );
    expect(said(driver.actions).slice(-2)).toEqual([ASKED, ASKED]);
    expect(handedOver(driver)).toEqual([]);
  });

  it('gives the document again after a crash before the fresh context has a log', () => {
    const driver = clearing();
    driver.claude(hookLine('SessionStart', { source: 'clear' }));
    driver.claude(...CLEARED);
    driver.tell(exitEvent({ logged: false }));
    driver.begin();
    expect(said(driver.actions).slice(-2)).toEqual(['Next.', 'Next.']);
    expect(told(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Next.' })))).toEqual([
      expect.stringContaining(DOCUMENT),
    ]);
  });

  it('sends no further prompt if the user interrupts', () => {
    const driver = clearing();
    driver.interrupt();
    const actions = driver.claude(...CLEARED);
    expect(said(actions)).toEqual([]);
    expect(kinds(actions)).toContain('end-input');
  });
});

it('a whole handoff is only reported in observe mode', () => {
  const policy = policyWith({ strategy: 'handoff' });
  expect(runWith({ mode: 'observe', policy }).mode).toBe('observe');
  const driver = afterTurn(FULL, { mode: 'observe', policy });
  const actions = driver.prompt('Next.');
  expect(kinds(decisions(actions))).toEqual(['handoff']);
  expect(said(actions)).toEqual(['Next.']);
});

describe('an API that is down when the document is asked for', () => {
  it.each<{ name: string; lines: readonly Line[] }>([
    { name: 'by its words', lines: answer('API Error: Connection refused (ECONNREFUSED)', { is_error: true }) },
    {
      name: 'by what claude tried again, until it was told to stop',
      lines: [
        initLine(),
        { type: 'system', subtype: 'api_retry', error_status: null },
        resultLine({ subtype: 'error_during_execution', is_error: true }),
      ],
    },
  ])('$name: the conversation stays, and the prompt is sent', ({ lines }) => {
    const driver = asking();
    const actions = driver.claude(
      ...lines.map((line) => ({ ...line, ...(line.type === 'assistant' ? syntheticLine('x') : {}) })),
    );
    expect(kinds(decisions(actions))).toEqual(['put-off']);
    expect(said(actions)).toEqual(['Next.']);
  });
});
