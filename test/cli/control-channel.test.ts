import { describe, expect, it } from 'vitest';
import { PROTOCOL } from '../support/ctxb.ts';
import { inSoak, sampled } from '../support/size.ts';
import { createPlace, gist, inputLines, inputOf, runFake, STREAM, startFake } from './fakes.ts';

const TOOL_HOOKS = {
  PreToolUse: [{ matcher: '^(?:Read|Grep|Glob)$', hookCallbackIds: ['ctxb:pre-tool-use'] }],
  PostToolUse: [{ matcher: '*', hookCallbackIds: ['ctxb:post-tool-use'] }],
  PostToolUseFailure: [{ matcher: '*', hookCallbackIds: ['ctxb:post-tool-use-failure'] }],
};

const PROMPT = '{"type":"user","message":{"role":"user","content":"one"},"parent_tool_use_id":null,"session_id":""}';
const INITIALIZE = {
  type: 'control_request',
  request_id: 'mine-1',
  request: {
    subtype: 'initialize',
    agents: { reviewer: { prompt: 'review' } },
    hooks: {
      PreCompact: [{ matcher: null, hookCallbackIds: ['mine'] }],
      PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['tool'] }],
    },
  },
};

function parsed(stdout: Buffer): Record<string, unknown>[] {
  return stdout
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function subtypeOf({ request }: Record<string, unknown>): unknown {
  return (request as { subtype?: string } | undefined)?.subtype;
}

describe('the lines claude gets', () => {
  it('are our initialize, the prompt, and a question for the context once a relief may pay', async () => {
    await using place = await createPlace();
    await runFake(place, {
      fake: 'answers',
      flags: ['--prompt', 'one', '--prompt', 'two'],
      env: { PLAY_INPUT: place.path('input'), PLAY_CONTEXTS: '50000' },
    });
    const [first, second, ...others] = inputLines(place);
    expect(first).toEqual({
      type: 'control_request',
      request_id: expect.stringMatching(/^ctxb:/),
      request: {
        subtype: 'initialize',
        hooks: {
          PreCompact: [{ matcher: null, hookCallbackIds: ['ctxb:pre-compact'] }],
          SessionStart: [{ matcher: null, hookCallbackIds: ['ctxb:session-start'] }],
          PostCompact: [{ matcher: null, hookCallbackIds: ['ctxb:post-compact'] }],
          UserPromptSubmit: [{ matcher: null, hookCallbackIds: ['ctxb:user-prompt-submit'] }],
          ...TOOL_HOOKS,
        },
      },
    });
    expect(second).toMatchObject({ type: 'user', message: { content: 'one' } });
    expect(others).toContainEqual(
      expect.objectContaining({
        request_id: expect.stringMatching(/^ctxb:/),
        request: { subtype: 'get_context_usage', detail: 'summary' },
      }),
    );
    expect(others.map(subtypeOf)).not.toContain('initialize');
  });

  it('are only our initialize and the prompt if there is one prompt', async () => {
    await using place = await createPlace();
    await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'], env: { PLAY_INPUT: place.path('input') } });
    expect(inputLines(place)).toMatchObject([
      { request: { subtype: 'initialize' } },
      { type: 'user', message: { content: 'one' } },
    ]);
  });

  it("place claude's trigger once a relief may pay", async () => {
    await using place = await createPlace();
    const flags = ['--prompt', 'one', '--prompt', 'two'];
    await runFake(place, { fake: 'answers', flags, env: { PLAY_INPUT: place.path('input'), PLAY_CONTEXTS: '50000' } });
    const placed = inputLines(place).filter((line) => subtypeOf(line) === 'apply_flag_settings');
    expect(placed).toMatchObject([{ request: { settings: { env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000' } } } }]);
  });

  it.each(
    sampled(
      [
        { title: '--no-mid-turn', flags: ['--no-mid-turn'], env: {} },
        {
          title: "the caller's own CLAUDE_CODE_AUTO_COMPACT_WINDOW",
          flags: [],
          env: { CLAUDE_CODE_AUTO_COMPACT_WINDOW: '150000' },
        },
        { title: "the caller's own DISABLE_AUTO_COMPACT", flags: [], env: { DISABLE_AUTO_COMPACT: '1' } },
      ],
      3,
    ),
  )('do not move the trigger with $title', async ({ flags, env }) => {
    await using place = await createPlace();
    await runFake(place, {
      fake: 'answers',
      flags: [...flags, '--prompt', 'one'],
      env: { ...env, PLAY_INPUT: place.path('input') },
    });
    expect(inputLines(place).map(subtypeOf)).not.toContain('apply_flag_settings');
  });

  inSoak('are valid lines', async () => {
    await using place = await createPlace();
    const flags = ['--prompt', 'one\ntwo', '--prompt', 'three'];
    await runFake(place, { fake: 'answers', flags, env: { PLAY_INPUT: place.path('input') } });
    expect((await inputOf(place)).endsWith('\n')).toBe(true);
    expect(inputLines(place).every(({ type }) => type === 'user' || type === 'control_request')).toBe(true);
  });
});

describe("the answers to ctxb's own requests", () => {
  it('are hidden', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one'], claude: STREAM });
    expect(parsed(run.stdout).map(gist)).toEqual(['init', 'answer to one', 'result answer to one']);
    expect(run.stdout.toString()).not.toContain('ctxb:');
  });

  inSoak('are hidden also with --show-injected, because they are no turn', async () => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake: 'answers',
      flags: ['--show-injected', '--prompt', 'one'],
      claude: STREAM,
    });
    expect(run.stdout.toString()).not.toContain('"ctxb:');
  });
});

describe('a caller that speaks the protocol', () => {
  it('has our hooks merged into its initialize, and gets the answer', async () => {
    await using place = await createPlace();
    const stdin = `${JSON.stringify(INITIALIZE)}\n${PROMPT}\n`;
    const run = await runFake(place, {
      fake: 'answers',
      claude: PROTOCOL,
      stdin,
      env: { PLAY_INPUT: place.path('input') },
    });
    expect(run.code).toBe(0);
    const got = inputLines(place).filter((line) => subtypeOf(line) === 'initialize');
    expect(got).toEqual([
      {
        ...INITIALIZE,
        request: {
          ...INITIALIZE.request,
          hooks: {
            PreCompact: [
              ...INITIALIZE.request.hooks.PreCompact,
              { matcher: null, hookCallbackIds: ['ctxb:pre-compact'] },
            ],
            SessionStart: [{ matcher: null, hookCallbackIds: ['ctxb:session-start'] }],
            PostCompact: [{ matcher: null, hookCallbackIds: ['ctxb:post-compact'] }],
            UserPromptSubmit: [{ matcher: null, hookCallbackIds: ['ctxb:user-prompt-submit'] }],
            ...TOOL_HOOKS,
            PreToolUse: [...INITIALIZE.request.hooks.PreToolUse, ...TOOL_HOOKS.PreToolUse],
          },
        },
      },
    ]);
    const answers = parsed(run.stdout).filter(({ type }) => type === 'control_response');
    expect(answers).toMatchObject([{ response: { request_id: 'mine-1' } }]);
  });

  it('gets the answers to its own requests; ours stay hidden', async () => {
    await using place = await createPlace();
    const mine = { type: 'control_request', request_id: 'usage', request: { subtype: 'get_context_usage' } };
    const run = await runFake(place, {
      fake: 'answers',
      claude: PROTOCOL,
      stdin: `${PROMPT}\n${JSON.stringify(mine)}\n`,
    });
    const answers = parsed(run.stdout).filter(({ type }) => type === 'control_response');
    expect(answers).toMatchObject([{ response: { request_id: 'usage' } }]);
  });

  it('ends when its input ends, without a prompt', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', claude: PROTOCOL, stdin: '' });
    expect(run).toMatchObject({ code: 0, stderr: '' });
  });

  inSoak('may repeat its initialize', async () => {
    await using place = await createPlace();
    const stdin = `${PROMPT}\n${JSON.stringify(INITIALIZE)}\n`;
    const run = await runFake(place, {
      fake: 'answers',
      claude: PROTOCOL,
      stdin,
      env: { PLAY_INPUT: place.path('input') },
    });
    expect(run.code).toBe(0);
    // claude 2.1.329 replaces the first hooks with these, so ours must be among them.
    const last = inputLines(place).findLast((line) => subtypeOf(line) === 'initialize');
    expect(JSON.stringify(last)).toContain('ctxb:pre-compact');
  });
});

describe('callbacks', () => {
  it.each([{ callback: 'ctxb:pre-compact' }, { callback: 'ctxb:session-start' }])(
    '$callback is answered',
    async ({ callback }) => {
      await using place = await createPlace();
      const env = { PLAY_CALLBACK: callback };
      const run = await runFake(place, { fake: 'calls-back', flags: ['--prompt', 'one'], claude: STREAM, env });
      const lines = parsed(run.stdout);
      expect(lines.map(({ type }) => type)).toEqual(['system', 'result']);
      expect(JSON.parse(String(lines[1]?.result))).toMatchObject({
        type: 'control_response',
        response: { subtype: 'success', request_id: 'asked-1' },
      });
    },
  );

  it('answers and hides its own even if the caller speaks the protocol', async () => {
    await using place = await createPlace();
    const env = { PLAY_CALLBACK: 'ctxb:pre-compact' };
    const run = await runFake(place, { fake: 'calls-back', claude: PROTOCOL, stdin: `${PROMPT}\n`, env });
    expect(parsed(run.stdout).map(({ type }) => type)).toEqual(['system', 'result']);
  });

  it('a callback without a handler gets an error, and claude continues', async () => {
    await using place = await createPlace();
    const env = { PLAY_CALLBACK: 'somebody-else' };
    const run = await runFake(place, { fake: 'calls-back', flags: ['--prompt', 'one'], env });
    expect(JSON.parse(run.stdout.toString())).toMatchObject({
      type: 'control_response',
      response: { subtype: 'error', request_id: 'asked-1' },
    });
  });

  it('a callback from the caller is passed to it, and its answer to claude', async () => {
    await using place = await createPlace();
    const program = startFake(place, { fake: 'calls-back', claude: PROTOCOL, env: { PLAY_CALLBACK: 'mine' } });
    program.stdin.write(`${PROMPT}\n`);
    await program.waitForLine(({ type }) => type === 'control_request');
    const response = { subtype: 'success', request_id: 'asked-1', response: { mine: true } };
    program.send({ type: 'control_response', response });
    const result = await program.waitForLine(({ type }) => type === 'result');
    program.stdin.end();
    expect(JSON.parse(String(result.result))).toEqual({ type: 'control_response', response });
    expect((await program.finished).code).toBe(0);
  });
});

describe('--observe', () => {
  it("gives claude exactly the caller's bytes", async () => {
    await using place = await createPlace();
    const lines = [
      JSON.stringify(INITIALIZE),
      PROMPT,
      '',
      '  not json ',
      '{"type":"user","message":{"role":"user","content":"two"}}',
    ];
    const stdin = `${lines.join('\n')}\n`;
    const env = { PLAY_INPUT: place.path('input') };
    const run = await runFake(place, { fake: 'answers', flags: ['--observe'], claude: PROTOCOL, stdin, env });
    expect(run.code).toBe(0);
    expect(await inputOf(place)).toBe(stdin);
  });

  it.each([
    { title: 'CRLF', stdin: `${PROMPT}\r\n${PROMPT}\r\n` },
    { title: 'no newline at the end', stdin: PROMPT },
  ])('gives claude exactly the bytes: $title', async ({ stdin }) => {
    await using place = await createPlace();
    const env = { PLAY_INPUT: place.path('input') };
    await runFake(place, { fake: 'answers', flags: ['--observe'], claude: PROTOCOL, stdin, env });
    expect(await inputOf(place)).toBe(stdin);
  });

  it('gives claude one user line for a prompt in text', async () => {
    await using place = await createPlace();
    const env = { PLAY_INPUT: place.path('input') };
    await runFake(place, { fake: 'answers', flags: ['--observe'], claude: ['-p', 'one'], env });
    expect(inputLines(place)).toMatchObject([{ type: 'user', message: { role: 'user', content: 'one' } }]);
  });

  it('reports that a compaction is due and does nothing', async () => {
    await using place = await createPlace();
    const env = { PLAY_INPUT: place.path('input'), PLAY_CONTEXTS: '160000' };
    const flags = ['--observe', '--prompt', 'one', '--prompt', 'two'];
    const run = await runFake(place, { fake: 'answers', flags, env });
    expect(run.stdout.toString()).toBe('answer to one\nanswer to two\n');
    expect(run.stderr).toContain('compact');
    expect(inputLines(place).map(({ type }) => type)).toEqual(['user', 'user']);
  });
});
