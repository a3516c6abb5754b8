import { describe, expect, it } from 'vitest';
import { runProgram, startProgram, startWorld, type World } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journal, journalLines, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { ASKED, growing } from '../support/handoff.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call, Calls, RecordedRequest, Scenario } from '../support/standin/scenario.ts';
import { limited, limitHeaders, SUBSCRIPTION } from '../support/usage-limits.ts';

const TWO = ['prompt one', 'prompt two'];
const HOURS = 7_200_000;
const TOOL: Call = { tools: [{ name: 'Bash', input: { command: 'echo done', description: 'One' } }] };
const TIME = /\w{3}, \w{3} \d+, \d\d:\d\d/;

/** claude with a subscription: a list of answers, made when they are asked for. */
function answering(...calls: readonly (Call | (() => Call))[]) {
  return startWorld({
    calls(_, index) {
      const call = calls[index] ?? { text: 'nothing more' };
      return typeof call === 'function' ? call() : call;
    },
  });
}

function run(world: World, flags: readonly string[] = [], env: object = {}) {
  return runCtxb(world, {
    flags: [...prompts(...TWO), ...flags],
    claude: SMALL_WINDOW,
    env: { ...SUBSCRIPTION, ...env },
  });
}

/** claude does not wait by itself: whoever sets the variable decides. */
const NO_WATCHDOG = { CLAUDE_CODE_RETRY_WATCHDOG: '0' };

/** `ctxb run --resume-run`, with the claude that the run was begun with. */
function resume(world: World, ...flags: readonly string[]) {
  const { env, cwd } = world.scratch;
  return runProgram(process.execPath, [CTXB, 'run', '--resume-run', ...flags], {
    env: { ...env, ...SUBSCRIPTION },
    cwd,
  });
}

