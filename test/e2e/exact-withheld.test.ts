import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startWorld, type World } from '../support/claude.ts';
import { summaryRequests } from '../support/conversation.ts';
import { outputLines, prompts, runCtxb, SMALL_WINDOW } from '../support/ctxb.ts';
import { expectExact, job } from '../support/exact-job.ts';
import { kinds } from '../support/proof.ts';
import { firstOf, inSoak, sampled } from '../support/size.ts';
import type { Call, RecordedRequest } from '../support/standin/scenario.ts';

const EXACT = { CTXB_COMPACTION_HOW: 'auto' };
const THREE = ['prompt one', 'prompt two', 'prompt three'];
/** The second turn crosses 156,000 tokens. */
const CROSSING = { turns: [5, 4, 1] };

interface Case {
  readonly name: string;
  readonly claude?: readonly string[];
}

/** What an organisation sets. */
function managed(settings: object): string[] {
  return ['--managed-settings', JSON.stringify(settings)];
}

function run(world: World, { claude = [] }: Omit<Case, 'name'>) {
  return runCtxb(world, {
    flags: ['--compact-at', '78%', ...prompts(...THREE)],
    claude: [...SMALL_WINDOW, ...claude, '--output-format', 'stream-json', '--verbose'],
    env: EXACT,
  });
}

function answers(lines: readonly Record<string, unknown>[]): unknown[] {
  return lines.flatMap(({ type, result }) => (type === 'result' ? [result] : []));
}

describe('compactions are summaries, and ctxb says so once, if claude does not run the mod', () => {
  it.each(
    firstOf<Case & { readonly why: RegExp }>([
      { name: '--bare', claude: ['--bare'], why: /does not run the mod/ },
      { name: '--safe-mode', claude: ['--safe-mode'], why: /does not run the mod/ },
      { name: 'disableAllHooks', claude: ['--settings', '{"disableAllHooks":true}'], why: /does not run the mod/ },
      { name: 'managed hooks only', claude: managed({ allowManagedHooksOnly: true }), why: /does not run the mod/ },
      {
        name: 'no plugins by flags',
        claude: managed({ disableSideloadFlags: true }),
        why: /claude refuses to load the mod/,
      },
    ]),
  )('$name', async ({ why, ...how }) => {
    await using world = await startWorld({ ...job(CROSSING), summary: { text: '<summary>Done so far.</summary>' } });
    const end = await run(world, how);
    expect(answers(outputLines(end))).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(end.stderr.match(/compactions are claude's own summaries: .*/g)).toEqual([expect.stringMatching(why)]);
    expect(kinds(world).slice(0, 3)).toEqual(['unavailable:exact', 'compact', 'compacted']);
    expect(summaryRequests(world.standin).length).toBeGreaterThan(0);
    expect(end.code).toBe(0);
  });
});

describe('compactions are exact', () => {
  it.each(
    sampled<Case>(
      [
        { name: "beside the user's own plugin", claude: ['--plugin-dir', 'own'] },
        { name: "without the user's settings", claude: ['--setting-sources', ''] },
        { name: 'without a log of the session', claude: ['--no-session-persistence'] },
        { name: 'with the MCP servers of the arguments only', claude: ['--strict-mcp-config'] },
      ],
      3,
    ),
  )('$name', async (how) => {
    await using world = await startWorld(job(CROSSING));
    const own = join(world.scratch.cwd, 'own', '.claude-plugin');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'plugin.json'), '{"name":"own","version":"1.0.0","description":"mine"}');
    const end = await run(world, how);
    expect(answers(outputLines(end))).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(kinds(world).slice(0, 3)).toEqual(['compact', 'compacted', 'landed']);
    expectExact(world.standin, THREE);
    const plugins = outputLines(end).findLast(({ subtype }) => subtype === 'init')?.plugins as { name: string }[];
    expect(plugins.map(({ name }) => name).includes('own')).toBe(how.claude?.includes('own'));
  });

  inSoak('in mid-turn, although slash commands are off', async () => {
    await using world = await startWorld(job({ turns: [16], growBy: 10_000 }));
    const end = await runCtxb(world, {
      flags: prompts('prompt one'),
      claude: [...SMALL_WINDOW, '--disable-slash-commands'],
      env: EXACT,
    });
    expect(end.stdout.toString()).toBe('answer 1\n');
    expect(kinds(world)).toEqual(['native-compaction', 'landed']);
    expectExact(world.standin, ['prompt one']);
  });
});

inSoak('claude compacts a subagent by itself; compactions of the conversation stay exact', async () => {
  const delegate = {
    description: 'Look',
    prompt: 'Look about you',
    subagent_type: 'general-purpose',
    run_in_background: false,
  };
  const { calls } = job({ turns: [5, 4, 1], growBy: 20_000 });
  await using world = await startWorld({
    calls: (request, index) => {
      const call = (calls as (request: RecordedRequest, index: number) => Call)(request, index);
      return index === 2 ? { ...call, tools: [{ name: 'Agent', input: delegate }] } : call;
    },
    subagentCalls: (_, index) => {
      const context = 20_000 + 18_000 * (index % 10);
      if (index >= 12) return { text: 'Looked.', context };
      return { tools: [{ name: 'Bash', input: { command: `echo ${index}`, description: 'Look' } }], context };
    },
    summary: { text: '<summary>Looked at ten.</summary>' },
  });
  const end = await run(world, {});
  expect(answers(outputLines(end))).toEqual(['answer 1', 'answer 2', 'answer 3']);
  expect(summaryRequests(world.standin)).toHaveLength(1);
  expect(kinds(world)).toEqual(['compact', 'compacted', 'landed']);
  expect(end.stderr).toMatch(/compacted .*, all prompts kept/);
  expect(end.stderr).not.toMatch(/claude's own/);
});
