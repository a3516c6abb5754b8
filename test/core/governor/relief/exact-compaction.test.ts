import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import type { Action } from '../../../../src/core/governor/decisions.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import { prefixOf } from '../../../../src/core/governor/gauge/gauge.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { type ExactReceipt, TOO_LARGE } from '../../../../src/core/protocol/exact-plan.ts';
import {
  answerTo,
  boundaryLine,
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
  policyWith,
  resultLine,
  runWith,
  said,
  sent,
  statusLine,
  syntheticLine,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';

const NEW = { claude_code_version: '2.1.330' };
const FULL = 160_000;
const RECEIPT: ExactReceipt = {
  version: 1,
  number: 1,
  answered: true,
  ms: 12,
  before: { messages: 40, tokens: 140_000 },
  after: { messages: 5, tokens: 9_000 },
  prompts: { kept: 1, of: 1 },
  whole: [],
  steps: { whole: 2, lines: 9, gone: 0 },
};

/** One turn that ended with `used` tokens. */
function worked(used: number, init: Line = NEW): Driver {
  const driver = drive(runWith({ exact: true }));
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(init), callLine(20_000), callLine(used), resultLine());
  return driver;
}

function load(driver: Driver): readonly Action[] {
  return [
    ...driver.tell({ kind: 'exact-folder', path: '/tmp/mod' }),
    ...driver.claude(answerTo(driver, 'load-mod', { held: false })),
    ...driver.tell({ kind: 'exact-proved' }),
  ];
}

function ready(used: number): Driver {
  const driver = worked(used);
  load(driver);
  return driver;
}

const compacted = (receipt: ExactReceipt = RECEIPT) => ({ kind: 'exact-receipt', receipt, kept: [] }) as const;
const manual = [statusLine({ compact_result: 'success' }), boundaryLine('manual', FULL), resultLine({ num_turns: 0 })];

describe('the mod', () => {
  it('is loaded when the context has grown, and never in a short session', () => {
    expect(kinds(worked(39_000).actions)).not.toContain('arm-exact');
    const driver = worked(50_000);
    expect(kinds(driver.actions)).toContain('arm-exact');
    const actions = load(driver);
    expect(sent(actions)[0]?.request).toEqual({
      subtype: 'reload_plugins',
      add_plugins: [{ type: 'local', path: '/tmp/mod' }],
      hold_on_cache_impact: true,
    });
    expect(kinds(actions)).toEqual(expect.arrayContaining(['prove-exact', 'plan-exact']));
    expect(driver.state.relief.exact.phase).toBe('ready');
  });

  it('delays only a prompt before which the context is relieved', () => {
    const early = worked(50_000);
    expect(said(early.prompt('Next.'))).toEqual(['Next.']);
    const driver = worked(FULL);
    expect(said(driver.prompt('Next.'))).toEqual([]);
    const actions = load(driver);
    expect(said(actions)).toEqual(['/compact']);
    expect(decisions(actions)).toMatchObject([{ kind: 'compact', how: 'exact' }]);
  });

  it.each<{ name: string; lose: (driver: Driver) => void; why: RegExp }>([
    { name: 'cannot be written', lose: (d) => d.tell({ kind: 'exact-folder', path: undefined }), why: /be written/ },
    { name: 'is refused', lose: (d) => refuse(d, { subtype: 'error' }), why: /refuses/ },
    { name: 'would change the tools', lose: (d) => refuse(d, { response: { held: true } }), why: /change the tools/ },
    { name: 'is not loaded in time', lose: (d) => d.timeout('exact'), why: /2\.1\.330 does not run the mod/ },
    { name: 'gives no sign of life', lose: (d) => refuse(d, {}, true), why: /2\.1\.330 does not run the mod/ },
  ])('that $name leaves a summary, which is announced once', ({ lose, why }) => {
    const driver = worked(FULL);
    driver.prompt('Next.');
    const before = driver.actions.length;
    lose(driver);
    const actions = driver.actions.slice(before);
    expect(decisions(actions)).toMatchObject([
      { kind: 'unavailable', of: 'exact', reason: expect.stringMatching(why) },
      { kind: 'compact', how: 'summary' },
    ]);
    expect(String(said(actions)[0])).toMatch(/^\/compact ./);
    driver.claude(...manual, initLine(NEW), callLine(FULL), resultLine());
    expect(kinds(driver.actions).filter((kind) => kind === 'unavailable:exact')).toHaveLength(1);
  });

  it('is loaded again into the replacement of a dead process', () => {
    const driver = ready(50_000);
    driver.prompt('Next.');
    driver.tell(exitEvent());
    expect(driver.state.relief.exact.phase).toBe('unarmed');
    driver.begin();
    const answer = { rawMaxTokens: 200_000, totalTokens: 50_000 };
    const asked = driver.claude(answerTo(driver, 'context', answer));
    expect(kinds(asked)).toContain('arm-exact');
    expect(said(asked)).toEqual([]);
    expect(said(load(driver))).toEqual(['Next.']);
  });

  it('is used even if it is loaded late', () => {
    const driver = worked(50_000);
    driver.timeout('exact');
    expect(driver.state.relief.exact.phase).toBe('late');
    load(driver);
    expect(driver.state.relief.exact).toMatchObject({ phase: 'ready', why: undefined });
  });
});

