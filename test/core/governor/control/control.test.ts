import { describe, expect, it } from 'vitest';
import { CALLBACKS } from '../../../../src/core/governor/control/hook-callbacks.ts';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import { UNKNOWN_WINDOW } from '../../../../src/core/governor/gauge/window.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  answerTo,
  callLine,
  contextAnswer,
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
} from '../../../support/governor.ts';

/** Tools of which something is known before they are called. */
const BEFORE_TOOLS = '^(?:Read|Grep|Glob)$';
const ALL_HOOKS = Object.keys(CALLBACKS);
const TOOL_USE = { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } };
const TOOL_HOOKS = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure'];

const context = (window: number, total = 0, more: Line = {}): Line => ({
  rawMaxTokens: window,
  totalTokens: total,
  isAutoCompactEnabled: true,
  autocompactSource: 'auto',
  ...more,
});

function begun(changes: Partial<Parameters<typeof runWith>[0]> = {}): Driver {
  const driver = drive(runWith(changes));
  driver.begin();
  return driver;
}

const CALL = callLine(20_000, { message: { ...(callLine(20_000).message as Line), content: [TOOL_USE] } });

/** The turn goes on with a tool: claude was asked for its context. */
function asked(changes: Parameters<typeof begun>[0] = {}): Driver {
  const driver = begun(changes);
  driver.prompt('Do it.');
  driver.claude(initLine(), CALL);
  return driver;
}

/** Requests to claude by their subtype. */
const requests = (actions: readonly Parameters<typeof sent>[0][number][]) =>
  sent(actions).flatMap(({ request }) => (request === undefined ? [] : [request as Line]));

