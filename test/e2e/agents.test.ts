import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RecordedSubagent } from '../../src/replay/recorded-items.ts';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { runProgram, startWorld, type World } from '../support/claude.ts';
import { CTXB, journal, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectSameDecisions } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

function agent(name: string, more: object = {}) {
  const input = { description: name, prompt: `DO ${name}`, subagent_type: 'general-purpose', run_in_background: false };
  return { name: 'Agent', input: { ...input, ...more } };
}

/** A workflow that runs so many agents side by side, `w1` and so on. */
function workflow(count: number) {
  const numbers = JSON.stringify(Array.from({ length: count }, (_, index) => index + 1));
  const script = `export const meta = { name: 'fan', description: 'fan out', phases: [{ title: 'One', detail: 'x' }] }
phase('One')
return await parallel(${numbers}.map(n => () => agent('DO w' + n, { label: 'w' + n, phase: 'One' })))`;
  return { name: 'Workflow', input: { script } };
}

const ECHO = { name: 'Bash', input: { command: 'echo inner', description: 'Look' } };

const said = ({ body }: RecordedRequest) => JSON.stringify(body.messages);
const isFor = (request: RecordedRequest, name: string) =>
  JSON.stringify(request.body.messages?.[0]).includes(`DO ${name}`);

/** An agent whose calls each read 10,000 tokens more, to the end of its tools; what it had before is cached. */
function works(request: RecordedRequest, tools: number): Call {
  const done = said(request).split('"tool_result"').length - 1;
  const usage = { cacheRead: done === 0 ? 0 : 10_000 + 10_000 * done, cacheCreation: done === 0 ? 20_000 : 10_000 };
  return done < tools ? { tools: [ECHO], usage, delayMs: 50 } : { text: 'the agent is done', usage };
}

/** The main thread uses these tools at once, and is done. */
const uses =
  (...tools: { name: string; input: object }[]) =>
  (_: unknown, index: number) =>
    index === 0 ? { tools } : { text: 'done' };

/** Runs one prompt; a replay of its record decides the same. */
async function run(world: World, ...flags: string[]) {
  return runWith(world, [], ...flags);
}

async function runWith(world: World, more: readonly string[], ...flags: string[]) {
  const record = join(world.scratch.cwd, 'run.ndjson');
  const claude = [...SMALL_WINDOW, ...more];
  const { code, stderr } = await runCtxb(world, { flags: [...flags, '--record', record, ...prompts('go')], claude });
  expect(code).toBe(0);
  await expectSameDecisions(world, record);
  return { record, notices: stderr.split('\n').filter((line) => !line.includes('record')) };
}

const decisions = (world: World) =>
  journal(world).flatMap((one) =>
    one.kind === 'limit' && one.of === 'agents' ? [`${one.todo} ${one.agent}: ${one.reason}`] : [],
  );

const requestsOf = ({ standin }: World, kind: string, name = '') =>
  standin.requests.filter((request) => request.kind === kind && (name === '' || isFor(request, name)));

const lastOf = (world: World, kind: string, name = '') => said(requestsOf(world, kind, name).at(-1) as RecordedRequest);

const REFUSED = 'in all, and has used them: do this step yourself, without a subagent or a workflow.';

describe('more subagents than a run may start', () => {
  it('refuses the third of three at once, and tells the agent why', async () => {
    await using world = await startWorld({ calls: uses(agent('A'), agent('B'), agent('C')) });
    const { notices } = await run(world, '--max-agents', '2');
    expect(requestsOf(world, 'subagent')).toHaveLength(2);
    expect(lastOf(world, 'main')).toContain(`This work may use 2 subagents ${REFUSED}`);
    expect(notices).toContain('ctxb: refused a further subagent: the limit of this run is 2 subagents');
  });

  inSoak('refuses a subagent of a subagent, and a workflow when the limit is used up', async () => {
    await using world = await startWorld({
      calls: (_, index) => [{ tools: [agent('outer')] }, { tools: [workflow(2)] }][index] ?? { text: 'done' },
      subagentCalls: (request) =>
        said(request).includes('tool_result') ? { text: 'ok' } : { tools: [agent('inner')] },
    });
    await run(world, '--max-agents', '1');
    expect(requestsOf(world, 'subagent')).toHaveLength(2);
    expect(lastOf(world, 'subagent')).toContain(`This work may use 1 subagent ${REFUSED}`);
    expect(lastOf(world, 'main').split(REFUSED)).toHaveLength(2);
  });

  inSoak('a workflow that starts more than are left is stopped, and ctxb tells its parent', async () => {
    await using world = await startWorld({ calls: uses(workflow(5)), subagentCalls: (request) => works(request, 4) });
    await run(world, '--max-agents', '2');
    expect(decisions(world)).toEqual(['stop a workflow: the limit of this run is 2 subagents']);
    // How many begin at once depends on the machine.
    expect(requestsOf(world, 'subagent').length).toBeLessThan(20);
    expect(lastOf(world, 'main')).toContain(
      'a workflow was stopped by a limit of this run, not by the user: the limit of this run is 2 subagents.',
    );
  });
});