describe('a compaction by the mod', () => {
  it('is known by the receipt, and announced in one line', () => {
    const driver = ready(FULL);
    driver.prompt('Next.');
    driver.tell(compacted());
    const actions = driver.claude(...manual, initLine(NEW), callLine(30_000));
    expect(decisions(actions).filter(({ kind }) => kind === 'compacted' || kind === 'landed')).toMatchObject([
      { kind: 'compacted', how: 'exact', verdict: 'success' },
      { kind: 'landed', exact: RECEIPT, freed: expect.closeTo(130_000, -1) },
    ]);
    expect(said(actions)).toEqual(['Next.']);
  });

  it('does not affect the next one if it fails', () => {
    const driver = ready(FULL);
    driver.prompt('Next.');
    driver.tell(compacted());
    driver.claude(statusLine({ compact_result: 'failed', compact_error: 'ENOSPC: no space left on device, write' }));
    const actions = driver.claude(...manual);
    expect(decisions(actions)).toContainEqual(expect.objectContaining({ reason: 'the mod did not answer' }));
  });

  it('gives back no prompts, because they stay in the context', () => {
    const driver = ready(100_000);
    driver.prompt('Next.');
    driver.claude(initLine(NEW), callLine(FULL));
    driver.tell(compacted());
    const [answer] = driver.claude(hookLine('SessionStart', { source: 'compact' }));
    expect(answer).toMatchObject({ kind: 'answer-hook', output: {} });
    expect(answer).not.toHaveProperty('context');
    expect(answer).not.toHaveProperty('recall');
  });

  it('within a turn, repeated messages are hidden and do not count', () => {
    const driver = ready(100_000);
    driver.prompt('Next.');
    driver.claude(initLine(NEW), callLine(FULL));
    driver.tell(compacted());
    driver.claude(boundaryLine('auto', FULL));
    const { turn, limits, gauge } = driver.state;
    const repeated = [
      userLine('Do the thing.'),
      syntheticLine('done before'),
      toolResultLine('a result of before'),
      callLine(0, { message: { id: 'msg_old', model: 'claude-sonnet-4-5', content: [], usage: { input_tokens: 0 } } }),
    ];
    for (const line of repeated) {
      expect(visibilityOf(driver.state, decodeObject(line))).toBe('hide');
      expect(driver.claude(line)).toEqual([]);
    }
    expect(driver.state).toMatchObject({ turn, limits: { cost: limits.cost }, gauge });
    // The next answer is new, and so is what claude itself says of an error then.
    expect(visibilityOf(driver.state, decodeObject(callLine(40_000)))).toBe('show');
    driver.claude(callLine(40_000));
    expect(visibilityOf(driver.state, decodeObject(syntheticLine('API Error')))).toBe('show');
  });

  it.each([
    {
      name: 'says why',
      receipt: { ...RECEIPT, answered: false, why: 'nothing can be left out' },
      why: /nothing can be/,
    },
    { name: 'says nothing', receipt: undefined, why: /did not answer/ },
  ])('that the mod leaves to claude, and $name: this one only, and all after a second refusal', ({ receipt, why }) => {
    const driver = ready(FULL);
    const refuseOnce = () => {
      driver.prompt('Next.');
      if (receipt !== undefined) driver.tell(compacted(receipt));
      const actions = driver.claude(...manual);
      driver.claude(initLine(NEW), callLine(FULL), resultLine());
      return decisions(actions).slice(0, 2);
    };
    const reason = expect.stringMatching(why);
    expect(refuseOnce()).toMatchObject([
      { kind: 'unavailable', of: 'exact-once', reason },
      { kind: 'compacted', how: 'summary' },
    ]);
    expect(driver.state.relief.exact.phase).toBe('ready');
    const [again] = refuseOnce();
    expect(again).toMatchObject({ kind: 'unavailable', of: 'exact', reason });
    expect(driver.state.relief.exact.phase).toBe('off');
  });

  it('at the native trigger keeps at most as much as a summary, unless it was requested', () => {
    const driver = ready(150_000);
    const room = () => driver.actions.findLast((action) => action.kind === 'plan-exact')?.summary?.room;
    driver.timeout('context');
    driver.prompt('Next.');
    driver.claude(initLine(NEW), callLine(155_000));
    // claude may still have an earlier level.
    expect(room()).toBeUndefined();
    driver.claude(answerTo(driver, 'trigger', {}));
    expect(room()).toBe(2_250);
    driver.tell({ kind: 'ask', ask: { what: 'compact', now: true }, by: { from: 'command', id: '0123abcd' } });
    // claude may compact as soon as its level moves, so the plan comes first.
    const actions = driver.claude(toolResultLine('done'));
    expect(kinds(actions).filter((kind) => kind === 'plan-exact' || kind === 'send')).toEqual(['plan-exact', 'send']);
    expect(room()).toBeUndefined();
  });

  it.each([1, 30])('counts pictures of prompts, which the mod does not see: %i', (pictures) => {
    const driver = ready(150_000);
    const plan = () => driver.actions.findLast((action) => action.kind === 'plan-exact');
    const { budget = 0, summary: { room = 0 } = {} } = plan() ?? {};
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } };
    const content = [{ type: 'text', text: 'Look.' }, ...Array.from({ length: pictures }, () => picture)];
    driver.caller(userLine(content, { uuid: 'p2' }));
    driver.claude(initLine(NEW), callLine(155_000));
    const pictureTokens = driver.state.relief.exact.size.unseen;
    expect(pictureTokens).toBeGreaterThan(1_000 * pictures);
    expect(plan()).toMatchObject({ summary: { room: room - pictureTokens } });
    const spare = 100_000 - prefixOf(driver.state.gauge) - 60_000;
    expect(budget - (plan()?.budget ?? 0)).toBe(Math.max(0, pictureTokens - spare));
  });

  it.each([
    { name: 'a mentioned file', content: 'Look at @src/a.ts, please.', more: 5_000 },
    { name: 'the output of a command', content: '/look src/a.ts', more: 5_000 },
    { name: 'a PDF', content: [{ type: 'document', source: { type: 'base64' } }], more: 5_000 },
    { name: 'nothing', content: 'Write to a@example.com.', more: 0 },
  ])('counts what claude adds to a prompt, which stays with it: $name', ({ content, more }) => {
    const driver = ready(150_000);
    const before = driver.state.relief.exact.size.all;
    driver.caller(userLine(content, { uuid: 'p2' }));
    driver.claude(initLine(NEW), callLine(155_200), toolResultLine('x'.repeat(20_000)), callLine(165_000));
    const { all, unseen } = driver.state.relief.exact.size;
    expect(unseen).toBeGreaterThan(more - 200);
    expect(all - before).toBeLessThan(more + 300);
  });

  it.each([
    { prompt: 'Look at @src/spec.md, please.', fixed: 34_000, unseen: 39_000 },
    { prompt: 'Look at it, please.', fixed: 72_990, unseen: 0 },
  ])('takes what claude adds to the first prompt from the system prompt and the tools: $prompt', (expected) => {
    const driver = drive(runWith({ exact: true }));
    driver.begin();
    driver.prompt(expected.prompt);
    driver.claude(initLine(NEW), callLine(73_000), resultLine());
    const categories = [{ id: 'messages', tokens: 53_000 }];
    driver.claude(contextAnswer(driver, { rawMaxTokens: 200_000, totalTokens: 73_000, categories }));
    const { gauge, relief } = driver.state;
    expect(Math.abs(prefixOf(gauge) - expected.fixed)).toBeLessThan(20);
    expect(Math.abs(relief.exact.size.unseen - expected.unseen)).toBeLessThan(20);
  });

  it('asks for the size of the first prompt once more if the user has set the window', () => {
    const driver = drive(runWith({ exact: true, policy: policyWith({ window: 200_000 }) }));
    driver.begin();
    const answer = (messages: number) =>
      driver.claude(
        contextAnswer(driver, {
          ...{ rawMaxTokens: 200_000, totalTokens: 20_000 + messages },
          categories: [{ id: 'messages', tokens: messages }],
        }),
      );
    answer(0);
    driver.prompt('Look at @src/spec.md, please.');
    driver.claude(initLine(NEW), callLine(73_000), resultLine());
    answer(53_000);
    expect(Math.abs(driver.state.relief.exact.size.unseen - 39_000)).toBeLessThan(200);
    const { sent } = driver.state.process.control;
    driver.prompt('Go on.');
    driver.claude(initLine(NEW), callLine(74_000), resultLine());
    expect(driver.state.process.control.sent).toBe(sent);
  });

  it.each<{ name: string; fail: (driver: Driver) => void }>([
    { name: 'refuses to report it', fail: refuseContext },
    { name: 'does not report it', fail: (d) => d.timeout('context') },
  ])('asks only once for the size of the first prompt if claude $name', ({ fail }) => {
    const driver = drive(runWith({ exact: true }));
    driver.begin();
    driver.prompt('Look at @src/spec.md, please.');
    driver.claude(initLine(NEW), callLine(73_000), resultLine());
    fail(driver);
    driver.prompt('Go on.');
    driver.claude(initLine(NEW), callLine(74_000), resultLine());
    expect(JSON.stringify(driver.actions).split('get_context_usage')).toHaveLength(2);
  });

  it('keeps room for the texts beside large attachments', () => {
    const driver = ready(50_000);
    driver.caller(userLine('Look at @src/spec.md, please.', { uuid: 'p2' }));
    driver.claude(initLine(NEW), callLine(170_000), resultLine());
    expect(driver.actions.findLast((action) => action.kind === 'plan-exact')).toMatchObject({ budget: 5_000 });
  });

  it.each([
    { at: 'near its own level, claude alone would write a summary', size: 164_000, least: 0, most: 40_000 },
    { at: 'far below its own level, claude alone would keep everything', size: 120_000, least: 120_000, most: 125_000 },
  ])('$at', ({ size, least, most }) => {
    const driver = ready(100_000);
    driver.timeout('context');
    driver.prompt('Next.');
    driver.claude(initLine(NEW), callLine(size), toolResultLine('done'));
    driver.tell(compacted());
    driver.claude(boundaryLine('auto', size + 100), callLine(25_000));
    const { context, open } = driver.state.relief.baseline;
    expect(context + (open?.growth ?? 0)).toBeGreaterThanOrEqual(least);
    expect(context + (open?.growth ?? 0)).toBeLessThan(most);
  });

  it('says why, but does not count as refused, if the mod leaves it to claude because it would keep more than a summary', () => {
    const driver = ready(150_000);
    driver.prompt('Next.');
    for (let time = 0; time < 4; time++) {
      driver.claude(initLine(NEW), callLine(168_000));
      driver.tell(compacted({ ...RECEIPT, answered: false, why: TOO_LARGE }));
      driver.claude(boundaryLine('auto', 168_000));
    }
    expect(driver.state.relief.exact.phase).toBe('ready');
    const told = decisions(driver.actions).filter(({ kind }) => kind === 'unavailable');
    expect(told).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ of: 'exact-once', reason: TOO_LARGE })),
    );
  });

  it('resets the count of refusals', () => {
    const driver = ready(FULL);
    for (const answered of [false, true, false]) {
      driver.prompt('Next.');
      driver.tell(compacted({ ...RECEIPT, answered }));
      driver.claude(...manual, initLine(NEW), callLine(FULL), resultLine());
    }
    expect(driver.state.relief.exact).toMatchObject({ phase: 'ready', refusals: 1 });
  });

  it("continues the run after claude's own breaker", () => {
    const driver = ready(FULL);
    driver.prompt('Next.');
    driver.tell(compacted());
    driver.claude(...manual, initLine(NEW), callLine(120_000));
    const breaker = resultLine({ is_error: true, subtype: 'success', terminal_reason: 'rapid_refill_breaker' });
    expect(visibilityOf(driver.state, decodeObject(breaker))).toBe('defer');
    const actions = driver.claude(breaker);
    expect(decisions(actions).map(nameOf)).toEqual(expect.arrayContaining(['exhausted', 'compact']));
    expect(said(actions)).toEqual(['/compact']);
    driver.tell(compacted({ ...RECEIPT, number: 2 }));
    expect(String(said(driver.claude(...manual)).at(-1))).toMatch(/one line each\.\n\nGo on/);
  });
});

