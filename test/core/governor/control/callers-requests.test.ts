import { describe, expect, it } from 'vitest';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  answerOpening,
  answerTo,
  callLine,
  type Driver,
  drive,
  exitEvent,
  initLine,
  type Line,
  runWith,
  sent,
} from '../../../support/governor.ts';

function ask(driver: Driver, id: string, request: Line): readonly Action[] {
  return driver.caller({ type: 'control_request', request_id: id, request });
}

const QUESTION = { type: 'control_request', request_id: 'q', request: { subtype: 'can_use_tool', tool_name: 'Bash' } };

function answerToQuestion(response: Line): Line {
  return { type: 'control_response', response: { subtype: 'success', request_id: 'q', response } };
}

function permit(driver: Driver, response: Line): void {
  driver.claude(QUESTION);
  driver.caller(answerToQuestion(response));
}

function answer(driver: Driver, id: string, subtype = 'success'): void {
  driver.claude({ type: 'control_response', response: { subtype, request_id: id, response: {} } });
}

/** A turn runs, and another process takes the place of claude's. */
function inTurn(): Driver {
  const driver = afterTurn(30_000, { callerSpeaksProtocol: true });
  driver.prompt('Second.');
  driver.claude(initLine(), callLine(31_000));
  return driver;
}

function die(driver: Driver): void {
  driver.tell(exitEvent({ delivered: ['prompt-2'] }));
}

/** Ids and requests, without what every process is asked. */
function asked(actions: readonly Action[]): unknown[] {
  return sent(actions).flatMap(({ request_id, request }) => {
    const { subtype } = (request ?? {}) as Line;
    const isUsual = request === undefined || subtype === 'get_context_usage' || subtype === 'get_usage';
    return isUsual ? [] : [[String(request_id).replace(/^ctxb:.*/, 'ctxb'), subtype]];
  });
}

const setsPermissions = (settings: unknown) => ((settings ?? {}) as Line).permissions !== undefined;

const OPENING = ['ctxb', 'initialize'];

it('no process follows after end_session', () => {
  const driver = inTurn();
  ask(driver, 'c1', { subtype: 'end_session' });
  answer(driver, 'c1');
  driver.tell(exitEvent({ code: 1, signal: undefined, delivered: ['prompt-2'] }));
  expect(driver.actions.map(({ kind }) => kind)).not.toContain('start-claude');
});

it.each<Partial<Run>>([{ resumes: true }, { resumes: false }, { resumes: true, mode: 'observe' }])(
  'the process of a resumed run gets the permissions once, before a prompt that waits: %j',
  (run) => {
    const driver = drive(runWith(run));
    const spent = { settled: 0, open: 0, raised: {}, agents: 0, lost: 0 };
    const nothing = { finished: true, openTool: undefined, answers: [], document: undefined };
    const permissions = { deny: ['Bash(rm:*)'] };
    driver.tell({ kind: 'recovered', ...nothing, spent, permissions });
    driver.prompt('Next.');
    driver.callerEnd();
    driver.begin();
    if (run.mode === undefined) driver.claude(answerOpening(driver));
    const lines = sent(driver.actions);
    const settings = lines.map(({ request }) => ((request ?? {}) as Line).settings);
    expect(settings.filter(setsPermissions)).toEqual([{ permissions }]);
    const given = settings.findIndex(setsPermissions);
    expect(lines.findIndex(({ type }) => type === 'user')).toBeGreaterThan(given);
  },
);

it('the questions of a dead process are withdrawn, unless the caller has answered', () => {
  const driver = inTurn();
  permit(driver, { behavior: 'deny' });
  driver.claude({ ...QUESTION, request_id: 'open' });
  die(driver);
  const replies = driver.actions.flatMap((one) => (one.kind === 'reply' ? [JSON.parse(one.line)] : []));
  expect(replies).toEqual([{ type: 'control_cancel_request', request_id: 'open' }]);
});