describe('opening the control channel', () => {
  it('is done by ctxb when the caller feeds prompts', () => {
    const [initialize, ...others] = requests(begun().actions);
    expect(initialize).toMatchObject({
      subtype: 'initialize',
      hooks: { PreCompact: [{ matcher: null }], SessionStart: [{ matcher: null }] },
    });
    expect(others).toEqual([]);
  });

  it('asks for the window within a turn, or after the first turn from which a relief may pay', () => {
    const question = { subtype: 'get_context_usage', detail: 'summary' };
    expect(requests(asked().actions).slice(1)).toEqual([question]);
    const driver = begun();
    driver.prompt('one', 'two', 'three');
    expect(requests(driver.claude(initLine(), callLine(20_000), resultLine()))).toEqual([]);
    expect(requests(driver.claude(initLine(), callLine(45_000), resultLine()))).toEqual([question]);
    expect(requests(driver.claude(initLine(), callLine(50_000), resultLine()))).toEqual([]);
  });

  it("asks for the size of a turn's last call if a gateway reports no usage", () => {
    const question = { subtype: 'get_context_usage', detail: 'summary' };
    const driver = begun();
    driver.prompt('one', 'two', 'three');
    driver.claude(initLine(), callLine(45_000), resultLine());
    driver.claude(contextAnswer(driver, context(200_000, 45_000)));
    const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
    const unsized = callLine(0, { message: { ...(callLine(0).message as Line), usage } });
    expect(requests(driver.claude(initLine(), unsized))).toEqual([]);
    expect(requests(driver.claude(resultLine()))).toEqual([question]);
  });

  it('takes the window of a model that answers under another id than it was asked by', () => {
    const driver = begun();
    driver.prompt('one');
    driver.claude(initLine({ model: 'our-alias' }), CALL);
    driver.claude(contextAnswer(driver, context(500_000, 20_000)));
    expect(driver.state.gauge.window).toEqual({ tokens: 500_000, source: 'asked' });
  });

  it('answers a hook after a tool only when the size of the previous call is known', () => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(200_000, 20_000)));
    const usage = { input_tokens: 0, output_tokens: 1 };
    driver.claude(callLine(0, { message: { ...(CALL.message as Line), id: 'm2', usage } }));
    const hook = hookLine('PostToolUse', { tool_name: 'Bash', tool_use_id: 'toolu_1', tool_response: 'ok' });
    const held = driver.claude(hook);
    expect(requests(held)).toEqual([{ subtype: 'get_context_usage', detail: 'summary' }]);
    expect(kinds(held)).not.toContain('answer-hook');
    expect(kinds(driver.claude(contextAnswer(driver, context(200_000, 21_000))))).toContain('answer-hook');
  });

  describe('for an agent', () => {
    const AGENTS = [{ name: 'Plan' }, { name: 'scout' }];
    const asked = (changes: Partial<Parameters<typeof runWith>[0]>) => {
      const driver = drive(runWith(changes));
      driver.prompt('Look.');
      driver.begin();
      return driver;
    };

    it.each(['act', 'observe'] as const)('holds the prompts until claude knows the agent: %s', (mode) => {
      const driver = asked({ agent: 'scout', mode });
      expect(said(driver.actions)).toEqual([]);
      expect(said(driver.claude(answerTo(driver, 'initialize', { agents: AGENTS })))).toEqual(['Look.']);
    });

    it.each(['act', 'observe'] as const)('ends the run if claude does not know the agent: %s', (mode) => {
      const driver = asked({ agent: 'nope', mode });
      const line = "--agent 'nope' not found. Available agents: Plan, scout";
      expect(driver.claude(answerTo(driver, 'initialize', { agents: AGENTS }))).toEqual([
        { kind: 'relay', line },
        { kind: 'end-input' },
      ]);
      expect(kinds(driver.tell(exitEvent({ code: 0, signal: undefined })))).toEqual(['deferred']);
      expect(said(driver.actions)).toEqual([]);
    });

    it('sends them in a resumed session, as claude does', () => {
      const driver = asked({ agent: 'nope', resumes: true });
      expect(kinds(driver.claude(answerTo(driver, 'initialize', { agents: AGENTS })))).toEqual([]);
      driver.claude(contextAnswer(driver, context(200_000)));
      expect(said(driver.actions)).toEqual(['Look.']);
    });
  });

  describe('for one prompt', () => {
    const placed = (driver: Driver) =>
      requests(driver.actions).some(({ subtype }) => subtype === 'apply_flag_settings');

    it('registers no prompt hook, and asks for the window only when the turn continues with a tool', () => {
      const driver = begun({ singlePrompt: true });
      const [initialize, ...others] = requests(driver.actions);
      expect(Object.keys(initialize?.hooks as Line)).toEqual(
        [...ALL_HOOKS].filter((name) => name !== 'UserPromptSubmit'),
      );
      expect(others).toEqual([]);
      driver.prompt('Do the thing.');
      expect(requests(driver.claude(initLine(), CALL))).toEqual([{ subtype: 'get_context_usage', detail: 'summary' }]);
      expect(requests(driver.claude(CALL))).toEqual([]);
      expect(placed(driver)).toBe(false);
      driver.claude(contextAnswer(driver, context(200_000)));
      expect(placed(driver)).toBe(true);
    });

    it('answers the hook of the first tool call when the window is known, or when claude does not report it', () => {
      const hook = hookLine('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } });
      const answers = (actions: readonly Action[]) => kinds(actions).filter((kind) => kind === 'answer-hook');
      for (const release of [
        (driver: Driver) => driver.claude(contextAnswer(driver, context(200_000))),
        (driver: Driver) => driver.timeout('context'),
      ]) {
        const driver = begun({ singlePrompt: true });
        driver.prompt('Do the thing.');
        expect(answers(driver.claude(initLine(), CALL, hook))).toEqual([]);
        expect(answers(release(driver))).toEqual(['answer-hook']);
        expect(answers(driver.claude(hook))).toEqual(['answer-hook']);
      }
    });

    it('uses an answer that arrives after the timeout, and hides it from the caller', () => {
      const driver = begun({ resumes: true });
      const answer = contextAnswer(driver, context(1_000_000));
      driver.prompt('Do the thing.');
      expect(said(driver.timeout('context'))).toEqual(['Do the thing.']);
      expect(visibilityOf(driver.state, decodeObject(answer))).toBe('hide');
      driver.claude(answer);
      expect(driver.state.gauge.window).toEqual({ tokens: 1_000_000, source: 'asked' });
    });

    it('does not change the trigger in a turn with a single answer', () => {
      const driver = begun({ singlePrompt: true });
      driver.prompt('Say hello.');
      driver.claude(initLine(), callLine(20_000), resultLine());
      expect(driver.state.gauge.window).toEqual({ tokens: 200_000, source: 'result' });
      expect(requests(driver.actions)).toHaveLength(1);
    });

    it('asks at once in a resumed session', () => {
      const [initialize, question] = requests(begun({ singlePrompt: true, resumes: true }).actions);
      expect(Object.keys(initialize?.hooks as Line)).toContain('UserPromptSubmit');
      expect(question).toEqual({ subtype: 'get_context_usage', detail: 'summary' });
    });
  });

  it('never sets a timeout on a hook: claude would refuse the tool', () => {
    expect(JSON.stringify(begun().actions)).not.toContain('timeout');
  });

  it("waits for the first line of a caller with the stream protocol, and merges ctxb's hooks into its initialize", () => {
    const driver = begun({ callerSpeaksProtocol: true });
    expect(driver.actions).toEqual([]);
    const own = { matcher: 'Bash', hookCallbackIds: ['mine'] };
    const request = { subtype: 'initialize', hooks: { PreToolUse: [own], PreCompact: [own] }, agents: { a: 1 } };
    const [merged] = sent(driver.caller({ type: 'control_request', request_id: 'theirs', request }));
    expect(merged).toEqual({
      type: 'control_request',
      request_id: 'theirs',
      request: {
        subtype: 'initialize',
        agents: { a: 1 },
        hooks: {
          PreToolUse: [own, { matcher: BEFORE_TOOLS, hookCallbackIds: ['ctxb:pre-tool-use'] }],
          PreCompact: [own, { matcher: null, hookCallbackIds: ['ctxb:pre-compact'] }],
          SessionStart: [{ matcher: null, hookCallbackIds: ['ctxb:session-start'] }],
          PostCompact: [{ matcher: null, hookCallbackIds: ['ctxb:post-compact'] }],
          UserPromptSubmit: [{ matcher: null, hookCallbackIds: ['ctxb:user-prompt-submit'] }],
          PostToolUse: [{ matcher: '*', hookCallbackIds: ['ctxb:post-tool-use'] }],
          PostToolUseFailure: [{ matcher: '*', hookCallbackIds: ['ctxb:post-tool-use-failure'] }],
        },
      },
    });
  });

  it.each([
    {
      name: 'no notes are kept',
      changes: { memory: { ...policyWith().memory, enabled: false } },
      hooks: ['PreCompact', 'SessionStart', 'UserPromptSubmit', ...TOOL_HOOKS],
    },
    {
      name: 'the agent is told nothing',
      changes: { zones: { tellAgent: false } },
      hooks: ['PreCompact', 'SessionStart', 'PostCompact', 'UserPromptSubmit', ...TOOL_HOOKS],
    },
    {
      name: 'tools have no budget',
      changes: { tools: { mode: 'off' as const } },
      hooks: ['PreCompact', 'SessionStart', 'PostCompact', 'UserPromptSubmit', 'PostToolUse'],
    },
    {
      name: 'tools have no budget and the agent is told nothing',
      changes: { tools: { mode: 'off' as const }, zones: { tellAgent: false } },
      hooks: ['PreCompact', 'SessionStart', 'PostCompact', 'UserPromptSubmit'],
    },
  ])('registers only what it needs when $name', ({ changes, hooks }) => {
    const [initialize] = requests(begun({ policy: policyWith(changes) }).actions);
    expect(Object.keys(initialize?.hooks as object)).toEqual(hooks);
  });

  it('asks for the earlier cost of a resumed session', () => {
    const subtypes = requests(begun({ resumes: true }).actions).map(({ subtype }) => subtype);
    expect(subtypes).toEqual(['initialize', 'get_context_usage', 'get_usage']);
  });

  it('opens by itself if the first line of a caller with the stream protocol is a prompt', () => {
    const driver = begun({ callerSpeaksProtocol: true });
    const actions = driver.prompt('Hello.');
    expect(requests(actions).map(({ subtype }) => subtype)).toEqual(['initialize']);
    expect(said(actions)).toEqual(['Hello.']);
  });
});

