import { expect, it } from 'vitest';
import { type JsonLine, promptLine, type World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { PROTOCOL, prompts, runCtxb, startCtxb } from '../support/ctxb.ts';
import { linesOf, newestWords, type ToolUse } from '../support/results.ts';
import { inSoak, sampled } from '../support/size.ts';
import {
  bash,
  configure,
  file,
  given,
  MCP,
  mcp,
  numbered,
  overheard,
  read,
  startCaller,
} from '../support/tool-agents.ts';

/** Nothing is allowed by itself. */
const MODEL = ['--model', 'claude-sonnet-4-6'];

interface Permissions {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
}

function settings(permissions: Permissions): string[] {
  return ['--settings', JSON.stringify({ permissions })];
}

/** What a caller is asked about a tool, and says. */
type Say = (input: Record<string, unknown>) => object;

const ALLOW: Say = (updatedInput) => ({ behavior: 'allow', updatedInput });
const DENY: Say = () => ({ behavior: 'deny', message: 'not today' });

it('asks for a Read that an ask rule names, with the limit of ctxb', async () => {
  await using world = await startFiles((cwd) => [read(`${cwd}/long.txt`)]);
  const { asked, told } = await playCaller(world, { ask: ['Read'] }, ALLOW);

  const lines = linesOf(given(world)[0] ?? '');
  expect(asked).toEqual([{ file_path: `${world.scratch.cwd}/long.txt`, limit: lines.length }]);
  expect(lines.length).toBeLessThan(1_000);
  expect(told).toContain('"updatedInput"');
  expect(told).not.toContain('permissionDecision');
});

inSoak('a caller that answers with the original input gets the whole file, and no limits from there on', async () => {
  await using world = await startFiles((cwd) => [read(`${cwd}/long.txt`), read(`${cwd}/long.txt`, { offset: 2 })]);
  const { asked, stderr } = await playCaller(world, { ask: ['Read'] }, ({ limit, ...input }) => ALLOW(input));

  expect(given(world).map((result) => linesOf(result).length)).toEqual([1_001, 1_000]);
  expect(asked.map(({ limit }) => limit)).toEqual([expect.any(Number), undefined]);
  expect(stderr.match(/tool budgets are off/g)).toHaveLength(1);
});

inSoak('a refusal of the caller stays a refusal', async () => {
  await using world = await startFiles((cwd) => [read(`${cwd}/long.txt`), bash('cat long.txt > copy.txt')]);
  const { asked, told } = await playCaller(world, { ask: ['Read'] }, DENY);

  expect(asked).toHaveLength(2);
  expect(given(world)).toHaveLength(2);
  for (const result of given(world)) expect(result).toContain('not today');
  expect(told).not.toContain('permissionDecision');
});

it.each(
  sampled([
    { name: 'deny', permissions: { deny: ['Read(./long.txt)', 'Bash(cat:*)', 'mcp__srv__text'] } },
    { name: 'ask, when there is nobody to be asked,', permissions: { ask: ['Read', 'Bash(cat:*)', 'mcp__srv__text'] } },
  ]),
)('rules that $name apply as without tool budgets', async ({ permissions }) => {
  const [off, enforce] = await Promise.all(
    ['off', 'enforce'].map(async (mode) => {
      await using world = await startFiles((cwd) => [
        read(`${cwd}/long.txt`),
        read(`${cwd}/short.txt`),
        bash('cat short.txt'),
        bash('echo allowed'),
        mcp('text', { chars: 60_000 }),
      ]);
      const listening = overheard(world);
      await runCtxb(listening, {
        flags: ['--tool-budgets', mode, ...prompts('go')],
        claude: [...MODEL, ...MCP, ...settings(permissions)],
      });
      expect(listening.told()).not.toContain('permissionDecision');
      return given(world).map((text) => text.replaceAll(world.scratch.cwd, ''));
    }),
  );

  expect(enforce).toHaveLength(5);
  expect(enforce?.[0]).toMatch(/denied|permission/i);
  expect(enforce?.[3]).toBe('allowed');
  expect(enforce).toEqual(off);
});

inSoak('a Read that a deny rule refuses does not count as a result', async () => {
  await using world = await startFiles((cwd) => [read(`${cwd}/long.txt`)]);
  await runCtxb(world, {
    flags: prompts('go'),
    claude: [...MODEL, ...settings({ deny: ['Read(./long.txt)'] })],
  });

  expect(newestWords(mainRequests(world.standin).at(-1))).not.toContain('This Read returns');
});

async function startFiles(stepsIn: (cwd: string) => readonly ToolUse[]) {
  const world = await startCaller(stepsIn);
  configure(world, { tools: { perCall: 8_000 } });
  file(world, 'long.txt', numbered(1_000));
  file(world, 'short.txt', numbered(10));
  return world;
}

/** Says the same about every tool. */
async function playCaller(world: World, permissions: Permissions, say: Say, more: readonly string[] = []) {
  const listening = overheard(world);
  const program = startCtxb(listening, {
    claude: [...MODEL, ...PROTOCOL, '--permission-prompt-tool', 'stdio', ...settings(permissions), ...more],
  });
  program.send(promptLine('go'));
  const asked: Record<string, unknown>[] = [];
  for (;;) {
    const line: JsonLine = await program.waitForLine(({ type }) => type === 'control_request' || type === 'result');
    if (line.type === 'result') break;
    const { input } = line.request as { input: Record<string, unknown> };
    asked.push(input);
    const response = { subtype: 'success', request_id: line.request_id, response: say(input) };
    program.send({ type: 'control_response', response });
  }
  program.stdin.end();
  const { stderr } = await program.finished;
  return { asked, stderr, told: listening.told() };
}
