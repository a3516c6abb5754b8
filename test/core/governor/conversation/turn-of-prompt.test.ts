import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  callLine,
  type Driver,
  decisions,
  exitEvent,
  initLine,
  type Line,
  policyWith,
  resultLine,
  said,
  sent,
  toolResultLine,
} from '../../../support/governor.ts';

/** The first line of a turn, with the prompts that it answers. */
const begins = (...user_message_uuids: string[]) =>
  initLine({ capabilities: ['request_marker_lists_v1'], ...(user_message_uuids.length > 0 && { user_message_uuids }) });
const progress = (state: string, command_uuid: string): Line => ({ type: 'command_lifecycle', command_uuid, state });
const ask = (subtype: string, more: Line = {}): Line => ({
  type: 'control_request',
  request_id: 'asked',
  request: { subtype, ...more },
});
const stopped = resultLine({ subtype: 'error_during_execution', is_error: true });
const open = ({ state }: Driver) => state.mailbox.prompts.map(({ prompt, fate }) => `${prompt.uuid} ${fate}`);
const answered = ({ actions }: Driver) => actions.flatMap((one) => (one.kind === 'answered' ? one.uuids : []));
const replies = ({ actions }: Driver) =>
  actions.flatMap((one) => (one.kind === 'reply' ? [JSON.parse(one.line) as Line] : []));

const interrupts = ({ actions }: Driver) =>
  sent(actions).filter(({ request }) => (request as Line | undefined)?.subtype === 'interrupt');

function withPrompt(): Driver {
  const driver = afterTurn(20_000, { callerSpeaksProtocol: true });
  driver.prompt('Second.');
  return driver;
}

/** In a turn, with a prompt that was sent into it. */
function inTurn(): Driver {
  const driver = withPrompt();
  driver.claude(begins('prompt-2'), callLine(21_000));
  driver.prompt('Third.');
  return driver;
}

describe('a turn that claude begins before the turn of a prompt', () => {
  const own = [begins(), resultLine({ num_turns: 0 })];

  it('does not answer the prompt', () => {
    const driver = withPrompt();
    driver.claude(...own);
    expect(open(driver)).toEqual(['prompt-2 heard']);
    driver.claude(begins('prompt-2'), callLine(21_000), resultLine());
    expect(open(driver)).toEqual([]);
  });

  it('does not answer the prompt that resumes work either', () => {
    const driver = withPrompt();
    driver.claude(begins('prompt-2'), callLine(21_000));
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    driver.timeout('context');
    driver.claude(...own);
    expect(open(driver)).toContain('prompt-2 owed');
  });

  it('leaves the prompt to the next process if claude dies in it or after it', () => {
    for (const lines of [own.slice(0, 1), own]) {
      const driver = withPrompt();
      driver.claude(...lines);
      driver.tell(exitEvent({ delivered: [] }));
      driver.begin();
      driver.timeout('context');
      expect(said(driver.actions).filter((text) => text === 'Second.')).toHaveLength(2);
    }
  });

  it('is not stopped in place of the turn of the prompt', () => {
    const driver = withPrompt();
    driver.caller(ask('interrupt'));
    driver.claude(...own);
    expect(interrupts(driver)).toHaveLength(0);
    driver.claude(begins('prompt-2'));
    expect(interrupts(driver)).toHaveLength(1);
  });
});

describe('a prompt behind a turn that the caller interrupts', () => {
  it('has a turn of its own, and resumes if claude dies in it', () => {
    const driver = inTurn();
    driver.caller(ask('interrupt'));
    driver.claude(toolResultLine('The tool use was rejected'), stopped);
    expect(open(driver)).toEqual(['prompt-3 heard']);
    driver.claude(begins('prompt-3'), callLine(21_000));
    driver.tell(exitEvent({ delivered: ['prompt-3'] }));
    expect(driver.state.mailbox.resumeReason).toMatch('ended unexpectedly');
  });

  it('is stopped after a restart only if the interrupt was meant for its turn', () => {
    const interrupt = ask('interrupt');
    const answer: Line = {
      type: 'control_response',
      response: { subtype: 'success', request_id: 'asked', response: {} },
    };
    const stopsNext = (...lines: Line[]) => {
      const driver = inTurn();
      driver.caller(interrupt);
      driver.claude(...lines);
      driver.tell(exitEvent({ delivered: ['prompt-2', 'prompt-3'] }));
      return driver.state.mailbox.stopNext;
    };
    expect([stopsNext(), stopsNext(answer)]).toEqual([true, true]);
    // The first turn has ended by itself.
    expect(stopsNext(resultLine(), begins('prompt-3'))).toBe(false);
  });

  it('has none if claude has read it', () => {
    const driver = inTurn();
    driver.caller(ask('interrupt'));
    driver.claude(toolResultLine('Done'), progress('started', 'prompt-3'), stopped);
    expect(open(driver)).toEqual([]);
  });

  it('has none after Ctrl-C', () => {
    const driver = inTurn();
    driver.interrupt();
    expect(sent(driver.actions).at(-1)).toMatchObject({ request: { subtype: 'interrupt', cancel_queued: true } });
    driver.claude(progress('cancelled', 'prompt-3'), stopped);
    driver.tell(exitEvent({ signal: undefined, code: 0 }));
    expect(decisions(driver.actions).at(-1)).toMatchObject({ prompts: ['prompt-2', 'prompt-3'] });
  });
});

