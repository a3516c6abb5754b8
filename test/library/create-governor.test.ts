import { describe, expect, it } from 'vitest';
import { recordRun, toRecord } from '../../src/core/governor/record.ts';
import {
  type Action,
  createGovernor,
  decodeLine,
  type Governor,
  type GovernorOptions,
  type Input,
  isDecision,
} from '../../src/index.ts';
import { callLine, initLine, resultLine, runWith, sent, userLine } from '../support/governor.ts';
import { FIXTURE_RECORDINGS, linesOf } from '../support/recordings.ts';
import { replayed } from '../support/session-summary.ts';

const STREAMS = FIXTURE_RECORDINGS.filter(({ name }) => /^[\w-]+\.ndjson$/.test(name));

const CALL = JSON.stringify(callLine(150_000));
const PROMPT = JSON.stringify(userLine('go on'));

function tell(governor: Governor, from: 'claude' | 'caller', ...lines: readonly object[]): Action[] {
  return lines.flatMap((line) => governor.step({ t: 1, from, line: JSON.stringify(line) }).actions);
}

describe('a governor for another program', () => {
  it.each(STREAMS)('decides for $name as a replay does', async ({ path }) => {
    const governor = createGovernor({ mode: 'replay' });
    const actions = linesOf(path).flatMap((line) => governor.step({ t: 0, from: 'claude', line }).actions);
    const session = await replayed(path);
    const { window, context } = session;
    expect(actions.filter(isDecision)).toEqual(session.actions);
    expect(governor.state).toMatchObject({ turns: session.turns, calls: session.calls });
    expect(governor.state.costUsd ?? null).toBe(session.cost.usd);
    const figures = { window: window.tokens ?? undefined, windowSource: window.source };
    expect(governor.state.context).toMatchObject({ ...figures, used: context.last, basis: context.basis });
  });

  it.each([
    { name: 'by default', policy: {}, zone: 'warning' },
    { name: 'where a share is lower', policy: { thresholds: { warn: '60%' } }, zone: 'critical' },
    { name: 'where tokens are given', policy: { thresholds: { warn: 130_500 } }, zone: 'warning' },
    { name: 'where the window is larger', policy: { window: 1_000_000 }, zone: 'ok' },
    { name: 'where a key is undefined', policy: { window: undefined, zones: undefined }, zone: 'warning' },
  ] as const)('reports the zone of 130,000 tokens $name', ({ policy, zone }) => {
    const governor = createGovernor({ policy, mode: 'replay' });
    tell(governor, 'claude', initLine(), callLine(130_000));
    expect(governor.state.context.zone).toBe(zone);
  });

  it('adds a prompt to the size of the next call until a call has measured it', () => {
    const governor = createGovernor();
    tell(governor, 'claude', initLine(), callLine(50_000), resultLine());
    const { predicted } = governor.state.context;
    tell(governor, 'caller', userLine('word '.repeat(1_000)));
    expect(governor.state.context.predicted - predicted).toBeGreaterThan(500);
    tell(governor, 'claude', callLine(51_000));
    expect(governor.state.context.used).toBe(51_000);
  });

  it('treats undefined as omitted', () => {
    const unsaid: Record<string, undefined> = { runId: undefined, contextDir: undefined };
    const governor = createGovernor({ mode: 'act', ...(unsaid as GovernorOptions) });
    governor.step({ t: 0, from: 'ctxb', event: { kind: 'begin' } });
    expect(tell(governor, 'caller', userLine('go on')).map(({ kind }) => kind)).toContain('send');
  });

  it('reports due decisions in time, and returns lines to pass on unchanged', () => {
    const governor = createGovernor({ policy: { thresholds: { compact: '60%' } } });
    tell(governor, 'claude', initLine(), callLine(130_000), resultLine());
    const prompt = userLine('go on');
    const actions = tell(governor, 'caller', prompt);
    expect(actions.map(({ kind }) => kind)).toEqual(['compact', 'send']);
    expect(sent(actions)).toEqual([prompt]);
    expect(governor.state).toMatchObject({ phase: 'sent', latch: 'spent', isRelieving: false });
  });

  it('holds prompts in act mode until the context is relieved', () => {
    const governor = createGovernor({ mode: 'act', callerSpeaksProtocol: false });
    const { actions } = governor.step({ t: 0, from: 'ctxb', event: { kind: 'begin' } });
    expect(sent(actions).map(({ request }) => request)).toContainEqual(
      expect.objectContaining({ subtype: 'initialize' }),
    );
    governor.step({ t: 0, from: 'timer', event: { kind: 'timeout', timer: 'context' } });
    tell(governor, 'caller', userLine('begin'));
    tell(governor, 'claude', initLine(), callLine(170_000), resultLine());
    const due = tell(governor, 'caller', userLine('go on'));
    expect(due.filter(isDecision).map(({ kind }) => kind)).toEqual(['compact']);
    expect(JSON.stringify(sent(due))).toContain('/compact');
    expect(governor.state).toMatchObject({ isRelieving: true, waiting: 1, context: { zone: 'handoff' } });
  });

  it.each<{ readonly input: Input; readonly raw?: string }>([
    { input: { t: 1, from: 'claude', event: decodeLine(CALL) }, raw: CALL },
    { input: { t: 2, from: 'caller', event: decodeLine(PROMPT), line: PROMPT }, raw: PROMPT },
    { input: { t: 3, from: 'timer', event: { kind: 'timeout', timer: 'turn' } } },
    { input: { t: 4, from: 'ctxb', event: { kind: 'interrupt' } } },
    { input: { t: 5, from: 'caller', event: { kind: 'end' } } },
  ])('processes a line of a record like its input: $input.from $input.event.kind', ({ input, raw }) => {
    const [one, other] = [createGovernor({ runId: 'r' }), createGovernor({ runId: 'r' })];
    for (const governor of [one, other]) tell(governor, 'claude', initLine(), callLine(170_000), resultLine());
    expect(other.step(toRecord(input, raw))).toEqual(one.step(input));
  });

  it('ignores the policy in the first line of a record', () => {
    const governor = createGovernor();
    const before = governor.state;
    expect(governor.step(recordRun(runWith(), 1))).toEqual({ actions: [], state: before });
  });

  it.each([{}, { t: 1, from: 'claude' }, { t: 1, from: 'nobody', line: '{}' }, { t: 1, from: 'claude', line: 5 }])(
    'refuses %j',
    (input) => {
      expect(() => createGovernor().step(input as never)).toThrow(expect.objectContaining({ code: 'usage' }));
    },
  );

  it('refuses an invalid policy', () => {
    expect(() => createGovernor({ policy: { window: 5 } })).toThrow(expect.objectContaining({ code: 'config' }));
  });
});
