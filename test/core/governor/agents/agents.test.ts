import { describe, expect, it } from 'vitest';
import { isEstimated } from '../../../../src/core/governor/agents/agents.ts';
import { costUsd } from '../../../../src/core/governor/cost/cost.ts';
import { nameOf } from '../../../../src/core/governor/decisions.ts';
import type { Run } from '../../../../src/core/governor/state.ts';
import {
  answerTo,
  callLine,
  type Driver,
  decisions,
  drive,
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
} from '../../../support/governor.ts';

const AGENTS = { max: undefined, tokens: undefined, costUsd: undefined };

/** A turn is under way. */
function atWork(agents: object, changes: Partial<Run> = {}): Driver {
  const driver = drive(
    runWith({ policy: policyWith({ window: 200_000, agents: { ...AGENTS, ...agents } }), ...changes }),
  );
  driver.begin();
  driver.prompt('Do the thing.');
  driver.claude(initLine(), callLine(20_000));
  return driver;
}

function taskLine(subtype: string, more: Line = {}): Line {
  return { type: 'system', subtype: `task_${subtype}`, task_id: 'a1', tool_use_id: 't1', ...more };
}

const STARTED = taskLine('started', { task_type: 'local_agent', subagent_type: 'Explore', description: 'Look' });

const agentCall = (used: number, id = 't1') => callLine(used, { parent_tool_use_id: id });

function toolHook(hook: 'PreToolUse' | 'PostToolUse' | 'PostToolUseFailure', tool: string, more: Line = {}): Line {
  return hookLine(hook, { tool_name: tool, tool_input: {}, tool_use_id: 't1', ...more });
}

function stopped(driver: Driver): unknown[] {
  return sent(driver.actions).flatMap(({ request }) => {
    const { subtype, task_id } = (request ?? {}) as Line;
    return subtype === 'stop_task' ? [task_id] : [];
  });
}

const WORKFLOW = taskLine('started', { task_id: 'w1', task_type: 'local_workflow' });

/** A workflow lists its agents. */
function listed(...agents: readonly Line[]): Line {
  return taskLine('progress', {
    task_id: 'w1',
    workflow_progress: agents.map((one) => ({ state: 'progress', ...one })),
  });
}

