import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { promptLine, runProgram, startWorld } from '../support/claude.ts';
import { mainRequests, userTexts } from '../support/conversation.ts';
import { CTXB, journal, PROTOCOL, prompts, runCtxb, SMALL_WINDOW, startCtxb, untilClosing } from '../support/ctxb.ts';
import { growing } from '../support/handoff.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { firstOf, inSoak, sampled } from '../support/size.ts';
import type { Call } from '../support/standin/scenario.ts';

const FOUR = ['prompt one', 'prompt two', 'prompt three', 'prompt four'];
/** Two turns, the second of which crosses 156,000 tokens, and two short ones. */
const CROSSING = { turns: [4, 4, 1, 1], growBy: 18_000 };
const ONE_RETRY = { CLAUDE_CODE_MAX_RETRIES: '1' };

describe('an API that is not available', () => {
  inSoak.each(
    sampled<{ name: string; summary: Call }>(
      [
        { name: 'resets the connection', summary: { reset: true } },
        { name: 'is overloaded', summary: { error: { status: 529 } } },
        { name: 'limits the rate', summary: { error: { status: 429 } } },
        { name: 'has a fault', summary: { error: { status: 503 } } },
      ],
      4,
    ),
  )('$name during the summary: no handoff, and every prompt is answered', async ({ summary }) => {
    await using world = await startWorld(growing({ ...CROSSING, summary }));
    const record = join(world.scratch.cwd, 'run.ndjson');
    const run = await runCtxb(world, {
      flags: [...prompts(...FOUR), '--record', record],
      claude: SMALL_WINDOW,
      env: ONE_RETRY,
    });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\nanswer 4\n');
    const verdicts = journal(world).flatMap((one) => (one.kind === 'compacted' ? [one.verdict] : []));
    expect(verdicts).toEqual(['unavailable', 'unavailable']);
    expect(kinds(world)).not.toContain('handoff');
    expectEachPromptOnce(world.standin, FOUR);
    await expectSameDecisions(world, record);
  });

  it.each(
    firstOf([
      { name: 'compaction', flags: [], decided: ['compact', 'compacted', 'compact', 'compacted', 'landed'] },
      {
        name: 'handoff',
        flags: ['--strategy', 'handoff'],
        decided: ['handoff', 'put-off', 'handoff', 'handed-over', 'landed'],
      },
    ]),
  )(
    'refuses every connection when a $name is due: nothing is lost, and it follows when the API is back',
    async ({ flags, decided }) => {
      await using world = await startWorld(growing(CROSSING));
      const run = startCtxb(world, { flags, claude: [...PROTOCOL, ...SMALL_WINDOW], env: ONE_RETRY });
      const say = async (prompt: string) => {
        run.send(promptLine(prompt));
        return (await run.waitForLine(({ type }) => type === 'result')).result;
      };
      expect([await say('prompt one'), await say('prompt two')]).toEqual(['answer 1', 'answer 2']);
      await world.standin.down();
      expect(await say('prompt three')).toMatch(/ECONNREFUSED|Connection refused|Unable to connect/);
      await world.standin.up();
      expect(await say('prompt four')).toBe('answer 3');
      expect(await say('prompt five')).toBe('answer 4');
      run.stdin.end();
      expect((await run.finished).code).toBe(0);

      expect(kinds(world)).toEqual(decided);
      const requests = mainRequests(world.standin);
      // What was said in the outage reaches the model with the next prompt, once.
      const [after] = requests.filter((request) => userTexts(request).includes('prompt four'));
      expect(userTexts(after).filter((text) => text === 'prompt three')).toHaveLength(1);
      expect(userTexts(after)).toContain('prompt one');
    },
  );
});