describe("claude's answer about its context", () => {
  it('reports window and context of a resumed session, then the prompt is sent', () => {
    const driver = begun({ resumes: true });
    driver.prompt('Go on.');
    const actions = driver.claude(contextAnswer(driver, context(200_000, 125_000)));
    expect(said(actions)).toEqual(['Go on.']);
    expect(driver.state.gauge).toMatchObject({
      used: 125_000,
      basis: 'asked',
      window: { tokens: 200_000, source: 'asked' },
    });
  });

  it('compacts a resumed session before its first prompt', () => {
    const driver = begun({ resumes: true });
    driver.prompt('Go on.');
    const actions = driver.claude(contextAnswer(driver, context(200_000, 165_000)));
    expect(said(actions)).toEqual(['/compact']);
  });

  it('keeps a size that was measured meanwhile', () => {
    const driver = asked();
    driver.claude(callLine(50_000), contextAnswer(driver, context(200_000, 12_345)));
    expect(driver.state.gauge).toMatchObject({ used: 50_000, basis: 'measured' });
  });

  it.each([
    { name: 'the environment placed the trigger', more: { autocompactSource: 'env' } },
    { name: 'the settings placed the trigger', more: { autocompactSource: 'settings' } },
  ])('$name: it stays, and the reported value is not the window', ({ more }) => {
    const driver = asked();
    const actions = driver.claude(contextAnswer(driver, context(120_000, 0, more)));
    expect(driver.state.process.control.trigger).toBe('off');
    expect(driver.state.gauge.window).toEqual(UNKNOWN_WINDOW);
    expect(kinds(actions)).toEqual([]);
  });

  it.each([
    'model-default',
    'unknown-model',
    'auto',
    'model',
    'clientdata',
    'experiment',
    'a source to come',
    undefined,
  ])('a window of claude itself (%s) is the window, and the trigger is placed in it', (autocompactSource) => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(1_000_000, 0, { autocompactSource })));
    expect(driver.state.gauge.window).toEqual({ tokens: 1_000_000, source: 'asked' });
    expect(driver.state.process.control.trigger).toBe(967_000);
  });

  it('a change of the model: ctxb resets its trigger before it asks for the window', () => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(200_000, 0)));
    const questions = sent(driver.claude(initLine({ model: 'another-model' }))).map(({ request }) => request);
    expect(questions).toEqual([
      { subtype: 'apply_flag_settings', settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '' } } },
      { subtype: 'get_context_usage', detail: 'summary' },
    ]);
    expect(driver.state.gauge.window).toEqual(UNKNOWN_WINDOW);
    driver.claude(contextAnswer(driver, context(1_000_000, 0)));
    expect(driver.state.process.control.trigger).toBe(967_000);
  });

  it('native compaction switched off by the caller: ctxb does not change the trigger', () => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(200_000, 0, { isAutoCompactEnabled: false })));
    expect(driver.state.process.control.trigger).toBe('off');
    expect(driver.state.process.control.isAutoCompactOff).toBe(true);
  });

  it.each([
    {
      name: 'a setting of the user',
      more: { autocompactSource: 'env' },
      changes: { callerPlacedTrigger: true },
      level: 87_000,
    },
    { name: 'a file of settings', more: { autocompactSource: 'settings' }, changes: {}, level: 87_000 },
    { name: "claude's default", more: {}, changes: {}, level: undefined },
    { name: 'a percentage, which claude does not report', more: {}, changes: { levelPercent: 50 }, level: 50_000 },
    { name: 'a percentage above its default', more: {}, changes: { levelPercent: 95 }, level: 87_000 },
    {
      name: 'a percentage that never applies',
      more: { isAutoCompactEnabled: false },
      changes: { levelPercent: 50 },
      level: undefined,
    },
    {
      name: 'a percentage of an unknown window',
      more: { rawMaxTokens: undefined },
      changes: { levelPercent: 50 },
      level: undefined,
    },
  ])('the level at which claude compacts is known if it comes from $name', ({ more, changes, level }) => {
    const driver = asked(changes);
    driver.claude(contextAnswer(driver, context(120_000, 0, { ...more, autoCompactThreshold: 87_000 })));
    expect(driver.state.process.control.callersLevel).toBe(level);
  });

  it('an error: prompts are sent', () => {
    const driver = begun({ resumes: true });
    driver.prompt('Go on.');
    const answer = contextAnswer(driver, {});
    const refused = { ...answer, response: { ...(answer.response as Line), subtype: 'error' } };
    expect(said(driver.claude(refused))).toEqual(['Go on.']);
  });
});