describe('figures of subagents', () => {
  it("reads the last call of an agent that the turn waits for from the tool's result", () => {
    const driver = atWork({});
    const usage = {
      input_tokens: 4,
      cache_read_input_tokens: 10_000,
      cache_creation_input_tokens: 996,
      output_tokens: 500,
    };
    const isAbout = () => Object.values(driver.state.work.agents.all).map(isEstimated);
    driver.claude(STARTED, taskLine('notification', { status: 'completed', usage: { total_tokens: 11_500 } }));
    expect(isAbout()).toEqual([true]);
    driver.claude({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'report' }] },
      parent_tool_use_id: null,
      tool_use_result: { status: 'completed', agentId: 'a1', agentType: 'Explore', usage },
    });
    expect(driver.state.work.agents.all.t1).toMatchObject({
      kind: 'Explore',
      calls: 1,
      tokens: 11_500,
      peak: 11_000,
      phase: 'over',
      // 4 and 500 tokens, 10,000 from the cache and 996 into it, at 3, 15, 0.3 and 3.75 dollars for a million.
      microUsd: 12 + 7_500 + 3_000 + 3_735,
    });
    expect(isAbout()).toEqual([false]);
  });

  it('takes the final output count of a call from its partial messages, and figures from a log if they are higher', () => {
    const driver = atWork({});
    const partial = (output_tokens: number, id = 't1') => ({
      ...{ type: 'stream_event', session_id: 's1', parent_tool_use_id: id },
      event: { type: 'message_delta', usage: { output_tokens } },
    });
    driver.claude(STARTED, agentCall(10_000));
    const agentNow = () => driver.state.work.agents.all.t1;
    const { tokens = 0 } = agentNow() ?? {};
    driver.claude(partial(700), partial(900, 'unknown'));
    expect(agentNow()?.tokens).toBeGreaterThan(tokens + 600);
    driver.tell({ kind: 'agent-read', id: 't1', tokens: 50_000, microUsd: 1 });
    driver.tell({ kind: 'agent-read', id: 'unknown', tokens: 90_000, microUsd: 1 });
    expect(agentNow()).toMatchObject({ calls: 1, tokens: 50_000 });
  });

  it('reads agents of a workflow from the sum over all contexts, and from the list of its agents', () => {
    const driver = atWork({});
    driver.claude(
      WORKFLOW,
      listed({ agentId: 'm1', label: 'one', tokens: 10_000, toolCalls: 1 }, { agentId: 'm2', label: 'two' }),
      taskLine('progress', { task_id: 'w1', last_tool_name: 'two', usage: { total_tokens: 30_000 } }),
      taskLine('progress', { task_id: 'w1', last_tool_name: 'one', usage: { total_tokens: 35_000 } }),
      listed(
        { agentId: 'm1', label: 'one', tokens: 15_000, toolCalls: 2, state: 'done' },
        { agentId: 'm2', label: 'two', tokens: 20_000, toolCalls: 1 },
      ),
    );
    expect(driver.state.work.agents.all).toMatchObject({
      m1: { calls: 3, peak: 15_000, tokens: 40_000, phase: 'over', isUnseen: true },
      m2: { calls: 1, peak: 20_000, tokens: 20_000, phase: 'running' },
    });
  });

  it('asks claude for calls outside the stream, one request at a time', () => {
    const driver = atWork({});
    const one = { agentId: 'm1', label: 'one', tokens: 10_000, toolCalls: 1 };
    const asks = () => sent(driver.actions).filter(({ request }) => (request as Line)?.subtype === 'get_usage').length;
    driver.claude(WORKFLOW, listed(one), listed({ ...one, tokens: 20_000, toolCalls: 2 }));
    expect(asks()).toBe(1);
    driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 1.25 } }));
    expect(costUsd(driver.state)).toBe(1.25);
    driver.claude(listed({ ...one, tokens: 30_000, toolCalls: 3 }));
    expect(asks()).toBe(2);
  });
});

describe('a limit for the number of subagents', () => {
  const refusal = { permissionDecision: 'deny' };

  it('counts allowed calls before their agents start, and not calls that another hook refused', () => {
    const driver = atWork({ max: 2 });
    const ask = (id: string) => driver.claude(toolHook('PreToolUse', 'Agent', { tool_use_id: id }));
    expect(ask('t1')).not.toContainEqual(expect.objectContaining({ specific: expect.objectContaining(refusal) }));
    ask('t2');
    expect(ask('t3')).toContainEqual(expect.objectContaining({ specific: expect.objectContaining(refusal) }));
    const error = [{ type: 'tool_result', tool_use_id: 't2', content: 'denied', is_error: true }];
    driver.claude({ type: 'user', message: { role: 'user', content: error }, parent_tool_use_id: null });
    expect(kinds(ask('t4'))).not.toContain('limit:agents');
  });

  it('may be zero', () => {
    const driver = atWork({ max: 0 });
    expect(kinds(driver.claude(toolHook('PreToolUse', 'Workflow')))).toContain('limit:agents');
  });

  it('does not affect other tools', () => {
    expect(kinds(atWork({ max: 0 }).claude(toolHook('PreToolUse', 'Bash')))).not.toContain('limit:agents');
  });
});