describe('a usage limit', () => {
  it('ends the run with 5, and --resume-run answers the other prompts', async () => {
    await using world = await answering(TOOL, () => limited(HOURS), { text: 'answer 1' }, { text: 'answer 2' });
    const first = await run(world);
    expect(first.code).toBe(5);
    expect(first.stdout.toString()).toMatch(/^You've hit your (?:5-hour|session) limit/);
    expect(first.stderr.replace(TIME, 'TIME')).toBe(
      [
        'ctxb: the five-hour usage limit is reached; it resets TIME\n',
        'ctxb: the run has ended at a usage limit: 2 prompts not answered (“prompt one”, “prompt two”); continue with ctxb run --resume-run --at-reset\n',
      ].join(''),
    );
    expect(journal(world)).toContainEqual(expect.objectContaining({ kind: 'limit', of: 'usage', limit: 'five_hour' }));
    const second = await resume(world);
    expect({ code: second.code, stdout: second.stdout.toString() }).toEqual({
      code: 0,
      stdout: 'answer 1\nanswer 2\n',
    });
    expectEachPromptOnce(world.standin, TWO);
    // The tool's round was kept.
    expect(JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages)).toContain('tool_result');
  });

  inSoak('keeps the count of started subagents for the resumed run', async () => {
    const input = { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose', run_in_background: false };
    const agent: Call = { tools: [{ name: 'Agent', input }] };
    await using world = await answering(agent, () => limited(HOURS), agent, { text: 'answer 1' });
    const first = await run(world, ['--max-agents', '1']);
    expect(first.code).toBe(5);
    const second = await resume(world);
    expect(second.code).toBe(0);
    expect(world.standin.requests.filter(({ kind }) => kind === 'subagent')).toHaveLength(1);
    expect(JSON.stringify(mainRequests(world.standin).map(({ body }) => body))).toContain(
      'This work may use 1 subagent in all, and has used them',
    );
  });

  inSoak('makes --resume-run --at-reset wait', async () => {
    await using world = await answering(() => limited(10_000), { text: 'answer 1' }, { text: 'answer 2' });
    expect((await run(world)).code).toBe(5);
    const resetsAt = journal(world).find((one) => one.kind === 'limit' && one.of === 'usage')?.resetsAt ?? 0;
    const second = await resume(world, '--at-reset');
    expect({ code: second.code, stdout: second.stdout.toString() }).toEqual({
      code: 0,
      stdout: 'answer 1\nanswer 2\n',
    });
    expect(second.stderr).toMatch(/run \w{8} waits until /);
    expect(mainRequests(world.standin)[1]?.at).toBeGreaterThanOrEqual(resetsAt);
    expectEachPromptOnce(world.standin, TWO);
  });

  inSoak('lets only one ctxb wait with --at-reset', async () => {
    await using world = await answering(() => limited(HOURS));
    expect((await run(world)).code).toBe(5);
    const { env, cwd } = world.scratch;
    const args = [CTXB, 'run', '--resume-run', '--at-reset'];
    const waiting = startProgram(process.execPath, args, { env: { ...env, ...SUBSCRIPTION }, cwd });
    const starts = () => journalLines(world).filter(({ kind }) => kind === 'start').length;
    await expect.poll(starts, { timeout: 30_000 }).toBe(2);
    const second = await resume(world, '--at-reset');
    expect(second).toMatchObject({ code: 2, stderr: expect.stringContaining('is still active') });
    waiting.kill('SIGINT');
    expect(await waiting.finished).toMatchObject({ signal: 'SIGINT' });
    expect((await resume(world)).code).toBe(0);
    expectEachPromptOnce(world.standin, TWO);
  });

  inSoak('lets one of two crontabs wait, and each prompt is sent once', async () => {
    await using world = await answering(() => limited(8_000), { text: 'answer 1' }, { text: 'answer 2' });
    expect((await run(world)).code).toBe(5);
    const runs = await Promise.all([resume(world, '--at-reset'), resume(world, '--at-reset')]);
    expect(runs.map(({ code }) => code).sort()).toEqual([0, 2]);
    expect(runs.map(({ stdout }) => stdout.toString()).join('')).toBe('answer 1\nanswer 2\n');
    expectEachPromptOnce(world.standin, TWO);
  });

  it.each(
    sampled(
      [
        { by: 'claude', where: 'at the first call', before: [], env: {}, waits: 'claude waits' },
        { by: 'claude', where: 'in mid-turn', before: [TOOL], env: {}, waits: 'claude waits' },
        { by: 'ctxb', where: 'at the first call', before: [], env: NO_WATCHDOG, waits: 'waiting' },
        { by: 'ctxb', where: 'in mid-turn', before: [TOOL], env: NO_WATCHDOG, waits: 'waiting' },
      ],
      4,
    ),
  )('makes $by wait $where, and each prompt is answered once', async ({ before, env, waits }) => {
    await using world = await answering(...before, () => limited(1_000), { text: 'answer 1' }, { text: 'answer 2' });
    const record = 'run.ndjson';
    const { code, stdout, stderr } = await run(world, ['--limit-wait', '1h', '--record', record], env);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
    const said = stderr.replace(TIME, 'TIME').replace(/\d+\.\d s/, 'a while');
    expect(said).toBe(
      `ctxb: the five-hour usage limit is reached: ${waits} until TIME (Ctrl-C ends the run, ctxb run --resume-run continues it)\nctxb: the API answers again, after a while: continuing\n`,
    );
    expect(kinds(world)).toEqual(['wait:begun', 'wait:over']);
    expectEachPromptOnce(world.standin, TWO);
    await expectSameDecisions(world, `${world.scratch.cwd}/${record}`);
  });

  inSoak('of an API key, which claude alone knows, makes claude wait', async () => {
    await using world = await answering(() => limited(3_000), { text: 'answer 1' }, { text: 'answer 2' });
    const flags = [...prompts(...TWO), '--limit-wait', '1h'];
    const { code, stdout } = await runCtxb(world, { flags, claude: SMALL_WINDOW });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
    expect(mainRequests(world.standin)).toHaveLength(3);
    expectEachPromptOnce(world.standin, TWO);
  });

  inSoak('of an API key that resets later than the wait causes no second call', async () => {
    await using world = await answering(() => ({
      ...limited(HOURS),
      headers: { ...limited(HOURS).headers, 'retry-after': '7200' },
    }));
    const flags = [...prompts(...TWO), '--limit-wait', '1m'];
    const { code, stderr } = await runCtxb(world, { flags, claude: SMALL_WINDOW });
    expect(code).toBe(5);
    expect(stderr).toContain('it resets later than --limit-wait 1 min allows\n');
    expect(stderr).toContain(
      '2 prompts not answered (“prompt one”, “prompt two”); continue with ctxb run --resume-run',
    );
    expect(mainRequests(world.standin)).toHaveLength(1);
  });

  inSoak('that resets later than the wait ends the run', async () => {
    await using world = await answering(() => limited(HOURS));
    expect((await run(world, ['--limit-wait', '1h'])).code).toBe(5);
    expect(mainRequests(world.standin)).toHaveLength(1);
  });

  inSoak('whose reset is past is retried after a pause', async () => {
    await using world = await answering(() => limited(-60_000), { text: 'answer 1' }, { text: 'answer 2' });
    const { code, stdout } = await run(world, ['--limit-wait', '3s'], NO_WATCHDOG);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
  });

  inSoak.each(
    sampled([
      { by: 'claude', env: {}, said: /^$/ },
      { by: 'ctxb', env: NO_WATCHDOG, said: /^You've hit your (?:5-hour|session) limit/ },
    ]),
  )('stops making $by wait when the person presses Ctrl-C', async ({ env, said }) => {
    await using world = await answering(() => limited(HOURS), { text: 'answer 1' }, { text: 'answer 2' });
    const waiting = await untilWait(world, env);
    waiting.kill('SIGINT');
    const { signal, stdout } = await waiting.finished;
    expect(signal).toBe('SIGINT');
    expect(stdout.toString()).toMatch(said);
    const second = await resume(world);
    expect(second.stdout.toString()).toBe('answer 1\nanswer 2\n');
    expectEachPromptOnce(world.standin, TWO);
  });

  inSoak.each(
    sampled(
      [
        { signal: 'SIGTERM', by: 'claude', env: {} },
        { signal: 'SIGKILL', by: 'claude', env: {} },
        { signal: 'SIGTERM', by: 'ctxb', env: NO_WATCHDOG },
        { signal: 'SIGKILL', by: 'ctxb', env: NO_WATCHDOG },
      ] as const,
      3,
    ),
  )('that $by waits for: after $signal the run can be resumed', async ({ signal, env }) => {
    await using world = await answering(() => limited(HOURS), { text: 'answer 1' }, { text: 'answer 2' });
    const waiting = await untilWait(world, env);
    waiting.kill(signal);
    const end = await waiting.finished;
    expect(end).toMatchObject(signal === 'SIGTERM' ? { code: 143 } : { signal });
    const second = await resume(world);
    expect(second.stdout.toString()).toBe('answer 1\nanswer 2\n');
    expectEachPromptOnce(world.standin, TWO);
  });
});

/** Refuses the first calls of a scenario that fit, for a limit that resets soon. */
function limitedOnce(scenario: Scenario, fits: (request: RecordedRequest) => boolean): Scenario {
  let resetsAt: number | undefined;
  const refuse = (request: RecordedRequest) => {
    if (resetsAt === undefined && fits(request)) resetsAt = Date.now() + 2_000;
    return resetsAt !== undefined && Date.now() < resetsAt ? limited(resetsAt - Date.now()) : undefined;
  };
  const wrap =
    (calls: (request: RecordedRequest, index: number) => Call) => (request: RecordedRequest, index: number) =>
      refuse(request) ?? calls(request, index);
  const given = (calls: Calls | undefined) => (typeof calls === 'function' ? calls : queueOf(calls));
  return {
    calls: wrap(given(scenario.calls)),
    subagentCalls: wrap(given(scenario.subagentCalls)),
    summary: wrap(typeof scenario.summary === 'function' ? scenario.summary : () => ({ text: '' })),
  };
}

/** A list that a refusal uses nothing up of. */
function queueOf(calls: readonly Call[] = []): () => Call {
  const left = [...calls];
  return () => left.shift() ?? { text: 'nothing more' };
}

const AGENT = { description: 'Look', prompt: 'Look', subagent_type: 'general-purpose', run_in_background: false };
const CROSSING = { turns: [4, 4, 1, 1], growBy: 18_000 };
const FOUR = ['prompt one', 'prompt two', 'prompt three', 'prompt four'];

describe.each(
  sampled([
    {
      by: 'claude',
      env: {},
      decided: {
        compaction: ['compact', 'wait:begun', 'compacted', 'wait:over', 'landed'],
        handoff: ['handoff', 'wait:begun', 'wait:over', 'handed-over', 'landed'],
      },
      // The subagent waits too.
      report: '\\n  looked\\n',
    },
    {
      by: 'ctxb',
      env: NO_WATCHDOG,
      decided: {
        compaction: ['compact', 'compacted', 'wait:begun', 'wait:over', 'compact', 'compacted', 'landed'],
        handoff: ['handoff', 'put-off', 'wait:begun', 'wait:over', 'handoff', 'handed-over', 'landed'],
      },
      report: 'Agent terminated early due to an API error',
    },
  ]),
)('a limit that $by waits for', ({ env, decided, report }) => {
  inSoak.each([
    { during: 'compaction', flags: [], fits: ({ kind }: RecordedRequest) => kind === 'summary' },
    {
      during: 'handoff',
      flags: ['--strategy', 'handoff'],
      fits: (request: RecordedRequest) => userTexts(request).some((text) => text.includes(ASKED)),
    },
  ] as const)('during a $during: each prompt is answered once', async ({ during, flags, fits }) => {
    await using world = await startWorld(limitedOnce(growing(CROSSING), fits));
    const all = [...prompts(...FOUR), ...flags, '--limit-wait', '1h'];
    const { stdout, code } = await runCtxb(world, {
      flags: all,
      claude: SMALL_WINDOW,
      env: { ...SUBSCRIPTION, ...env },
    });
    expect({ code, stdout: stdout.toString() }).toEqual({
      code: 0,
      stdout: 'answer 1\nanswer 2\nanswer 3\nanswer 4\n',
    });
    expect(kinds(world)).toEqual(decided[during]);
    expectEachPromptOnce(world.standin, FOUR);
  });

  inSoak('while a subagent works', async () => {
    const calls = [{ tools: [{ name: 'Agent', input: AGENT }] }, { text: 'answer 1' }, { text: 'answer 2' }];
    const scenario = limitedOnce({ calls, subagentCalls: [{ text: 'looked' }] }, ({ kind }) => kind === 'subagent');
    await using world = await startWorld(scenario);
    const { stdout, code } = await run(world, ['--limit-wait', '1h'], env);
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
    expect(JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages)).toContain(report);
    expect(kinds(world)).toEqual(['wait:begun', 'wait:over']);
    expectEachPromptOnce(world.standin, TWO);
  });
});

it('the status line shows the used share of a limit', async () => {
  const near: Call = { headers: limitHeaders({ status: 'allowed_warning', share: 0.92, resetsInMs: HOURS }) };
  await using world = await answering({ ...TOOL, ...near }, { text: 'answer 1', ...near });
  const { stderr } = await run(world, ['--status-line', 'always']);
  expect(stderr).toContain(' · five-hour 92%');
});

/** A run that waits for hours. */
async function untilWait(world: World, env: object) {
  const running = startCtxb(world, {
    flags: [...prompts(...TWO), '--limit-wait', '1d'],
    claude: [...SMALL_WINDOW, '--output-format', 'text'],
    env: { ...SUBSCRIPTION, ...env },
  });
  running.stdin.end();
  await expect.poll(() => (kinds(world).includes('wait:begun') ? 'waits' : ''), { timeout: 30_000 }).toBe('waits');
  return running;
}
