import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { OwnEvent } from '../../../../src/core/governor/input.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  type Driver,
  decisions,
  exitEvent,
  hookLine,
  initLine,
  kinds,
  type Line,
  type PolicyChanges,
  policyWith,
  resultLine,
  said,
  sent,
  syntheticLine,
} from '../../../support/governor.ts';

const WRITTEN: OwnEvent = { kind: 'handoff-written', path: 'h.md', text: 'Notes.', by: 'agent', problems: [] };
const STOPPED = resultLine({ terminal_reason: 'hook_stopped', result: '' });
const CLEARED = [initLine({ session_id: 's2' }), resultLine({ session_id: 's2', num_turns: 0, result: '' })];

/** The second prompt's turn has come to `used` tokens. */
function inTurn(used: number, policy: PolicyChanges = {}, changes: Partial<Run> = {}): Driver {
  const driver = afterTurn(30_000, { policy: policyWith({ strategy: 'handoff', ...policy }), ...changes });
  driver.prompt('Second.');
  driver.claude(initLine(), callLine(used));
  return driver;
}

/** A tool is over: what its hook is answered. */
function afterTool(driver: Driver, input: Line = {}): unknown {
  const more = { tool_name: 'Bash', tool_input: {}, tool_response: { stdout: 'ok', stderr: '' }, ...input };
  const answers = driver.claude(hookLine('PostToolUse', more)).filter(({ kind }) => kind === 'answer-hook');
  expect(answers).toHaveLength(1);
  return answers[0];
}

const STOP = expect.objectContaining({ output: { continue: false, stopReason: expect.any(String) } });

describe('a turn is ended after a tool', () => {
  it('at the level of a handoff, once', () => {
    const driver = inTurn(160_000);
    expect(afterTool(driver)).toEqual(STOP);
    expect(afterTool(driver)).not.toEqual(STOP);
  });

  it('far below that level if a handoff pays', () => {
    const driver = inTurn(40_000);
    for (let call = 1; call <= 20; call++) driver.claude(callLine(40_000 + 2_500 * call));
    expect(afterTool(driver)).toEqual(STOP);
    expect(driver.state.relief.turnStop?.reason).toMatch(
      /saves about .* per call, net of its cost, in the middle of a turn$/,
    );
  });

  it.each<{ name: string; used?: number; policy?: PolicyChanges; run?: Partial<Run>; input?: Line }>([
    { name: 'there is room', used: 158_000 },
    { name: 'the strategy is to compact', policy: { strategy: 'compact' } },
    { name: 'nothing is to be done in mid-turn', policy: { midTurn: { enabled: false } } },
    { name: 'ctxb only observes', run: { mode: 'observe' } },
    { name: 'the caller limits the calls of a turn', run: { hasMaxTurns: true } },
    { name: 'it is a tool of a subagent', input: { agent_id: 'a1' } },
  ])('but not if $name', ({ used = 160_000, policy = {}, run = {}, input = {} }) => {
    expect(afterTool(inTurn(used, policy, run), input)).not.toEqual(STOP);
  });

  it('but not again if claude has continued it', () => {
    const driver = inTurn(160_000);
    expect(afterTool(driver)).toEqual(STOP);
    driver.claude(callLine(161_000));
    expect(afterTool(driver)).not.toEqual(STOP);
    driver.claude(resultLine());
    expect(driver.state.relief).toMatchObject({ exhausted: undefined });
  });
});

