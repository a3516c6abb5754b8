import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSdkMcpServer, type Options, query, type SDKResultMessage, tool } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it, vi } from 'vitest';
import { isAlive } from '../cli/fakes.ts';
import { notingHooks } from '../sdk/callbacks.ts';
import { bash, calls, converse, FREE, type Program, runTrial, type Seen, type Trial, talk } from '../sdk/trial.ts';
import { ALONE, startCtxbRun, THROUGH_SHIM } from '../sdk/ways.ts';
import { agent, newestPrompt, promptText, wantedBy } from '../support/agent.ts';
import { testClaude } from '../support/claude.ts';
import { mainRequests, summaryRequests, userTexts } from '../support/conversation.ts';
import { journalLines } from '../support/ctxb.ts';
import { expectExact, job } from '../support/exact-job.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { inSoak, sampled } from '../support/size.ts';
import type { RecordedRequest, Scenario } from '../support/standin/scenario.ts';

const PROMPTS = [1, 2, 3, 4].map(promptText);
const ANSWERS = ['answer 1', 'answer 2', 'answer 3', 'answer 4'];

/** Four turns of two calls, of which the second crosses the level at which the context is relieved. */
const CROSSING = { turns: [2, 2, 2, 2], growBy: 8_000 };
const LOW = {
  CTXB_THRESHOLDS_WARN: '45000',
  CTXB_THRESHOLDS_COMPACT: '50000',
  CTXB_THRESHOLDS_HANDOFF: '60000',
  CTXB_COMPACTION_TARGET: '40000',
};

const HELLO = { name: 'mcp__late__hello', input: {} };

/** Runs a program under a ctxb that has to act, and says what ctxb did. */
async function acting(program: Omit<Program, 'name'>, env: Record<string, string> = {}) {
  let did: unknown[] = [];
  const run = async (trial: Trial) => {
    await program.run(trial);
    did = journalLines(trial.world).map(({ kind, of }) => (of === undefined ? kind : `${kind}:${of}`));
  };
  const where = { CTXB_CLAUDE: await testClaude(), ...LOW, ...env };
  return { seen: await runTrial({ name: '', ...program, run }, THROUGH_SHIM, where), did };
}

function results({ message = [] }: Seen): unknown[] {
  const all = message.filter((one): one is SDKResultMessage => (one as { type: string }).type === 'result');
  return all.map((result) => (result.subtype === 'success' ? result.result : result.subtype));
}

/** What each message is, in a word or two. */
function gists({ message = [] }: Seen): string[] {
  return message.map((one) => {
    const { type, subtype } = one as { type: string; subtype?: string };
    return subtype === undefined ? type : `${type} ${subtype}`;
  });
}

const TURN = ['system init', 'assistant', 'user', 'assistant', 'result success'];
const FOUR_TURNS = PROMPTS.flatMap(() => TURN);

describe('an SDK program during a compaction or handoff', () => {
  it.each(
    sampled([
      { way: 'compact', does: 'compacted', source: 'compact' },
      { way: 'handoff', does: 'handed-over', source: 'clear' },
    ]),
  )('sees its own turns, each answered, and no line of ctxb: $way', async ({ way, does, source }) => {
    const { seen, did } = await acting(
      {
        scenario: () => agent(CROSSING),
        async run(trial) {
          await converse(trial, PROMPTS, { ...FREE, hooks: notingHooks(trial) });
          expectEachPromptOnce(trial.world.standin, PROMPTS);
        },
      },
      { CTXB_STRATEGY: way },
    );
    const times = did.filter((kind) => kind === does);
    expect(times).not.toEqual([]);
    expect(results(seen)).toEqual(ANSWERS);
    expect(gists(seen)).toEqual(FOUR_TURNS);
    const asked = (hook: string, key: string) =>
      (seen[hook] ?? []).map((call) => (call as { input: Record<string, unknown> }).input[key]);
    expect(asked('UserPromptSubmit', 'prompt')).toEqual(PROMPTS);
    expect(seen.Stop).toHaveLength(PROMPTS.length);
    // What really happened to the context is the program's business too.
    expect(asked('SessionStart', 'source')).toEqual(times.map(() => source));
  });

  inSoak('keeps its own plugins beside the mod that compacts exactly', async ({ skip }) => {
    const prompts = PROMPTS.slice(0, 3);
    const { seen, did } = await acting(
      {
        scenario: () => job({ turns: [8, 4, 1], growBy: 5_000 }),
        async run(trial) {
          const path = join(trial.world.scratch.cwd, 'own');
          mkdirSync(join(path, '.claude-plugin'), { recursive: true });
          mkdirSync(join(path, 'commands'));
          writeFileSync(join(path, '.claude-plugin', 'plugin.json'), '{"name":"own","version":"1.0.0"}');
          writeFileSync(join(path, 'commands', 'greet.md'), 'Say hello.');
          await converse(trial, prompts, { ...FREE, plugins: [{ type: 'local', path }] });
          expectExact(trial.world.standin, prompts);
        },
      },
      { CTXB_COMPACTION_HOW: 'auto' },
    );
    expect(results(seen)).toEqual(ANSWERS.slice(0, 3));
    const inits = (seen.message ?? []).filter((one) => (one as { subtype?: string }).subtype === 'init');
    for (const init of inits as { slash_commands: string[] }[]) expect(init.slash_commands).toContain('own:greet');
    if (did.includes('unavailable:exact')) skip('this claude runs no mods');
    expect(did).toEqual(expect.arrayContaining(['compacted', 'landed']));
  });

  inSoak('may send all prompts at once: one turn for each, in order', async () => {
    const { seen, did } = await acting({
      scenario: () => agent(CROSSING),
      async run(trial) {
        const { say, end, prompts } = talk();
        for (const prompt of PROMPTS) say(prompt);
        end();
        const options = trial.options({ ...FREE, includePartialMessages: true });
        for await (const message of query({ prompt: prompts, options })) trial.note('message', message);
      },
    });
    expect(did).toContain('compacted');
    expect(results(seen)).toEqual(ANSWERS);
    expect(gists(seen).filter((gist) => gist === 'system compact_boundary')).toEqual([]);
  });

  it.each(sampled([{ way: 'compact' }, { way: 'handoff' }]))(
    'can interrupt a waiting prompt, which stays in the conversation; the next one is answered ($way)',
    async ({ way }) => {
      let last: RecordedRequest | undefined;
      const { seen } = await acting(
        {
          scenario: () => patient(agent(CROSSING)),
          async run(trial) {
            const { standin } = trial.world;
            await converse(trial, PROMPTS, FREE, (message, conversation, answered) => {
              if (message.type !== 'result' || answered !== 2) return;
              void standin.waitFor(isOurs).then(() => conversation.interrupt());
            });
            last = mainRequests(standin).at(-1);
          },
        },
        { CTXB_STRATEGY: way },
      );
      expect(results(seen)).toEqual(['answer 1', 'answer 2', 'error_during_execution', 'answer 4']);
      const interrupted = '[Request interrupted by user]';
      expect(userTexts(last).map((text) => text.trim())).toEqual(
        expect.arrayContaining([promptText(3), interrupted, promptText(4)]),
      );
    },
  );

  inSoak(
    'is asked for no tool, and its limits apply: a turn that claude compacts where ctxb placed the trigger',
    async () => {
      let summaries = 0;
      const { seen, did } = await acting(
        {
          scenario: () => agent({ turns: [12], growBy: 12_000 }),
          async run(trial) {
            const canUseTool = async (_: string, updatedInput: Record<string, unknown>) => {
              trial.note('permission', updatedInput.command);
              return { behavior: 'allow', updatedInput } as const;
            };
            await converse(trial, PROMPTS.slice(0, 1), { canUseTool });
            summaries = summaryRequests(trial.world.standin).length;
          },
        },
        { CTXB_THRESHOLDS_COMPACT: '90000', CTXB_THRESHOLDS_HANDOFF: '95000', CTXB_THRESHOLDS_MID_TURN: '100000' },
      );
      expect(did).toContain('mid-turn:prompts');
      expect(summaries).toBe(1);
      expect(results(seen)).toEqual(['answer 1']);
      expect(seen.permission).toHaveLength(11);
    },
  );
});