describe('a limit for each subagent', () => {
  it('stops an agent that crosses it once, and explains it to the waiting tool call', () => {
    const driver = atWork({ tokens: 50_000 });
    driver.claude(STARTED, agentCall(30_000), agentCall(31_000), agentCall(32_000));
    expect(stopped(driver)).toEqual(['a1']);
    expect(told(driver.claude(toolHook('PostToolUse', 'Bash', { tool_use_id: 't0' })))).toEqual([]);
    expect(told(driver.claude(toolHook('PostToolUseFailure', 'Agent')))).toEqual([
      expect.stringContaining('the subagent "Look" (Explore) was stopped by a limit of this run, not by the user'),
    ]);
    expect(told(driver.claude(toolHook('PostToolUseFailure', 'Agent')))).toEqual([]);
  });

  it('ends an agent of a workflow after its next tool, and no other call', () => {
    const driver = atWork({ costUsd: 0.1 });
    driver.claude(WORKFLOW, listed({ agentId: 'm1', label: 'one', tokens: 100_000, toolCalls: 1 }, { agentId: 'm2' }));
    expect(stopped(driver)).toEqual([]);
    const used = (agent_id: string) => driver.claude(toolHook('PostToolUse', 'Bash', { agent_id }));
    expect(used('m1')).toContainEqual(
      expect.objectContaining({ output: expect.objectContaining({ continue: false }) }),
    );
    expect(used('m2')).toContainEqual(expect.objectContaining({ output: {} }));
  });

  it('reports a stopped workflow between turns, because claude does not report it', () => {
    const driver = atWork({ max: 1 });
    driver.claude(WORKFLOW, listed({ agentId: 'm1' }, { agentId: 'm2' }, { agentId: 'm3' }));
    expect(stopped(driver)).toEqual(['w1']);
    expect(decisions(driver.actions).filter((one) => nameOf(one) === 'limit:agents')).toHaveLength(1);
    const end = driver.claude(taskLine('updated', { task_id: 'w1', patch: { status: 'killed' } }), resultLine());
    expect(said(end)).toEqual([
      expect.stringMatching(/^\[ctxb\] a workflow was stopped by a limit.*Go on from where the work stands\.$/s),
    ]);
  });

  it('stops an agent that ended beyond it when it receives a message', () => {
    const driver = atWork({ tokens: 50_000 });
    const usage = { input_tokens: 60_000, output_tokens: 5 };
    driver.claude(STARTED, taskLine('notification', { status: 'completed' }), {
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'report' }] },
      parent_tool_use_id: null,
      tool_use_result: { status: 'completed', agentId: 'a1', agentType: 'Explore', usage },
    });
    expect(stopped(driver)).toEqual([]);
    driver.claude({ ...STARTED, tool_use_id: 't2' }, agentCall(61_000));
    expect(Object.keys(driver.state.work.agents.all)).toEqual(['t1']);
    expect(stopped(driver)).toEqual(['a1']);
  });

  it('reports if claude refuses to stop an agent', () => {
    const driver = atWork({ tokens: 50_000 });
    driver.claude(STARTED, agentCall(60_000));
    const [request_id] =
      Object.entries(driver.state.process.control.pending).findLast(([, what]) => what === 'stop-task') ?? [];
    const response = { subtype: 'error', request_id, error: 'no such task' };
    expect(decisions(driver.claude({ type: 'control_response', response }))).toMatchObject([
      { kind: 'limit', of: 'agents', todo: 'failed' },
    ]);
  });

  it('is only noted in a run that observes', () => {
    const driver = atWork({ tokens: 50_000 }, { mode: 'observe' });
    driver.claude(STARTED, agentCall(60_000), agentCall(61_000));
    expect(decisions(driver.actions).filter((one) => nameOf(one) === 'limit:agents')).toHaveLength(1);
    expect(stopped(driver)).toEqual([]);
  });
});

describe('a background agent that ends during a turn', () => {
  const result = (id: string) => ({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'on its way' }] },
    parent_tool_use_id: null,
  });
  const ended = taskLine('notification', { status: 'completed' });
  const own = { origin: { kind: 'task-notification' } };

  it.each<{ name: string; lines: Line[]; waits: boolean }>([
    {
      name: 'is told with the next call: no turn is waited for',
      lines: [ended, result('t2'), callLine(21_000)],
      waits: false,
    },
    { name: 'is not told without a further tool', lines: [ended], waits: true },
    { name: 'is not told where the turn ends behind the tool', lines: [ended, result('t2')], waits: true },
    { name: 'is not told with a call of a subagent', lines: [ended, result('t2'), agentCall(9_000)], waits: true },
  ])('$name', ({ lines, waits }) => {
    const driver = atWork({});
    driver.claude(STARTED, result('t1'), ...lines);
    driver.callerEnd();
    expect(kinds(driver.claude(resultLine())).includes('end-input')).toBe(!waits);
    if (waits) expect(kinds(driver.claude(initLine(), callLine(22_000), resultLine(own)))).toContain('end-input');
  });
});