describe('a prompt behind a turn that ends by itself when ctxb interrupts it', () => {
  /** The time is up while the turn ends. */
  function late(): Driver {
    const policy = policyWith({ limits: { time: 60 } });
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true, policy });
    driver.prompt('Second.');
    driver.claude(begins('prompt-2'), callLine(21_000));
    driver.prompt('Third.');
    driver.timeout('time');
    return driver;
  }
  const answerToInterrupt = (driver: Driver, ...still_queued: string[]): Line => {
    const request_id = interrupts(driver).at(-1)?.request_id;
    return { type: 'control_response', response: { subtype: 'success', request_id, response: { still_queued } } };
  };

  it.each(['before', 'after'])('is not taken as answered if the interrupt cancels it %s that end', (when) => {
    const driver = late();
    const lines = [progress('cancelled', 'prompt-3'), answerToInterrupt(driver)];
    driver.claude(...(when === 'before' ? [...lines, resultLine()] : [resultLine(), ...lines]));
    expect(answered(driver)).toEqual(['prompt-1', 'prompt-2']);
    expect(open(driver)[0]).toBe('prompt-3 dropped');
    // The run waits for no turn of that prompt.
    const last = driver.state.mailbox.outcome ?? said(driver.actions).at(-1);
    expect(last).toMatch(when === 'before' ? 'limit' : 'The time for this work is up');
  });

  it('is repeated if the run goes on', () => {
    const driver = stalledInTurn();
    driver.claude(progress('cancelled', 'prompt-3'), answerToInterrupt(driver), resultLine());
    expect(said(driver.actions).at(-1)).toMatch(/took back a message[\s\S]*Third\./);
    driver.claude(initLine(), callLine(21_000), resultLine());
    expect(answered(driver)).toContain('prompt-3');
  });

  it.each([ask('cancel_async_message', { message_uuid: 'prompt-3' }), ask('interrupt', { cancel_queued: true })])(
    'is not repeated if the caller cancels it meanwhile: %j',
    (request) => {
      const driver = stalledInTurn();
      driver.caller(request);
      driver.claude(progress('cancelled', 'prompt-3'));
      expect(open(driver)).toEqual(['prompt-2 heard']);
      driver.claude(answerToInterrupt(driver), resultLine());
      expect(open(driver)).toEqual([]);
    },
  );

  function stalledInTurn(): Driver {
    const policy = policyWith({ recovery: { stallAfter: 60 } });
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true, policy });
    driver.prompt('Second.');
    driver.claude(begins('prompt-2'), callLine(21_000));
    driver.prompt('Third.');
    for (let checks = 0; checks < 4; checks++) {
      driver.wait(15_000);
      driver.timeout('stall');
    }
    expect(interrupts(driver)).toHaveLength(1);
    return driver;
  }

  it('resumes if the interrupt stops its turn, and the caller does not see the stop', () => {
    const driver = stalledInTurn();
    driver.claude(resultLine(), begins('prompt-3'), answerToInterrupt(driver));
    expect(visibilityOf(driver.state, decodeObject(stopped))).toBe('defer');
    driver.claude(stopped);
    expect(driver.state.mailbox.resumeReason).toMatch('not by the user');
    expect(open(driver)).toEqual(['prompt-3 owed']);
  });

  it('has its turn if the interrupt comes before it', () => {
    const driver = stalledInTurn();
    driver.claude(resultLine(), answerToInterrupt(driver), begins('prompt-3'), callLine(21_000));
    driver.claude(stopped);
    expect(driver.state.process.isHung).toBe(false);
  });
});