/** Takes its time over what ctxb asks, and over the interrupted prompt, so that an interrupt comes before its end. */
function patient({ calls: answer, ...rest }: Scenario): Scenario {
  if (typeof answer !== 'function') throw new Error('expected a function scenario');
  const slowly = { delayMs: 60_000 };
  return {
    ...rest,
    calls: (request, index) => {
      const isSlow = wantedBy(request) === 'document' || newestPrompt(request) === 3;
      return { ...answer(request, index), ...(isSlow && slowly) };
    },
    summary: slowly,
  };
}

function isOurs(request: RecordedRequest): boolean {
  return request.kind === 'summary' || wantedBy(request) === 'document';
}

inSoak('a restarted claude has the MCP servers that the program has set', async () => {
  const { seen } = await acting({
    scenario: calls({ text: 'one' }, bash('touch begun; sleep 60'), { tools: [HELLO] }, { text: 'two' }),
    async run(trial) {
      const hello = tool('hello', 'Greets', {}, async () => ({ content: [{ type: 'text', text: 'hello there' }] }));
      const late = createSdkMcpServer({ name: 'late', version: '1.0.0', tools: [hello] });
      await converse(trial, ['one', 'two'], FREE, async (message, conversation) => {
        if (message.type === 'result') await conversation.setMcpServers({ late });
        if (!JSON.stringify(message).includes('touch begun')) return;
        const begun = join(trial.world.scratch.cwd, 'begun');
        await vi.waitFor(() => expect(existsSync(begun)).toBe(true), { timeout: 60_000 });
        process.kill(Number(journalLines(trial.world).findLast(({ kind }) => kind === 'start')?.pid), 'SIGKILL');
      });
    },
  });
  expect(results(seen)).toEqual(['one', 'two']);
  expect(JSON.stringify(seen.message)).toContain('hello there');
});

inSoak('an abort in mid-turn leaves no claude behind', async () => {
  const run = async (trial: Trial) => {
    const abortController = new AbortController();
    const closed: Promise<unknown>[] = [];
    const options = trial.options({ ...FREE, abortController });
    const spawnClaudeCodeProcess: Options['spawnClaudeCodeProcess'] = (how) => {
      const child = startCtxbRun(how);
      // The SDK itself may wait for it.
      closed.push(new Promise((resolve) => child.once('close', resolve)));
      return child;
    };
    const conversation = query({ prompt: 'work', options: { ...options, spawnClaudeCodeProcess } });
    await expect(async () => {
      for await (const { type } of conversation) if (type === 'assistant') abortController.abort();
    }).rejects.toThrow('aborted');
    await Promise.all(closed);
    const pids = journalLines(trial.world).flatMap(({ pid }) => (typeof pid === 'number' ? [pid] : []));
    expect(pids.map(isAlive)).toEqual([false]);
  };
  await runTrial({ name: '', scenario: calls(bash('touch begun; sleep 60')), run }, ALONE);
});
