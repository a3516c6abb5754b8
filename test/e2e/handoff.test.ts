import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../src/core/governor/decisions.ts';
import { startWorld, type World } from '../support/claude.ts';
import { mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { journal, outputLines, prompts, runCtxb, SMALL_WINDOW, startCtxb } from '../support/ctxb.ts';
import { DOCUMENT, type GrowingConversation, growing, isAsked } from '../support/handoff.ts';
import { expectEachPromptOnce, expectSameDecisions, kinds } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { Call } from '../support/standin/scenario.ts';

const THREE = ['prompt one: α "quoted"', 'prompt two\nwith two lines', 'prompt three'];
const STREAM = ['--output-format', 'stream-json', '--verbose'];

interface Run {
  readonly flags?: readonly string[];
  readonly claude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly conversation?: Partial<GrowingConversation>;
}

/** Three prompts of which the second crosses 156,000 tokens. */
async function crossing(world: World, { flags = [], claude = SMALL_WINDOW, env = {} }: Run) {
  const record = join(world.scratch.cwd, 'run.ndjson');
  const run = await runCtxb(world, { flags: [...prompts(...THREE), '--record', record, ...flags], claude, env });
  return { ...run, record };
}

function world(conversation: Partial<GrowingConversation> = {}) {
  return startWorld(growing({ turns: [4, 4, 2], growBy: 18_000, ...conversation }));
}

type HandedOver = Extract<Decision, { readonly kind: 'handed-over' }>;

function handedOver(in_: World): HandedOver {
  const decision = journal(in_).find((one): one is HandedOver => one.kind === 'handed-over');
  if (decision === undefined) throw new Error('no handoff');
  return decision;
}

function bodies(in_: World): string[] {
  return mainRequests(in_.standin).map(({ body }) => JSON.stringify(body.messages));
}

/** Request in which the third prompt is said. */
function afterHandoff(in_: World): string {
  return bodies(in_).find((body) => body.includes('prompt three')) ?? '';
}

describe('a handoff', () => {
  inSoak('comes when it pays, far below every level of the window, and again', async () => {
    await using here = await startWorld(growing({ turns: [25, 25, 4], growBy: 3_000 }));
    const flags = [...prompts(...THREE), '--strategy', 'handoff', '--compaction', 'auto'];
    const run = await runCtxb(here, { flags, claude: SMALL_WINDOW });
    expect(run.code).toBe(0);
    const begun = journal(here).filter(({ kind }) => kind === 'handoff');
    expect(begun.length).toBeGreaterThan(1);
    for (const { reason, gauge } of begun as { reason: string; gauge: { predicted: number } }[]) {
      expect(reason).toContain('saves about $');
      expect(gauge.predicted).toBeLessThan(120_000);
    }
    expect(summaryRequests(here.standin)).toHaveLength(0);
    expectEachPromptOnce(here.standin, ['prompt three']);
  });

  it('gives the fresh context the document that the agent wrote, hidden from the caller', async () => {
    await using here = await world();
    const run = await crossing(here, { flags: ['--strategy', 'handoff'], claude: [...SMALL_WINDOW, ...STREAM] });

    expect(run.code).toBe(0);
    expect(kinds(here)).toEqual(['handoff', 'handed-over', 'landed']);
    const decision = handedOver(here);
    expect(decision).toMatchObject({ by: 'agent', way: 'clear', problems: [], at: { turn: 2 } });
    const file = readFileSync(join(here.scratch.cwd, decision.path ?? ''), 'utf8');
    expect(file).toContain(DOCUMENT);
    expect(file).toMatch(/^---\nversion: 1\n/);
    const fresh = afterHandoff(here);
    expect(fresh).toContain('Small steps, because large ones failed.');
    expect(fresh).toContain(decision.path);
    expect(fresh).toContain('#1: prompt one');
    expect(fresh).not.toContain('"prompt one');
    expect(summaryRequests(here.standin)).toHaveLength(0);
    // Three turns, and nothing of the document, of /clear, or of the two sessions' change.
    const lines = outputLines(run);
    expect(lines.filter(({ type }) => type === 'result').map(({ result }) => result)).toEqual([
      'answer 1',
      'answer 2',
      'answer 3',
    ]);
    expect(run.stdout.toString()).not.toContain('Small steps');
    expect(run.stdout.toString()).not.toContain('/clear');
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('works in the default permission mode, where the agent may write no file', async () => {
    await using here = await world();
    const run = await crossing(here, {
      flags: ['--strategy', 'handoff'],
      claude: ['--model', 'claude-sonnet-4-6', '--permission-mode', 'default', '--allowedTools', 'Bash(touch:*)'],
    });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(handedOver(here)).toMatchObject({ by: 'agent' });
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('is made from the notes alone if the caller prescribes the shape of answers', async () => {
    const structured: Call = { tools: [{ name: 'StructuredOutput', input: { a: 'b' } }] };
    let context = 12_000;
    await using here = await startWorld({
      calls: (_, index) => {
        context = index % 4 === 0 && context > 150_000 ? 30_000 : context + 18_000;
        const step = { tools: [{ name: 'Bash', input: { command: `touch step-${index}`, description: 'A step' } }] };
        return { ...(index % 4 === 3 ? structured : step), context };
      },
    });
    const schema = '{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}';
    const run = await crossing(here, {
      flags: ['--strategy', 'handoff'],
      claude: [...SMALL_WINDOW, '--json-schema', schema],
    });
    expect(run.code).toBe(0);
    expect(handedOver(here)).toMatchObject({ by: 'memory', way: 'clear' });
    expect(mainRequests(here.standin).filter(isAsked)).toHaveLength(0);
    expect(afterHandoff(here)).toContain('touch step');
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });
});

inSoak('a document without the failures and the requests is completed from the notes', async () => {
  const scenario = growing({ turns: [6, 6, 2], growBy: 12_000 });
  const { calls } = scenario;
  await using here = await startWorld({
    ...scenario,
    calls: (request, index) => {
      const call = typeof calls === 'function' ? calls(request, index) : {};
      const failing = { command: 'sh tools/bench-471.sh --incremental', description: 'Measure' };
      return index === 1 ? { ...call, tools: [{ name: 'Bash', input: failing }] } : call;
    },
  });
  const rule = 'Never start a server on port 4711.';
  const said = [`prompt one: begin. ${rule}`, 'prompt two', 'prompt three'];
  const flags = [...prompts(...said), '--strategy', 'handoff'];
  const run = await runCtxb(here, { flags, claude: [...SMALL_WINDOW, ...STREAM] });

  expect(run.code).toBe(0);
  const { path = '' } = handedOver(here);
  for (const text of [readFileSync(join(here.scratch.cwd, path), 'utf8'), afterHandoff(here)]) {
    expect(text).toContain('Noted by ctxb, and not said above');
    expect(text).toContain(rule);
    expect(text).toMatch(/tools\/bench-471\.sh --incremental` exit \d/);
  }
  const receipts = journal(here).filter(({ kind }) => kind === 'receipt');
  expect(receipts).toMatchObject([
    { relief: 'handoff', all: { prompts: 2, failing: 1 }, kept: { prompts: 2, failing: 1 } },
  ]);
});

it('a background task that ends meanwhile starts a whole turn, and the fresh context still gets the document', async () => {
  const input = { command: 'until [ -e go ]; do sleep 0.05; done', run_in_background: true, description: 'Wait' };
  const work: Call[] = [{ tools: [{ name: 'Bash', input }] }, { text: 'answer 1', context: 158_000 }];
  let free = () => {};
  const until = new Promise<void>((resolve) => {
    free = resolve;
  });
  await using here = await startWorld({
    calls: (request) => {
      if (userTexts(request).at(-1)?.includes('<task-notification>')) return { text: 'noted' };
      if (isAsked(request)) return { text: DOCUMENT, until };
      return work.shift() ?? { text: 'answer 2', context: 20_000 };
    },
  });
  const flags = ['--strategy', 'handoff', '--no-mid-turn', ...prompts('prompt one', 'prompt two')];
  const run = startCtxb(here, { flags, claude: [...SMALL_WINDOW, ...STREAM] });
  run.stdin.end();
  await here.standin.waitFor(isAsked);
  writeFileSync(join(here.scratch.cwd, 'go'), '');
  await run.waitForLine(({ subtype }) => subtype === 'background_tasks_changed');
  await run.waitForLine(({ subtype }) => subtype === 'task_notification');
  await run.waitForLine(({ subtype }) => subtype === 'background_tasks_changed');
  free();
  const lines = outputLines(await run.finished);
  expect(lines.flatMap(({ type, result }) => (type === 'result' ? [result] : []))).toEqual([
    'answer 1',
    'noted',
    'answer 2',
  ]);
  const shown = lines.filter(({ type }) => type === 'assistant').map((line) => JSON.stringify(line));
  expect(shown.filter((line) => line.includes('"noted"'))).toHaveLength(1);
  expect(bodies(here).at(-1)).toContain('Small steps, because large ones failed.');
});

describe('one long turn', () => {
  const LONG = 'prompt one: work through it all, and "never" on port 4711';

  it('is handed over between two tools and continues its prompt; no call is interrupted or refused', async () => {
    await using here = await world({ turns: [18], growBy: 20_000 });
    const record = join(here.scratch.cwd, 'run.ndjson');
    const flags = ['--strategy', 'handoff', '--record', record];
    const run = await runCtxb(here, { flags, claude: [...SMALL_WINDOW, ...STREAM, '-p', LONG] });

    expect(run.code).toBe(0);
    expect(kinds(here).filter((kind) => kind === 'handed-over')).toHaveLength(2);
    expect(summaryRequests(here.standin)).toHaveLength(0);
    const results = outputLines(run).filter(({ type }) => type === 'result');
    expect(results).toMatchObject([{ result: 'answer 1', is_error: false }]);
    // Each step once, in its order.
    const steps = outputLines(run).flatMap((line) => JSON.stringify(line).match(/touch turn-1-step-\d+/g) ?? []);
    expect([...new Set(steps)]).toEqual(Array.from({ length: 17 }, (_, step) => `touch turn-1-step-${step + 1}`));
    expect(steps).toHaveLength(17);
    // Each fresh context has the document and the prompt, once.
    const fresh = mainRequests(here.standin)
      .map(userTexts)
      .filter((texts) => texts.join('\n').includes('This is its handoff document'));
    expect(fresh.length).toBeGreaterThan(2);
    for (const texts of fresh) {
      const resumed = texts.filter((text) => text.startsWith('The context was full in the middle of the work'));
      expect(resumed.map((text) => text.split(LONG).length - 1)).toEqual([1]);
    }
    await expectSameDecisions(here, record);
  });
});

describe('an insufficient document', () => {
  inSoak.each(
    sampled(
      [
        {
          name: 'empty',
          documents: [{ text: '' }],
          by: 'memory',
        },
        {
          name: 'without sections',
          documents: [{ text: 'All is well.' }],
          by: 'memory',
        },
        {
          name: 'naming a file that does not exist',
          documents: [{ text: DOCUMENT.replace('## Files\nNone', '## Files\n- `src/nowhere.ts`: the parser') }],
          by: 'agent',
          tells: 'src/nowhere.ts',
        },
        {
          name: 'refused by the API',
          documents: [{ error: { status: 400, message: 'not now' } }],
          by: 'memory',
        },
      ],
      4,
    ),
  )('$name', async ({ documents, by, tells }) => {
    await using here = await world({ documents });
    const run = await crossing(here, { flags: ['--strategy', 'handoff'] });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(run.code).toBe(0);
    expect(handedOver(here)).toMatchObject({ by });
    expect(afterHandoff(here)).toContain(by === 'agent' ? 'Small steps' : 'touch turn-2-step-3');
    if (tells !== undefined) expect(handedOver(here).problems.join(' ')).toContain(tells);
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });
});

describe('when compactions do not help', () => {
  const refused = { error: { status: 400, type: 'invalid_request_error', message: 'no summary today' } };

  inSoak('a summary that the API refuses leads to a handoff after one attempt', async () => {
    await using here = await world({ summary: refused });
    const run = await crossing(here, {});
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(kinds(here)).toEqual(['compact', 'compacted', 'give-up:compaction', 'handoff', 'handed-over', 'landed']);
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('disabled slash commands lead to a new process', async () => {
    await using here = await world();
    const run = await crossing(here, { claude: [...SMALL_WINDOW, '--disable-slash-commands'] });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(run.code).toBe(0);
    expect(handedOver(here)).toMatchObject({ by: 'agent', way: 'process' });
    const fresh = afterHandoff(here);
    expect(fresh).toContain('Small steps');
    expect(fresh).toContain('#1: prompt one');
    expect(fresh).not.toContain('"prompt one');
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('a /clear without effect leads to a new process', async () => {
    await using here = await world();
    const run = await crossing(here, {
      flags: ['--strategy', 'handoff'],
      claude: [...SMALL_WINDOW, '--disable-slash-commands'],
    });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(kinds(here)).toEqual(['handoff', 'handed-over', 'landed']);
    expect(handedOver(here)).toMatchObject({ by: 'agent', way: 'process' });
    expect(afterHandoff(here)).toContain('Small steps');
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('without a hook, the document goes to the agent in a hidden turn', async () => {
    await using here = await world();
    const run = await crossing(here, { flags: ['--strategy', 'handoff'], claude: [...SMALL_WINDOW, '--bare'] });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(handedOver(here)).toMatchObject({ by: 'agent', way: 'clear' });
    expect(afterHandoff(here)).toContain('Small steps');
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('waits for an unavailable API, and hands nothing over', async () => {
    await using here = await world({ summary: { error: { status: 529 } } });
    const run = await crossing(here, { env: { CLAUDE_CODE_MAX_RETRIES: '1' } });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(kinds(here)).not.toContain('handoff');
    expect(journal(here).find(({ kind }) => kind === 'compacted')).toMatchObject({ verdict: 'unavailable' });
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('two compactions that stay silent lead to a handoff', async () => {
    await using here = await startWorld(
      growing({
        ...{ turns: [9, 2, 2], from: 124_000, growBy: 4_000 },
        summary: { text: '<summary>Late.</summary>', delayMs: 20_000 },
      }),
    );
    const run = await crossing(here, { env: { CTXB_COMPACTION_TIMEOUT_SECONDS: '1' } });
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(kinds(here)).toEqual([
      ...['compact', 'compacted', 'compact', 'compacted', 'give-up:compaction'],
      ...['handoff', 'handed-over', 'landed'],
    ]);
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });

  inSoak('one that lands above its target leads to a handoff before the next prompt', async () => {
    await using here = await startWorld(growing({ turns: [9, 1, 1], growBy: 16_000, landing: 120_000 }));
    const run = await crossing(here, {});
    expect(run.stdout.toString()).toBe('answer 1\nanswer 2\nanswer 3\n');
    expect(handedOver(here).reason).toMatch(/landed at 120000 tokens, above its target of 100000/);
    expectEachPromptOnce(here.standin, THREE);
    await expectSameDecisions(here, run.record);
  });
});
