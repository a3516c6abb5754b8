import { describe, expect, it } from 'vitest';
import { visibilityOf } from '../../../../src/core/governor/conversation/visibility.ts';
import { stampUuid } from '../../../../src/core/governor/prompts/prompt.ts';
import { changedIn } from '../../../../src/core/governor/steps.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  afterTurn,
  callLine,
  type Driver,
  initLine,
  type Line,
  resultLine,
  statusLine,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';
import { COMPACT_TURNS, cut } from '../../../support/recordings.ts';

const EARLIER_RUN = 'b35a8e5c-3c1c-4d5b-9d5e-000000000000';

/** Feeds lines one by one and says what becomes of each. */
function fates(driver: Driver, lines: readonly Line[]): string[] {
  return lines.map((line) => {
    const fate = visibilityOf(driver.state, decodeObject(line));
    driver.claude(line);
    return fate;
  });
}

function compacting(changes?: Parameters<typeof afterTurn>[1]): Driver {
  const driver = afterTurn(160_000, changes);
  driver.prompt('Next.');
  return driver;
}

describe('lines of a compaction of ctxb', () => {
  it.each(Object.entries(COMPACT_TURNS).map(([verdict, lines]) => ({ verdict, lines })))(
    '$verdict: none is shown',
    ({ lines }) => {
      const seen = fates(compacting(), lines);
      expect(new Set(seen)).not.toContain('show');
      expect(seen.at(-1)).toBe('hide');
    },
  );

  it('include an empty list of tasks, also with a scheduled wake-up', () => {
    const driver = afterTurn(160_000);
    driver.claude(initLine(), toolResultLine('', { tool_use_result: { scheduledFor: 60_000 } }), resultLine());
    driver.prompt('Next.');
    const list = { type: 'system', subtype: 'background_tasks_changed', tasks: [] };
    expect(fates(driver, [statusLine({ status: 'compacting' }), list])).toEqual(['hide', 'hide']);
  });

  it('are shown on request', () => {
    const seen = fates(compacting({ showInjected: true }), COMPACT_TURNS.success);
    expect(new Set(seen)).toEqual(new Set(['show']));
  });
});

describe('lifecycle lines of a prompt', () => {
  it.each([
    { title: 'that got its uuid here', uuid: stampUuid('da51682a-0961-40d1-a057-000000000000', 1), fate: 'hide' },
    { title: 'that got it in a run that this one goes on with', uuid: stampUuid(EARLIER_RUN, 4_000), fate: 'hide' },
    { title: 'that the caller gave one', uuid: '99999999-2222-4333-9444-f55555555555', fate: 'show' },
  ])('$title: $fate', ({ uuid, fate }) => {
    const line = { type: 'command_lifecycle', command_uuid: uuid, state: 'started', session_id: 's', uuid: 'u' };
    expect(fates(afterTurn(20_000), [line])).toEqual([fate]);
  });
});

describe('lines of other turns', () => {
  it("the caller's own /compact is shown", () => {
    const driver = afterTurn(160_000);
    driver.prompt('/compact keep it');
    expect(new Set(fates(driver, COMPACT_TURNS.success))).toEqual(new Set(['show']));
  });

  it('lines of prompts that wait for a compaction are shown', () => {
    const driver = compacting();
    driver.claude(...COMPACT_TURNS.success);
    expect(fates(driver, [initLine(), callLine(30_000), resultLine()])).toEqual(['show', 'show', 'show']);
  });

  it("a turn that claude starts after ctxb's command: its first lines wait until the next one shows who started it", () => {
    const lines = [initLine(), callLine(161_000), resultLine({ origin: { kind: 'task-notification' } })];
    expect(fates(compacting(), lines)).toEqual(['buffer', 'show', 'show']);
  });

  it('lines of background work are shown during a compaction too', () => {
    const driver = compacting();
    driver.claude(statusLine({ status: 'compacting' }));
    const lines = cut('background-agent.ndjson', 6, 9);
    expect(fates(driver, lines)).toEqual(['show', 'show', 'show']);
  });
});

describe('traffic of ctxb on the control channel', () => {
  it.each([
    {
      name: 'an answer to us',
      line: { type: 'control_response', response: { subtype: 'success', request_id: 'ctxb:1' } },
      fate: 'hide',
    },
    {
      name: 'an answer to the caller',
      line: { type: 'control_response', response: { subtype: 'success', request_id: 'r1' } },
      fate: 'show',
    },
    {
      name: 'a callback of ours',
      line: { type: 'control_request', request_id: 'h', request: { callback_id: 'ctxb:pre-compact' } },
      fate: 'hide',
    },
    {
      name: "a callback of the caller's",
      line: { type: 'control_request', request_id: 'h', request: { callback_id: 'mine' } },
      fate: 'show',
    },
    { name: 'a prompt sent back', line: userLine('Do it.', { isReplay: true, uuid: 'prompt-1' }), fate: 'show' },
  ])('$name: $fate', ({ line, fate }) => {
    const { state } = afterTurn(20_000);
    const asked = changedIn(state, 'control', { pending: { 'ctxb:1': 'context' } });
    expect(visibilityOf(asked, decodeObject(line))).toBe(fate);
  });

  it('an answer to a request with a similar id is shown', () => {
    const line = { type: 'control_response', response: { subtype: 'success', request_id: 'ctxb:mine' } };
    expect(visibilityOf(afterTurn(20_000).state, decodeObject(line))).toBe('show');
  });

  it('an injected line that --replay-user-messages repeats is hidden', () => {
    const driver = compacting();
    const own = driver.actions
      .flatMap((action) => (action.kind === 'send' ? [JSON.parse(action.line) as Line] : []))
      .at(-1);
    expect(visibilityOf(driver.state, decodeObject({ ...own, isReplay: true }))).toBe('hide');
  });

  it('the cancellation of a hook from ctxb is hidden too', () => {
    const driver = afterTurn(20_000);
    driver.claude({
      type: 'control_request',
      request_id: 'h9',
      request: { callback_id: 'ctxb:session-start', input: {} },
    });
    expect(visibilityOf(driver.state, decodeObject({ type: 'control_cancel_request', request_id: 'h9' }))).toBe('hide');
  });
});