describe('a subagent that crosses its bound is stopped, and ctxb tells its parent', () => {
  const WHY = 'was stopped by a limit of this run, not by the user: it has used';

  it.each(
    sampled([
      { name: 'one that the turn waits for', more: {} },
      { name: 'one in the background', more: { run_in_background: true } },
    ]),
  )('$name', async ({ more }) => {
    await using world = await startWorld({
      calls: uses(agent('A', more)),
      subagentCalls: (request) => works(request, 20),
    });
    await run(world, '--max-agent-tokens', '100000');
    expect(decisions(world)).toEqual([
      expect.stringMatching(/^stop the subagent "A" \(general-purpose\): it has used 1[0-4]\d{4} tokens of 100000$/),
    ]);
    expect(requestsOf(world, 'subagent').length).toBeLessThan(7);
    expect(lastOf(world, 'main').split(WHY)).toHaveLength(2);
  });

  it('one that writes far more than the stream shows; another one next to it continues', async () => {
    await using world = await startWorld({
      calls: uses(agent('A'), agent('B')),
      subagentCalls(request) {
        const call = works(request, isFor(request, 'A') ? 20 : 6);
        return isFor(request, 'A') ? { ...call, usage: { ...call.usage, output: 10_000 }, delayMs: 300 } : call;
      },
    });
    await run(world, '--max-agent-cost', '0.5');
    expect(decisions(world)).toEqual([
      expect.stringMatching(/^stop the subagent "A" \(general-purpose\): it has cost about \$0\.\d\d of \$0\.50$/),
    ]);
    // The third call crosses the limit; claude's log has its tokens when the next one was made.
    expect(requestsOf(world, 'subagent', 'A').length).toBeLessThanOrEqual(4);
    expect(requestsOf(world, 'subagent', 'B')).toHaveLength(7);
  });

  it.each(
    sampled([
      { limit: ['--max-agent-cost', '0.3'], why: 'cost about $0.3' },
      { limit: ['--max-agent-tokens', '60000'], why: 'used 6' },
    ]),
  )("one that keeps no log, by claude's own counter: $limit", async ({ limit, why }) => {
    await using world = await startWorld({
      calls: uses(agent('A')),
      subagentCalls: () => ({ tools: [ECHO], usage: { cacheRead: 20_000, output: 10_000 }, delayMs: 300 }),
    });
    await runWith(world, ['--no-session-persistence'], ...limit);
    expect(decisions(world)).toEqual([
      expect.stringContaining(`stop the subagent "A" (general-purpose): it has ${why}`),
    ]);
    // The second call crosses the limit, which is known once its tool has run.
    expect(requestsOf(world, 'subagent').length).toBeLessThanOrEqual(3);
  });

  it.each(
    sampled([
      { kept: 'a log', claude: [] },
      { kept: 'no log', claude: ['--no-session-persistence'] },
    ]),
  )('one of another subagent, whose context does not grow, with $kept', async ({ claude }) => {
    await using world = await startWorld({
      calls: uses(agent('outer')),
      subagentCalls(request) {
        if (isFor(request, 'inner'))
          return { ...works(request, 12), usage: { cacheRead: 20_000, output: 10_000 }, delayMs: 300 };
        return said(request).includes('tool_result') ? { text: 'ok' } : { tools: [agent('inner')] };
      },
    });
    await runWith(world, claude, '--max-agent-cost', '0.3');
    expect(decisions(world)).toEqual([
      expect.stringMatching(/^stop the subagent "inner" \(general-purpose\): it has cost/),
    ]);
    expect(requestsOf(world, 'subagent', 'inner').length).toBeLessThanOrEqual(4);
  });

  inSoak('one of another subagent, whose calls the stream does not show', async () => {
    await using world = await startWorld({
      calls: uses(agent('outer')),
      subagentCalls(request) {
        if (isFor(request, 'inner')) return works(request, 20);
        return said(request).includes('tool_result') ? { text: 'ok' } : { tools: [agent('inner')] };
      },
    });
    await run(world, '--max-agent-cost', '0.2');
    expect(decisions(world)).toEqual([
      expect.stringMatching(/^stop the subagent "inner" \(general-purpose\): it has cost about \$0\.2\d of \$0\.20$/),
    ]);
    expect(requestsOf(world, 'subagent', 'inner').length).toBeLessThan(7);
    expect(lastOf(world, 'subagent', 'outer')).toContain('was stopped by a limit of this run, not by the user');
    expect(lastOf(world, 'main')).not.toContain('was stopped, not by the user');
  });

  inSoak('one of a workflow, after its next tool; the workflow continues', async () => {
    await using world = await startWorld({
      calls: uses(workflow(2)),
      subagentCalls: (request) => works(request, isFor(request, 'w1') ? 20 : 2),
    });
    await run(world, '--max-agent-tokens', '300000');
    const [first] = decisions(world);
    expect(first).toMatch(/^stop a workflow's subagent "w1": it has used about 3\d{5} tokens of 300000$/);
    expect(requestsOf(world, 'subagent', 'w1').length).toBeLessThan(10);
    expect(lastOf(world, 'main')).toContain(WHY);
  });
});

inSoak(
  "the figures of subagents in a run are those of claude's logs, except for what the stream does not show",
  async () => {
    await using world = await startWorld({
      calls: (_, index) => [{ tools: [agent('outer')] }, { tools: [workflow(2)] }][index] ?? { text: 'done' },
      subagentCalls(request) {
        if (!isFor(request, 'outer')) return works(request, 3);
        return said(request).includes('tool_result') ? { text: 'ok' } : { tools: [agent('inner')] };
      },
    });
    const { record } = await run(world);
    const live = (await replayed(world, record)).sort(byCalls);
    const logged = (await replayed(world, world.scratch.env.CLAUDE_CONFIG_DIR ?? '')).sort(byCalls);
    expect(live.map(({ estimated }) => estimated)).toEqual([false, true, true, true]);
    expect(logged.map(({ estimated }) => estimated)).toEqual([false, false, false, false]);
    expect(live.map(({ calls, peak }) => [calls, Math.round(peak / 1000)])).toEqual(
      logged.map(({ calls, peak }) => [calls, Math.round(peak / 1000)]),
    );
    // Estimated from how far claude says that an agent has come, which it says less often on a busy machine.
    for (const [index, { tokens, usd }] of live.entries()) {
      expect(tokens / (logged[index]?.tokens ?? 0)).toBeGreaterThan(0.6);
      expect(tokens / (logged[index]?.tokens ?? 0)).toBeLessThan(1.6);
      expect((usd ?? 0) / (logged[index]?.usd ?? 0)).toBeGreaterThan(0.6);
      expect((usd ?? 0) / (logged[index]?.usd ?? 0)).toBeLessThan(1.6);
    }
  },
);

const byCalls = (a: RecordedSubagent, b: RecordedSubagent) => a.calls - b.calls;

async function replayed(world: World, path: string): Promise<RecordedSubagent[]> {
  const { env, cwd } = world.scratch;
  const { stdout } = await runProgram(process.execPath, [CTXB, 'replay', '--json', path], { env, cwd });
  const { sessions } = JSON.parse(stdout.toString()) as ReplayReport;
  return sessions.flatMap(({ subagents }) => [...subagents]);
}

it('a run ends with its turn if the turn has learned that its background agent ended', async () => {
  const wait = { name: 'Bash', input: { command: 'node -e "setTimeout(() => {}, 700)"', description: 'Wait' } };
  await using world = await startWorld({
    calls: (_, index) =>
      index < 5 ? { tools: [index === 0 ? agent('A', { run_in_background: true }) : wait] } : { text: 'done' },
  });
  const { code, stdout } = await runCtxb(world, { flags: prompts('go'), claude: [...SMALL_WINDOW] });
  expect([code, String(stdout)]).toEqual([0, 'done\n']);
  expect(lastOf(world, 'main').split('<task-notification>')).toHaveLength(2);
});