describe('a turn that was ended after a tool', () => {
  function stopped(): Driver {
    const driver = inTurn(160_000);
    afterTool(driver);
    return driver;
  }

  it('is hidden, and the agent is asked for the document', () => {
    const driver = stopped();
    expect(visibilityOf(driver.state, decodeObject(STOPPED))).toBe('hide');
    const actions = driver.claude(STOPPED);
    expect(decisions(actions)).toMatchObject([
      { kind: 'handoff', reason: '160001 tokens have crossed 156000 of 200000, in the middle of a turn' },
    ]);
    expect(said(actions)).toEqual([expect.stringContaining('Answer with the handoff document itself')]);
  });

  it('continues in the fresh context, with its prompt word for word; the caller sees only the last result', () => {
    const driver = stopped();
    driver.claude(STOPPED, initLine(), callLine(161_000), resultLine({ result: '## Goal' }));
    expect(said(driver.tell(WRITTEN))).toEqual(['/clear']);
    expect(said(driver.claude(...CLEARED))).toEqual([expect.stringMatching(/in the middle of the work.*Second\./s)]);
    const end = driver.claude(initLine({ session_id: 's2' }), callLine(30_000), resultLine({ session_id: 's2' }));
    expect(end).toContainEqual({ kind: 'deferred', fate: 'drop' });
    expect(end).toContainEqual({ kind: 'answered', uuids: expect.arrayContaining(['prompt-2']) });
  });

  it('continues in the fresh context with the pictures and documents of its prompt', () => {
    const driver = afterTurn(30_000, { policy: policyWith({ strategy: 'handoff' }) });
    const attached = ['image', 'document'].map((type) => ({ type, source: { type: 'base64', data: 'AAAA' } }));
    const content = [attached[0], { type: 'text', text: 'Second.' }, attached[1]];
    driver.caller({ type: 'user', message: { role: 'user', content }, uuid: 'prompt-2' });
    driver.claude(initLine(), callLine(160_000));
    afterTool(driver);
    driver.claude(STOPPED, initLine(), callLine(161_000), resultLine({ result: '## Goal' }));
    driver.tell(WRITTEN);
    const [send] = driver.claude(...CLEARED).filter(({ kind }) => kind === 'send');
    expect(JSON.parse(String(send && 'line' in send && send.line)).message.content).toEqual([
      { type: 'text', text: expect.stringMatching(/Second\.\n\(with 2 pictures\)/) },
      ...attached,
    ]);
  });

  it.each<{ name: string; run: Partial<Run>; given: string[] }>([
    { name: 'with the prompt with which it goes on', run: {}, given: ['', 'Notes.'] },
    { name: 'at once where no hook is called for prompts', run: { singlePrompt: true }, given: ['Notes.', ''] },
  ])('is given the document once: $name', ({ run, given }) => {
    const driver = inTurn(160_000, {}, run);
    afterTool(driver);
    driver.claude(STOPPED, initLine(), callLine(161_000), resultLine({ result: '## Goal' }));
    driver.tell(WRITTEN);
    const told = [driver.claude(hookLine('SessionStart', { source: 'clear' }))];
    driver.claude(...CLEARED);
    told.push(driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' })));
    const contexts = told.flat().flatMap((action) => (action.kind === 'answer-hook' ? [action.context ?? ''] : []));
    expect(contexts.map((context) => context.slice(0, 6))).toEqual(given);
  });

  it('can be ended again, and still answers the prompt of the caller', () => {
    const driver = stopped();
    for (const session_id of ['s2', 's3']) {
      driver.claude(STOPPED, initLine(), callLine(161_000), resultLine({ result: '## Goal' }));
      driver.tell(WRITTEN);
      const [text] = said(driver.claude(...CLEARED.map((line) => ({ ...line, session_id }))));
      expect(String(text).match(/Second\./g)).toHaveLength(1);
      expect(String(text).match(/in the middle of the work/g)).toHaveLength(1);
      driver.claude(initLine({ session_id }), callLine(30_000), callLine(160_000));
      expect(afterTool(driver)).toEqual(STOP);
    }
  });

  it('is stopped when it resumes, if the caller interrupts meanwhile', () => {
    const driver = stopped();
    driver.claude(STOPPED, initLine());
    driver.caller({ type: 'control_request', request_id: 'i1', request: { subtype: 'interrupt' } });
    driver.claude(resultLine({ is_error: true, subtype: 'error_during_execution' }));
    driver.tell(WRITTEN);
    driver.claude(...CLEARED);
    const asked = driver.claude(hookLine('UserPromptSubmit', { prompt: 'Go on.' }), initLine({ session_id: 's2' }));
    expect(sent(asked)).toContainEqual(expect.objectContaining({ request: { subtype: 'interrupt' } }));
  });

  it('is undone if the run ends meanwhile', () => {
    const driver = stopped();
    driver.claude(STOPPED, initLine());
    const ended = driver.tell(exitEvent({ code: 143, signal: undefined }));
    expect(decisions(ended)).toMatchObject([{ kind: 'left-undone', prompts: ['prompt-2'] }]);
  });

  it('resumes in the same context while the API is down', () => {
    const driver = stopped();
    driver.claude(STOPPED);
    const down = 'API Error: Connection refused (ECONNREFUSED)';
    const actions = driver.claude(initLine(), syntheticLine(down), resultLine({ result: down, is_error: true }));
    expect(kinds(decisions(actions))).toEqual(['put-off', 'resume']);
    expect(said(actions)).toEqual([expect.stringContaining('Go on from where the work stands')]);
  });

  it('is ended again in the next process if claude died before its result', () => {
    const driver = stopped();
    driver.tell(exitEvent({ delivered: ['prompt-2'] }));
    driver.begin();
    driver.claude(answerTo(driver, 'context'), initLine(), callLine(160_500));
    expect(afterTool(driver)).toEqual(STOP);
  });

  it('is shown if ctxb did not end it', () => {
    const driver = inTurn(160_000);
    expect(visibilityOf(driver.state, decodeObject(STOPPED))).toBe('show');
    expect(kinds(decisions(driver.claude(STOPPED)))).not.toContain('handoff');
  });
});

describe('a relief before a turn that would need it before its end', () => {
  /** Turns that end with so many tokens each. */
  function turnsTo(contexts: readonly number[], policy: PolicyChanges = {}): Driver {
    const [first = 0, ...others] = contexts;
    const driver = afterTurn(first, { policy: policyWith({ strategy: 'handoff', ...policy }) });
    for (const used of others) {
      driver.prompt('Next.');
      driver.claude(initLine(), callLine(used), resultLine());
    }
    return driver;
  }

  it.each<{ name: string; contexts: readonly number[]; policy?: PolicyChanges; expected: readonly string[] }>([
    { name: 'handing over is the strategy', contexts: [60_000, 100_000, 145_000], expected: ['handoff'] },
    { name: 'the next turn fits', contexts: [130_000, 140_000, 145_000], expected: [] },
    { name: 'it is too early to be warned', contexts: [60_000, 90_000, 125_000], expected: [] },
    {
      name: 'compacting is the strategy',
      contexts: [60_000, 100_000, 145_000],
      policy: { strategy: 'compact' },
      expected: ['compact'],
    },
    {
      name: 'compacting is the strategy, and the next turn fits',
      contexts: [130_000, 140_000, 145_000],
      policy: { strategy: 'compact' },
      expected: [],
    },
  ])('$name: $expected', ({ contexts, policy = {}, expected }) => {
    const made = decisions(turnsTo(contexts, policy).prompt('Last.'));
    expect(kinds(made).filter((kind) => kind === 'handoff' || kind === 'compact')).toEqual(expected);
  });

  it.each(['compact', 'handoff'] as const)('reports the expected growth (%s)', (strategy) => {
    const [decision] = decisions(turnsTo([60_000, 100_000, 145_000], { strategy }).prompt('Last.'));
    expect(decision?.reason).toBe("145001 tokens and a turn's growth of up to 45000 would cross 159000");
  });
});