describe('a replacement process gets', () => {
  it('requests that the caller sent between the two processes', () => {
    const driver = inTurn();
    die(driver);
    ask(driver, 'c1', { subtype: 'mcp_status' });
    expect(asked(driver.begin())).toEqual([OPENING, ['c1', 'mcp_status']]);
  });

  it('requests that the old process has not answered, and only those', () => {
    const driver = inTurn();
    for (const id of ['c1', 'c2', 'c3']) ask(driver, id, { subtype: 'mcp_status' });
    answer(driver, 'c1');
    answer(driver, 'c3', 'error');
    die(driver);
    expect(asked(driver.begin())).toEqual([OPENING, ['c2', 'mcp_status']]);
  });

  it("each setting once, with its last value, and its answer is ctxb's", () => {
    const driver = inTurn();
    for (const [id, model] of Object.entries({ c1: 'one', c2: 'two' })) {
      ask(driver, id, { subtype: 'set_model', model });
      answer(driver, id);
    }
    ask(driver, 'c3', { subtype: 'set_model', model: 'nope' });
    answer(driver, 'c3', 'error');
    die(driver);
    const begun = driver.begin();
    expect(asked(begun)).toEqual([OPENING, ['ctxb', 'set_model']]);
    expect(sent(begun)).toContainEqual(expect.objectContaining({ request: { subtype: 'set_model', model: 'two' } }));
  });

  it('the credentials that the caller has renewed, before anything else', () => {
    const driver = inTurn();
    const renew = (variables: Line) => ({ type: 'update_environment_variables', variables });
    driver.caller(renew({ CLAUDE_CODE_OAUTH_TOKEN: 'first', CLAUDE_CODE_SESSION_ACCESS_TOKEN: 'session' }));
    driver.caller(renew({ CLAUDE_CODE_OAUTH_TOKEN: 'second' }));
    die(driver);
    const newest = { CLAUDE_CODE_OAUTH_TOKEN: 'second', CLAUDE_CODE_SESSION_ACCESS_TOKEN: 'session' };
    expect(sent(driver.begin())[0]).toEqual(renew(newest));
  });

  it('the last permission mode, also if no request set it', () => {
    const driver = inTurn();
    ask(driver, 'c1', { subtype: 'set_permission_mode', mode: 'plan' });
    answer(driver, 'c1');
    driver.claude({ type: 'system', subtype: 'status', status: null, permissionMode: 'acceptEdits', session_id: 's1' });
    die(driver);
    const begun = driver.begin();
    expect(asked(begun)).toEqual([OPENING, ['ctxb', 'set_permission_mode']]);
    const request = { subtype: 'set_permission_mode', mode: 'acceptEdits' };
    expect(sent(begun)).toContainEqual(expect.objectContaining({ request }));
  });

  it('each added folder and plugin, and no plain reload', () => {
    const driver = inTurn();
    const folders = ['a', 'b'].map((directory) => ({ subtype: 'register_repo_root', directory }));
    const plugins = [{ type: 'local', path: '/p' }];
    const added = [...folders, { subtype: 'reload_plugins', add_plugins: plugins }];
    for (const [at, request] of [...added, { subtype: 'reload_plugins' }].entries()) {
      ask(driver, `c${at}`, request);
      answer(driver, `c${at}`);
    }
    die(driver);
    const begun = driver.begin();
    expect(asked(begun)).toEqual([OPENING, ...added.map(({ subtype }) => ['ctxb', subtype])]);
    expect(sent(begun).flatMap(({ request }) => request ?? [])).toEqual(expect.arrayContaining(added));
  });

  it('the setting of each switched server', () => {
    const driver = inTurn();
    const servers = ['one', 'two'].map((serverName) => ({ subtype: 'mcp_toggle', serverName, enabled: false }));
    for (const [at, request] of servers.entries()) {
      ask(driver, `c${at}`, request);
      answer(driver, `c${at}`);
    }
    die(driver);
    expect(sent(driver.begin()).flatMap(({ request }) => request ?? [])).toEqual(expect.arrayContaining(servers));
  });

  it('the last setting of a server, and all open requests', () => {
    const driver = inTurn();
    ask(driver, 'open', { subtype: 'mcp_status' });
    for (let at = 0; at < 70; at++) {
      ask(driver, `c${at}`, { subtype: 'mcp_toggle', serverName: 'one', enabled: at % 2 === 0 });
      answer(driver, `c${at}`);
    }
    die(driver);
    const begun = driver.begin();
    expect(asked(begun)).toEqual([OPENING, ['ctxb', 'mcp_toggle'], ['open', 'mcp_status']]);
    expect(sent(begun)).toContainEqual(
      expect.objectContaining({ request: expect.objectContaining({ enabled: false }) }),
    );
  });

  it('the last value of each key of merged settings', () => {
    const driver = inTurn();
    const all = [{ env: { A: '1', B: '1' } }, { env: { A: '2' } }, { env: { B: '3', A: '3' } }, { model: 'one' }];
    for (const [at, settings] of all.entries()) {
      ask(driver, `c${at}`, { subtype: 'apply_flag_settings', settings });
      answer(driver, `c${at}`);
    }
    die(driver);
    const bodies = sent(driver.begin()).map(({ request }) => (request as Line).settings);
    expect(bodies.filter((settings) => settings !== undefined)).toEqual(all.slice(1));
  });

  it('all settings if there are very many, and each rule once', () => {
    const driver = inTurn();
    ask(driver, 'open', { subtype: 'mcp_status' });
    const rule = (ruleContent: string) => ({ toolName: 'Bash', ruleContent });
    for (let at = 0; at < 210; at++) {
      ask(driver, `c${at}`, { subtype: 'mcp_toggle', serverName: `server ${at}`, enabled: false });
      answer(driver, `c${at}`);
      const rules = [rule('rm:*'), rule(`command ${at}`)];
      const updatedPermissions = [{ type: 'addRules', behavior: 'deny', rules, destination: 'session' }];
      permit(driver, { behavior: 'allow', updatedPermissions });
    }
    die(driver);
    const begun = driver.begin();
    expect(asked(begun)).toHaveLength(213);
    expect(asked(begun)).toContainEqual(['open', 'mcp_status']);
    const deny = ['Bash(rm:*)', ...Array.from({ length: 210 }, (_, at) => `Bash(command ${at})`)];
    const requests = sent(begun).map(({ request }) => request as Line);
    const { settings } = requests.find(({ subtype }) => subtype === 'apply_flag_settings') ?? {};
    expect((settings as { permissions: Line }).permissions.deny).toHaveLength(deny.length);
    expect(settings).toEqual({ permissions: { deny: expect.arrayContaining(deny) } });
  });

  it("the permissions of the session in one request, with those of the caller's own request", () => {
    const driver = inTurn();
    ask(driver, 'c1', { subtype: 'apply_flag_settings', settings: { permissions: { deny: ['Read'], ask: ['Edit'] } } });
    answer(driver, 'c1');
    const rules = (type: string, behavior: string, ...contents: string[]) => ({
      ...{ type, behavior, destination: 'session' },
      rules: contents.map((ruleContent) => ({ toolName: 'Bash', ruleContent })),
    });
    const folders = (type: string, ...directories: string[]) => ({ type, directories, destination: 'session' });
    const updatedPermissions = [
      rules('addRules', 'deny', 'rm:*', 'grep "\\(a\\)"'),
      { ...rules('addRules', 'deny'), rules: [{ toolName: 'WebFetch' }] },
      { ...rules('addRules', 'deny', 'kept in a file'), destination: 'localSettings' },
      rules('addRules', 'allow', 'one', 'two'),
      rules('removeRules', 'allow', 'one'),
      rules('replaceRules', 'ask', 'three'),
      { type: 'setMode', mode: 'acceptEdits', destination: 'session' },
      folders('addDirectories', '/a', '/b'),
      folders('removeDirectories', '/a'),
    ];
    const [first, ...others] = updatedPermissions;
    const decision = { behavior: 'allow', updatedPermissions: others };
    permit(driver, { behavior: 'allow', updatedInput: {}, updatedPermissions: [first] });
    permit(driver, { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    die(driver);
    const bodies = sent(driver.begin()).map(({ request }) => (request as Line).settings);
    const permissions = {
      deny: ['Bash(rm:*)', 'Bash(grep "\\\\\\(a\\\\\\)")', 'WebFetch'],
      allow: ['Bash(two)'],
      ask: ['Bash(three)'],
      additionalDirectories: ['/b'],
    };
    expect(bodies.at(-1)).toEqual({
      permissions: { ...permissions, deny: ['Read', ...permissions.deny], ask: ['Edit', ...permissions.ask] },
    });
    // claude replaces all permissions that it has got as settings.
    const later = { subtype: 'apply_flag_settings', settings: { model: 'opus', permissions: { deny: ['Write'] } } };
    const settings = { model: 'opus', permissions: { ...permissions, deny: ['Write', ...permissions.deny] } };
    expect(sent(ask(driver, 'c2', later))).toEqual([expect.objectContaining({ request: { ...later, settings } })]);
  });

  it('a new request without the permissions that the caller removes', () => {
    const driver = inTurn();
    const update = (type: string, ...names: string[]) => {
      const rules = names.map((toolName) => ({ toolName }));
      return { behavior: 'allow', updatedPermissions: [{ type, behavior: 'allow', rules, destination: 'session' }] };
    };
    permit(driver, update('addRules', 'Write', 'Edit'));
    die(driver);
    driver.begin();
    driver.timeout('context');
    const settings = { permissions: { allow: ['Edit'] } };
    const before = driver.actions.length;
    permit(driver, update('removeRules', 'Write'));
    expect(sent(driver.actions.slice(before))[0]).toMatchObject({ request: { settings } });
    permit(driver, update('addRules', 'Read'));
    expect(asked(driver.actions.slice(before))).toEqual([['ctxb', 'apply_flag_settings']]);
  });

  it('no permissions of an answer that came too late', () => {
    const driver = inTurn();
    const updatedPermissions = [{ type: 'addDirectories', directories: ['/a'], destination: 'session' }];
    driver.claude(QUESTION, { type: 'control_cancel_request', request_id: 'q' });
    driver.caller(answerToQuestion({ behavior: 'allow', updatedPermissions }));
    die(driver);
    expect(asked(driver.begin())).toEqual([OPENING]);
  });

  it.each([
    { behavior: 'deny', message: 'No.' },
    { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny' } } },
    { hookSpecificOutput: { hookEventName: 'PreToolUse', decision: { behavior: 'allow' } } },
  ])('no permissions of an answer that allows nothing: %j', (response) => {
    const driver = inTurn();
    const updatedPermissions = [{ type: 'addDirectories', directories: ['/a'], destination: 'session' }];
    const { hookSpecificOutput: output } = response;
    const given = output && { ...output, decision: { ...output.decision, updatedPermissions } };
    permit(driver, { ...response, updatedPermissions, ...(given && { hookSpecificOutput: given }) });
    die(driver);
    expect(asked(driver.begin())).toEqual([OPENING]);
  });

  it.each(['replaceRules', 'removeRules'])(
    "all rules of the caller's own requests, also after %s in the session",
    (type) => {
      const driver = inTurn();
      const request = (tool: string) => ({
        subtype: 'apply_flag_settings',
        settings: { permissions: { deny: [tool] } },
      });
      ask(driver, 'c1', request('Write'));
      answer(driver, 'c1');
      const rules = [{ toolName: 'Write' }];
      const updatedPermissions = [{ type, behavior: 'deny', rules, destination: 'session' }];
      permit(driver, { behavior: 'allow', updatedPermissions });
      die(driver);
      const denied = (actions: readonly Action[]) =>
        sent(actions).map((line) => ((line.request as Line).settings as Line | undefined)?.permissions);
      expect(denied(driver.begin()).at(-1)).toMatchObject({ deny: expect.arrayContaining(['Write']) });
      expect(denied(ask(driver, 'c2', request('Write')))).toMatchObject([{ deny: expect.arrayContaining(['Write']) }]);
    },
  );

  it("each unanswered initialize of the caller, with ctxb's hooks in it", () => {
    const driver = inTurn();
    die(driver);
    for (const id of ['c1', 'c2']) {
      ask(driver, id, { subtype: 'initialize', hooks: { Stop: [{ matcher: null, hookCallbackIds: [id] }] } });
    }
    const opened = sent(driver.begin()).filter(({ request }) => (request as Line).subtype === 'initialize');
    expect(opened).toMatchObject([{ request_id: 'c1' }, { request_id: 'c2' }]);
    const [first, second] = opened.map(({ request }) => Object.keys((request as { hooks: object }).hooks));
    expect(second).toEqual(first);
    expect(second).toContain('PreCompact');
    expect(driver.state.process.control.initialize).toMatchObject({ hooks: { Stop: [{ hookCallbackIds: ['c2'] }] } });
  });

  it("with the caller's own initialize, where that has no answer yet", () => {
    const driver = inTurn();
    die(driver);
    ask(driver, 'c1', { subtype: 'initialize' });
    expect(asked(driver.begin())).toEqual([['c1', 'initialize']]);
  });

  it("for the caller's own initialize, in ctxb's name where the caller has its answer", () => {
    const driver = drive(runWith({ callerSpeaksProtocol: true }));
    driver.begin();
    ask(driver, 'c1', { subtype: 'initialize', systemPrompt: 'Be brief.' });
    answer(driver, 'c1');
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(20_000));
    driver.tell(exitEvent({ delivered: ['prompt-1'] }));
    const begun = driver.begin();
    expect(asked(begun)).toEqual([OPENING]);
    expect(sent(begun)[0]).toMatchObject({ request: { systemPrompt: 'Be brief.' } });
  });

  it('requests from before the first prompt, without an initialize', () => {
    const driver = drive(runWith({ callerSpeaksProtocol: true }));
    driver.begin();
    ask(driver, 'c1', { subtype: 'set_model', model: 'two' });
    answer(driver, 'c1');
    ask(driver, 'c2', { subtype: 'mcp_status' });
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(20_000));
    driver.tell(exitEvent({ delivered: ['prompt-1'] }));
    const begun = asked(driver.begin());
    expect(begun).toHaveLength(3);
    expect(begun).toEqual(expect.arrayContaining([OPENING, ['ctxb', 'set_model'], ['c2', 'mcp_status']]));
  });

  it('an unanswered interrupt: the turn is stopped when it resumes', () => {
    const driver = inTurn();
    ask(driver, 'c1', { subtype: 'interrupt' });
    die(driver);
    expect(asked(driver.begin())).toEqual([OPENING, ['c1', 'interrupt']]);
    answer(driver, 'c1');
    driver.claude(answerTo(driver, 'context'));
    expect(asked(driver.claude(initLine(), callLine(32_000)))).toEqual([['ctxb', 'interrupt']]);
  });

  it('an interrupt of a turn that claude itself had started: no later turn is stopped', () => {
    const driver = afterTurn(30_000, { callerSpeaksProtocol: true });
    driver.claude(initLine(), callLine(31_000));
    ask(driver, 'c1', { subtype: 'interrupt' });
    driver.tell(exitEvent({ delivered: [] }));
    expect(asked(driver.begin())).toEqual([OPENING, ['c1', 'interrupt']]);
    answer(driver, 'c1');
    driver.claude(answerTo(driver, 'context'));
    driver.prompt('Second.');
    expect(asked(driver.claude(initLine(), callLine(32_000)))).toEqual([]);
  });
});
