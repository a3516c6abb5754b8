import { statSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { World } from '../support/claude.ts';
import { startWorld } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { contextOf, linesOf, newestWords } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import type { Scenario } from '../support/standin/scenario.ts';
import { configure, given, MCP, mcp, read, runTools, startCaller, storedResults } from '../support/tool-agents.ts';

/** Tokens of a result by default, in characters. */
const ALLOCATION = 8_000 * 4;

it('a text of 5 MB is stored once, by claude, and ctxb adds nothing', async () => {
  await using world = await startCaller(() => [mcp('text', { chars: 5_000_000 })]);
  const { code } = await runTools(world, { claude: MCP });

  const [result = ''] = given(world);
  const path = /Output has been saved to (\S+)\.\n/.exec(result)?.[1] ?? '';
  expect(code).toBe(0);
  expect(statSync(path).size).toBe(5_000_000);
  expect(result.length).toBeLessThan(3_000);
  expect(toldLast(world)).not.toContain('hook additional context');
  expect(storedResults(world)).toEqual({});
});

it('a text of 60,000 characters is stored by claude, as without ctxb', async () => {
  await using world = await startCaller(() => [mcp('text', { chars: 60_000 })]);
  await runTools(world, { claude: MCP });

  const [result = ''] = given(world);
  const path = /Full output saved to: (\S+)/.exec(result)?.[1] ?? '';
  expect(statSync(path).size).toBeGreaterThan(60_000);
  expect(result.length).toBeLessThan(3_000);
  expect(storedResults(world)).toEqual({});
});

inSoak('cuts a text of 49,000 characters, and keeps the whole', async () => {
  await using world = await startCaller(() => [mcp('text', { chars: 49_000 })]);
  await runTools(world, { claude: MCP });

  const [result = ''] = given(world);
  const [text = ''] = Object.values(storedResults(world));
  expect(text).toHaveLength(49_000);
  expect(result.length).toBeLessThan(ALLOCATION);
  expect(result).toContain('49000 characters in');
  expect(result).toContain('\nline 1 of the text\nline 2 of the text\n');
  expect(result.trimEnd().endsWith(text.trimEnd().slice(-1_000))).toBe(true);
  expect(result).not.toContain('<persisted-output>');
});

it('a JSON list arrives as a shorter list, and Read returns the next items', async () => {
  await using world = await startWorld(listReader());
  await runTools(world, { claude: MCP });

  const [list = '', next = ''] = given(world);
  const items = JSON.parse(list) as { id: number }[];
  expect(items.map(({ id }) => id)).toEqual(items.map((_, index) => index));
  expect(items.length).toBeGreaterThan(200);
  expect(list.length).toBeLessThan(ALLOCATION);
  const told = newestWords(mainRequests(world.standin)[1]);
  expect(told).toContain(`$: total 550, returned ${items.length}, the next has offset ${items.length} and begins on`);

  const page = JSON.parse(`[${itemsIn(next).join(',')}]`) as { id: number }[];
  expect(page.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, index) => items.length + index));
  const [stored = ''] = Object.values(storedResults(world));
  expect(JSON.parse(stored)).toHaveLength(550);
});

inSoak('structured content keeps its shape', async () => {
  await using world = await startCaller(() => [mcp('structured', { count: 550 })]);
  await runTools(world, { claude: MCP });

  const [result = ''] = given(world);
  const { items } = JSON.parse(result) as { items: unknown[] };
  expect(result.length).toBeLessThan(ALLOCATION);
  expect(toldLast(world)).toContain(`$.items: total 550, returned ${items.length}, the next has offset`);
});

inSoak('keeps a picture, whether it cuts the text beside it or not', async () => {
  await using world = await startCaller(() => [mcp('image', {}), mcp('image', { chars: 45_000 })]);
  await runTools(world, { claude: MCP });

  const blocks = (mainRequests(world.standin).at(-1)?.body.messages ?? []).flatMap(
    ({ content }) => content as object[],
  );
  const results = blocks.filter((block) => 'tool_use_id' in block).map((block) => JSON.stringify(block));
  expect(results).toHaveLength(2);
  for (const result of results) expect(result).toMatch(/"type":"image","source":\{[^}]*"data":"iVBOR/);
  expect(given(world)[1]?.length).toBeLessThan(ALLOCATION);
  expect(Object.keys(storedResults(world))).toHaveLength(1);
});

inSoak('only adds a hint to a tool that fails', async () => {
  await using world = await startCaller(() => [mcp('fail', { chars: 60_000 })]);
  configure(world, { tools: { perCall: 1_000 } });
  await runTools(world, { claude: MCP });

  expect(toldLast(world)).toMatch(/This result took about \d+ tokens, and 1000 are planned for one now/);
  expect(storedResults(world)).toEqual({});
});

/** Asks for a list, and reads 50 lines of what is stored from where it is told to. */
function listReader(): Scenario {
  return {
    calls: (request, index) => {
      const context = contextOf(request);
      if (index === 0) return { tools: [mcp('list', { count: 550 })], context };
      const [, path = '', line] = /is in (\S+)\. .*begins on line (\d+) of that file/.exec(newestWords(request)) ?? [];
      if (line === undefined) return { text: 'done', context };
      return { tools: [read(path, { offset: Number(line), limit: 50 })], context };
    },
  };
}

/** Members of a list that stand in a line each. */
function itemsIn(shown: string): string[] {
  return linesOf(shown).map(({ line }) => line.replace(/,$/, ''));
}

function toldLast({ standin }: World): string {
  return newestWords(mainRequests(standin).at(-1));
}