it('a prompt that stops the running turn is answered like that turn', () => {
  const driver = withPrompt();
  driver.claude(begins('prompt-2'), callLine(21_000));
  const message = { role: 'user', content: 'Third.' };
  driver.caller({ type: 'user', message, uuid: 'prompt-3', priority: 'now' });
  driver.claude({ ...stopped, terminal_reason: 'aborted_streaming' });
  expect(open(driver)).toEqual(['prompt-3 heard']);
  driver.claude(progress('started', 'prompt-3'), begins('prompt-3'), callLine(21_000), resultLine());
  expect([answered(driver), open(driver)]).toEqual([['prompt-1', 'prompt-2', 'prompt-3'], []]);
});

describe('a turn that a prompt should stop, as long as claude has not stopped it,', () => {
  const NOW = { type: 'user', message: { role: 'user', content: 'Third.' }, uuid: 'prompt-3', priority: 'now' };

  it('is interrupted at the cost limit', () => {
    const policy = policyWith({ cost: { limitUsd: 0.5 } });
    const driver = afterTurn(20_000, { callerSpeaksProtocol: true, policy });
    driver.prompt('Second.');
    driver.claude(begins('prompt-2'), callLine(21_000));
    driver.caller(NOW);
    driver.claude(...Array.from({ length: 20 }, () => [callLine(150_000), toolResultLine('done')]).flat());
    expect(interrupts(driver)).toHaveLength(1);
  });

  it('goes on in the next process if claude dies', () => {
    const driver = withPrompt();
    driver.claude(begins('prompt-2'), callLine(21_000));
    driver.caller(NOW);
    driver.tell(exitEvent({ delivered: ['prompt-2', 'prompt-3'] }));
    driver.begin();
    driver.timeout('context');
    driver.claude(initLine(), callLine(22_000));
    expect([interrupts(driver), answered(driver)]).toEqual([[], ['prompt-1']]);
    expect(open(driver)).toEqual(
      expect.arrayContaining([expect.stringMatching('prompt-2'), expect.stringMatching('prompt-3')]),
    );
  });
});

it('goes on at once behind a prompt that claude refuses, and says so', () => {
  const driver = withPrompt();
  driver.prompt('Third.');
  driver.claude(progress('refused', 'prompt-2'));
  expect(decisions(driver.actions).at(-1)).toMatchObject({ kind: 'skipped', prompts: ['prompt-2'] });
  expect(said(driver.actions).at(-1)).toBe('Third.');
});

describe('a prompt that the caller cancels', () => {
  it('leaves no turn to wait for', () => {
    const driver = withPrompt();
    driver.claude(progress('cancelled', 'prompt-2'));
    expect(driver.state.turn.phase).toBe('idle');
    expect(answered(driver)).toContain('prompt-2');
    expect(said(driver.prompt('Third.'))).toEqual(['Third.']);
  });

  it('behind a turn has no turn either', () => {
    const driver = inTurn();
    driver.claude(progress('cancelled', 'prompt-3'));
    expect(open(driver)).toEqual(['prompt-2 heard']);
    driver.claude(resultLine());
    expect(driver.state.turn.phase).toBe('idle');
  });

  /** ctxb holds the second prompt of these, because it has sent the first one. */
  function held(): Driver {
    const driver = withPrompt();
    driver.prompt('Third.', 'Fourth.');
    return driver;
  }
  const cancelled = (uuid: string) => progress('cancelled', uuid);

  it('is not sent if ctxb holds it', () => {
    const driver = held();
    const actions = driver.caller(ask('cancel_async_message', { message_uuid: 'prompt-3' }));
    expect(sent(actions)).toEqual([]);
    const response = { cancelled: true, message_uuid: 'prompt-3' };
    expect(replies(driver)).toMatchObject([cancelled('prompt-3'), { response: { request_id: 'asked', response } }]);
    driver.claude(begins('prompt-2'), callLine(21_000));
    expect(said(driver.claude(resultLine()))).toEqual(['Fourth.']);
  });

  it('together with all others is not sent, and claude gets the interrupt at once', () => {
    const driver = held();
    const stop = ask('interrupt', { cancel_queued: true });
    expect(sent(driver.caller(stop))).toEqual([stop]);
    expect(replies(driver)).toMatchObject([cancelled('prompt-3'), cancelled('prompt-4')]);
    driver.claude(cancelled('prompt-2'));
    expect(open(driver)).toEqual([]);
  });

  it('is passed to claude if ctxb has sent it', () => {
    const driver = held();
    const line = ask('cancel_async_message', { message_uuid: 'prompt-2' });
    expect(sent(driver.caller(line))).toEqual([line]);
  });
});

it('waits for the hooks of a prompt, however long they run', () => {
  const driver = inTurn();
  driver.claude(resultLine());
  expect(driver.claude(progress('started', 'prompt-3'))).toContainEqual({ kind: 'clear-timer', timer: 'turn' });
});