describe("after claude's own breaker, with an exact compaction that frees little", () => {
  const breaker = resultLine({ is_error: true, subtype: 'success', terminal_reason: 'rapid_refill_breaker' });

  it('ends the run at once if the system prompt and the tools leave no room', () => {
    const driver = drive(runWith({ exact: true }));
    driver.begin();
    driver.prompt('Do it.');
    driver.claude(initLine(NEW), callLine(163_000), resultLine());
    load(driver);
    driver.prompt('Go on.');
    driver.claude(initLine(NEW), callLine(168_000));
    expect(visibilityOf(driver.state, decodeObject(breaker))).toBe('show');
    const actions = driver.claude(breaker);
    expect(kinds(actions)).toContain('write-handoff');
    expect(said(actions)).toEqual([]);
  });

  it('compacts only as often as compactions may fail, also if claude compacts in between', () => {
    const driver = ready(FULL);
    driver.prompt('Next.');
    driver.tell(compacted());
    driver.claude(...manual, initLine(NEW), callLine(165_000));
    const commands: unknown[] = [];
    for (let number = 2; number < 8; number++) {
      driver.claude(boundaryLine('auto', 168_000), callLine(166_000));
      commands.push(...said(driver.claude(breaker)).filter((text) => String(text).startsWith('/compact')));
      driver.tell(compacted({ ...RECEIPT, number }));
      driver.claude(...manual, initLine(NEW), callLine(165_000));
    }
    expect(commands).toHaveLength(1);
  });
});

/** claude's answer to the request to load the mod, in an envelope of its own. */
function refuse(driver: Driver, answer: Line, isSilent = false): void {
  driver.tell({ kind: 'exact-folder', path: '/tmp/mod' });
  const line = answerTo(driver, 'load-mod');
  driver.claude({ ...line, response: { ...(line.response as Line), ...answer } });
  if (isSilent) driver.timeout('exact');
}

function refuseContext(driver: Driver): void {
  const line = contextAnswer(driver, {});
  driver.claude({ ...line, response: { ...(line.response as Line), subtype: 'error' } });
}
