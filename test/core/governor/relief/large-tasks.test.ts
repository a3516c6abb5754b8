import { describe, expect, it } from 'vitest';
import type { ZonesPolicy } from '../../../../src/core/governor/policy.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  afterTurn,
  callLine,
  type Driver,
  decisions,
  drive,
  initLine,
  kinds,
  type PolicyChanges,
  policyWith,
  resultLine,
  runWith,
  said,
} from '../../../support/governor.ts';
import { COMPACT_TURNS } from '../../../support/recordings.ts';

/** About so many tokens: three letters and a space each, which is 0.99 of one. */
const task = (tokens: number) => 'abc '.repeat(tokens);

/** A turn is over in the zone of that name. */
const IN_ZONE = { ok: 50_000, monitor: 90_000, warning: 110_000, critical: 145_000 };

function inZone(zone: keyof typeof IN_ZONE, onLargeTask: ZonesPolicy['onLargeTask'], more: PolicyChanges = {}): Driver {
  return afterTurn(IN_ZONE[zone], { policy: policyWith({ ...more, zones: { onLargeTask } }) });
}

describe('a large task', () => {
  it.each([
    { zone: 'monitor', tokens: 20_000, announced: 0 },
    { zone: 'warning', tokens: 4_500, announced: 0 },
    { zone: 'warning', tokens: 6_000, announced: 1 },
    { zone: 'critical', tokens: 1_500, announced: 0 },
    { zone: 'critical', tokens: 2_500, announced: 1 },
  ] as const)('of $tokens tokens in $zone is announced $announced times, and sent', ({ zone, tokens, announced }) => {
    const actions = inZone(zone, 'announce').prompt(task(tokens));
    expect(kinds(decisions(actions)).filter((kind) => kind === 'large-task')).toHaveLength(announced);
    expect(said(actions)).toEqual([task(tokens)]);
  });

  it('is announced with its size and the zone', () => {
    expect(decisions(inZone('warning', 'announce').prompt(task(6_000)))).toMatchObject([
      {
        kind: 'large-task',
        todo: 'announce',
        tokens: 6_491,
        reason: 'a prompt of about 6491 tokens in the zone warning',
      },
    ]);
  });

  it('is not assumed for a command', () => {
    expect(decisions(inZone('critical', 'reject').prompt(`/review ${task(6_000)}`))).toEqual([]);
  });
});

describe("onLargeTask: 'relieve'", () => {
  it('is sent once, after a compaction', () => {
    const driver = inZone('warning', 'relieve');
    expect(said(driver.prompt(task(6_000)))).toEqual([expect.stringMatching(/^\/compact focus on abc abc/)]);
    const actions = driver.claude(...COMPACT_TURNS.success);
    expect(said(actions)).toEqual([task(6_000)]);
    expect(kinds(driver.actions).filter((kind) => kind === 'large-task')).toHaveLength(1);
  });

  it('is on disk before it waits', () => {
    const order = kinds(inZone('warning', 'relieve').prompt(task(6_000)));
    expect(order).toContain('hold');
    expect(order.indexOf('hold')).toBeLessThan(order.indexOf('compact'));
  });

  it('leads to a handoff if compacting is off', () => {
    const driver = inZone('warning', 'relieve', { compaction: { enabled: false } });
    expect(kinds(decisions(driver.prompt(task(6_000))))).toEqual(['large-task', 'handoff']);
  });

  it('is sent anyway if no relief is possible', () => {
    const driver = inZone('warning', 'relieve', { compaction: { enabled: false }, handoff: { enabled: false } });
    expect(said(driver.prompt(task(6_000)))).toEqual([task(6_000)]);
  });
});

describe("onLargeTask: 'reject'", () => {
  it('answers the caller with a result of its own, and the next prompt is sent', () => {
    const driver = inZone('warning', 'reject');
    const actions = driver.prompt(task(6_000), 'Small.');
    expect(said(actions)).toEqual(['Small.']);
    const [reply] = actions.flatMap((action) => (action.kind === 'reply' ? [JSON.parse(action.line) as object] : []));
    expect(reply).toMatchObject({
      type: 'result',
      subtype: 'error_context_budget',
      is_error: true,
      session_id: 's1',
      user_message_uuid: 'prompt-2',
      result: expect.stringContaining('6491 tokens'),
    });
    expect(actions).toContainEqual({ kind: 'answered', uuids: ['prompt-2'] });
  });

  it('begins no turn', () => {
    const driver = inZone('warning', 'reject');
    driver.prompt(task(6_000));
    expect(driver.state.turn.phase).toBe('idle');
    expect(kinds(driver.callerEnd())).toEqual(['end-input']);
  });

  it('is only reported in observe mode', () => {
    const run: Partial<Run> = { mode: 'observe', policy: policyWith({ zones: { onLargeTask: 'reject' } }) };
    const driver = drive(runWith(run));
    driver.begin();
    driver.prompt('Do the thing.');
    driver.claude(initLine(), callLine(110_000), resultLine());
    expect(said(driver.prompt(task(6_000)))).toEqual([task(6_000)]);
  });
});