describe("claude's own trigger", () => {
  const placed = (driver: Driver) =>
    requests(driver.actions).flatMap(({ subtype, settings }) => (subtype === 'apply_flag_settings' ? [settings] : []));
  const setting = (value: number) => ({ env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(value) } });

  it.each([
    { window: 200_000, at: 167_000, value: 200_000 },
    { window: 1_000_000, at: 967_000, value: 1_000_000 },
  ])('in a window of $window rests at $at', ({ window, at, value }) => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(window)));
    expect(placed(driver)).toEqual([setting(value)]);
    // Some versions never answer: then nothing is said to be placed.
    expect(decisions(driver.actions)).toEqual([]);
    const [id] =
      Object.entries(driver.state.process.control.pending).find(([, purpose]) => purpose === 'trigger') ?? [];
    driver.claude({ type: 'control_response', response: { subtype: 'success', request_id: id } });
    expect(decisions(driver.actions)).toMatchObject([{ kind: 'mid-turn', of: 'trigger', tokens: at }]);
  });

  it('is not placed on an assumed window', () => {
    const driver = begun();
    driver.prompt('Do it.');
    driver.claude(initLine(), callLine(50_000));
    expect(placed(driver)).toEqual([]);
  });

  it('is not placed on a window that is known only from the model id', () => {
    const driver = begun();
    driver.prompt('Do it.');
    driver.claude(initLine({ model: 'claude-sonnet-4-5[1m]' }), callLine(50_000));
    expect(driver.state.gauge.window).toEqual({ tokens: 1_000_000, source: 'model-id' });
    expect(placed(driver)).toEqual([]);
  });

  it('is placed by the first result if claude cannot be asked, and moved when the window changes', () => {
    const driver = begun();
    driver.prompt('Do it.', 'More.');
    driver.claude(initLine(), callLine(50_000), resultLine());
    driver.timeout('context');
    driver.claude(initLine(), callLine(51_000), resultLine());
    driver.claude(resultLine({ modelUsage: { 'claude-sonnet-4-5': { contextWindow: 1_000_000 } } }));
    expect(placed(driver)).toEqual([setting(200_000), setting(1_000_000)]);
  });

  it.each<{ name: string; changes: PolicyChanges; window: number }>([
    { name: 'below what claude accepts', changes: { thresholds: { midTurn: 50_000 } }, window: 200_000 },
    { name: 'in a window too small', changes: {}, window: 99_000 },
    { name: 'when switched off', changes: { midTurn: { enabled: false } }, window: 200_000 },
  ])('is not placed $name', ({ changes, window }) => {
    const driver = asked({ policy: policyWith(changes) });
    driver.claude(contextAnswer(driver, context(window)));
    expect(placed(driver)).toEqual([]);
  });

  it('is not changed if the caller placed it', () => {
    const driver = asked({ callerPlacedTrigger: true });
    driver.claude(contextAnswer(driver, context(200_000)));
    expect(placed(driver)).toEqual([]);
  });

  it('stays if claude cannot move it, with one notice', () => {
    const driver = asked();
    driver.claude(contextAnswer(driver, context(200_000)));
    const [id] =
      Object.entries(driver.state.process.control.pending).find(([, purpose]) => purpose === 'trigger') ?? [];
    const refused = { type: 'control_response', response: { subtype: 'error', request_id: id, error: 'unknown' } };
    expect(kinds(driver.claude(refused))).toEqual(['unavailable:trigger']);
    expect(kinds(driver.claude(refused))).toEqual([]);
    expect(driver.state.process.control.trigger).toBe('off');
  });

  it('is asked about again after a change of the model', () => {
    const driver = begun();
    driver.prompt('Do it.', 'More.');
    driver.claude(initLine(), callLine(50_000), resultLine());
    const actions = driver.claude(initLine({ model: 'claude-opus-4-7' }));
    expect(requests(actions)).toContainEqual({ subtype: 'get_context_usage', detail: 'summary' });
  });
});