describe('a turn that an outage ends', () => {
  const TWO = ['prompt one', 'prompt two'];
  const ROUND: Call = { tools: [{ name: 'Bash', input: { command: 'echo done', description: 'One' } }] };

  it.each(
    firstOf<{ name: string; failure: Call; times?: number }>([
      { name: '429 without a reset', failure: { error: { status: 429 } } },
      { name: '500', failure: { error: { status: 500 } } },
      { name: '502 with the page of a proxy', failure: { error: { status: 502, html: '<html>Bad Gateway</html>' } } },
      { name: '503', failure: { error: { status: 503 } } },
      { name: '529', failure: { error: { status: 529 } } },
      { name: 'a dropped connection', failure: { reset: true } },
      // claude asks once more for the answer as a whole.
      { name: 'a connection that drops in every answer', failure: { text: 'half an answer', drops: true }, times: 3 },
    ]),
  )('$name: is repeated from its last answer, and reported once', async ({ failure, times = 2 }) => {
    const calls = [ROUND, ...Array.from({ length: times }, () => failure), { text: 'answer 1' }, { text: 'answer 2' }];
    await using world = await startWorld({ calls });
    const record = join(world.scratch.cwd, 'run.ndjson');
    const flags = [...prompts(...TWO), '--record', record];
    const { code, stdout, stderr } = await runCtxb(world, { flags, claude: SMALL_WINDOW, env: ONE_RETRY });
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
    expect(stderr.replace(/\d+\.\d s/, 'a while')).toMatch(
      /^ctxb: the API does not answer: the turn will be repeated\nctxb: the API answers again, after a while: continuing\n$/,
    );
    expect(kinds(world)).toEqual(['wait:begun', 'wait:over']);
    expectEachPromptOnce(world.standin, TWO);
    expect(JSON.stringify(mainRequests(world.standin).at(-1)?.body.messages).match(/tool_result/g)).toHaveLength(1);
    await expectSameDecisions(world, record);
  });

  // How each is told apart is tried with test/core/protocol/failures.test.ts.
  inSoak.each(
    firstOf([
      { name: 'the page of a proxy with status 200', error: { status: 200, html: '<html>Sign in</html>' } },
      { name: 'an empty answer with status 200', error: { status: 200, html: '' } },
      { name: "a gateway's page with status 403", error: { status: 403, html: '<html>Blocked</html>' } },
      { name: 'a page with status 404 behind a first answer', error: { status: 404, html: '<html>Not here</html>' } },
      { name: 'a proxy that wants a password', error: { status: 407, html: '<html>Sign in</html>' } },
    ]),
  )('$name: the prompts wait, and each is answered once', async ({ error }) => {
    await using world = await startWorld({
      calls: (_, index) =>
        index === 0 ? ROUND : kinds(world).includes('wait:begun') ? { text: 'answered' } : { error },
    });
    const { code, stdout } = await runCtxb(world, { flags: prompts(...TWO), claude: SMALL_WINDOW, env: ONE_RETRY });
    expect(stdout.toString()).toBe('answered\nanswered\n');
    expect(code).toBe(0);
    expect(kinds(world)).toEqual(['wait:begun', 'wait:over']);
    expectEachPromptOnce(world.standin, TWO);
  });

  it('404 with a page at the first call means a wrong address: ctxb shows the error and sends the next prompt', async () => {
    const failure: Call = { error: { status: 404, html: '<html>Not here</html>' } };
    await using world = await startWorld({
      calls: (request) => (userTexts(request).at(-1) === TWO[0] ? failure : { text: 'answer 2' }),
    });
    const { code, stdout } = await runCtxb(world, { flags: prompts(...TWO), claude: SMALL_WINDOW, env: ONE_RETRY });
    expect(stdout.toString()).toMatch(/^(?!answer).+\nanswer 2\n$/);
    expect(code).toBe(0);
    expect(kinds(world)).toEqual([]);
  });

  it.each(
    firstOf([
      { status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low to access the API.' },
      { status: 401, type: 'authentication_error', message: 'invalid x-api-key' },
      { status: 402, type: 'billing_error', message: 'The bill is not paid.' },
      { status: 403, type: 'permission_error', message: 'Your organization is disabled.' },
      { status: 404, type: 'not_found_error', message: 'model: claude-sonnet-4-6' },
    ]),
  )('$status $type between two prompts ends the run at once, and --resume-run sends the rest', async (error) => {
    let isPaid = false;
    await using world = await startWorld({
      calls: (request) => {
        const text = userTexts(request).at(-1) ?? '';
        return isPaid || text === TWO[0] ? { text: `answers ${text.split('\n')[0]}` } : { error };
      },
    });
    const run = await runCtxb(world, { flags: prompts(...TWO, 'last'), claude: SMALL_WINDOW, env: ONE_RETRY });
    expect(run.code).toBe(7);
    expect(run.stderr).toContain('2 prompts not answered (“prompt two”, “last”); continue with ctxb run --resume-run');
    isPaid = true;
    const { env, cwd } = world.scratch;
    const again = await runProgram(process.execPath, [CTXB, 'run', '--resume-run'], { env, cwd });
    expect(again.stdout.toString()).toMatch(/^answers .*\nanswers last\n$/);
  });

  it('429 with an API key and one prompt: is an error of the API, not a usage limit', async () => {
    const failure: Call = { error: { status: 429 }, headers: { 'retry-after': '1' } };
    await using world = await startWorld({ calls: [failure, failure] });
    const { code, stdout, stderr } = untilClosing(
      await runCtxb(world, { claude: [...SMALL_WINDOW, '-p', 'one'], env: ONE_RETRY }),
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.toString()).toMatch(/429/);
  });

  it('429 that asks for two hours, with an API key: ends the run at once, as a usage limit', async () => {
    const failure: Call = { error: { status: 429 }, headers: { 'retry-after': '7200' } };
    await using world = await startWorld({ calls: [{ text: 'answer 1' }, failure] });
    const flags = prompts(...TWO, 'prompt three');
    const { code, stdout, stderr } = await runCtxb(world, { flags, claude: SMALL_WINDOW, env: ONE_RETRY });
    expect(code).toBe(5);
    expect(stdout.toString()).toMatch(/^answer 1\n.*429.*\n$/);
    expect(stderr).toContain('the usage limit is reached; claude does not say when it resets');
    expect(stderr).toContain(
      '2 prompts not answered (“prompt two”, “prompt three”); continue with ctxb run --resume-run',
    );
    expect(mainRequests(world.standin)).toHaveLength(2);
  });

  inSoak('by a refused connection is repeated when the API is back', async () => {
    await using world = await startWorld({ calls: [{ text: 'answer 1' }, { text: 'answer 2' }] });
    await world.standin.down();
    const run = startCtxb(world, { flags: prompts(...TWO), claude: SMALL_WINDOW, env: ONE_RETRY });
    run.stdin.end();
    await expect.poll(() => kinds(world), { timeout: 30_000 }).toEqual(['wait:begun']);
    await world.standin.up();
    const { code, stdout } = await run.finished;
    expect({ code, stdout: stdout.toString() }).toEqual({ code: 0, stdout: 'answer 1\nanswer 2\n' });
    const [first, second] = mainRequests(world.standin).map(userTexts);
    expect(first?.filter((text) => text === 'prompt one')).toHaveLength(1);
    expect(second?.filter((text) => TWO.includes(text))).toEqual(TWO);
  });

  inSoak.each(
    sampled([
      { name: 'and one prompt: is an error at once', flags: ['--prompt', 'one'], ends: 1, decided: [] },
      {
        name: 'and --outage-wait: is an error after it',
        flags: ['--prompt', 'one', '--outage-wait', '3s'],
        ends: 7,
        decided: ['wait:begun', 'wait:over', 'left-undone'],
      },
    ]),
  )('for a name that cannot be resolved $name', async ({ flags, ends, decided }) => {
    await using world = await startWorld({ calls: [] });
    const env = { ...ONE_RETRY, ANTHROPIC_BASE_URL: 'http://nowhere.invalid/' };
    const { code, stdout } = await runCtxb(world, { flags, claude: SMALL_WINDOW, env });
    expect(code).toBe(ends);
    expect(stdout.toString()).toMatch(/^API Error: .*\n$/);
    expect(kinds(world)).toEqual(decided);
  });
});
