import { expect, it } from 'vitest';
import type { World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { journal, outputLines } from '../support/ctxb.ts';
import { linesOf, newestWords, resultsIn } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import {
  bash,
  configure,
  file,
  MCP,
  mcp,
  numbered,
  read,
  runTools,
  startCaller,
  storedResults,
} from '../support/tool-agents.ts';

const STREAM = ['--output-format', 'stream-json', '--verbose'];

it('several files that are read at once share the remaining budget', async () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await using world = await startCaller((cwd) => [names.map((name) => read(`${cwd}/${name}.txt`))]);
  configure(world, { tools: { perCall: 8_000 } });
  for (const name of names) file(world, `${name}.txt`, numbered(1_000).replaceAll('words', name.repeat(5)));
  await runTools(world);

  const limits = limitsIn(world);
  expect(limits).toHaveLength(names.length);
  expect(new Set(limits.slice(0, 5)).size).toBe(1);
  // Five results of 8,000 tokens are what is planned; from there on it is a part of what the window still has.
  const [first = 0] = limits;
  for (const limit of limits.slice(5)) expect(limit).toBeLessThan(first);
  const results = byId(world);
  const lengths = names.map((name, index) => {
    const lines = linesOf(results[index] ?? '');
    for (const { line } of lines) expect(line).toContain(name.repeat(5));
    return lines.length;
  });
  expect([...lengths].sort()).toEqual([...limits].sort());
});

inSoak(
  'Read, Bash and an MCP tool in one message each get their own budget, in the order in which they end',
  async () => {
    await using world = await startCaller((cwd) => [
      [
        read(`${cwd}/long.txt`),
        bash(`cat ${cwd}/short.txt`),
        mcp('text', { chars: 45_000 }),
        bash(`cat ${cwd}/short.txt; exit 3`),
        mcp('list', { count: 550 }),
        read(`${cwd}/short.txt`),
        read(`${cwd}/missing.txt`),
      ],
    ]);
    configure(world, { tools: { perCall: 8_000 } });
    file(world, 'long.txt', numbered(1_000));
    file(world, 'short.txt', numbered(100));
    const run = await runTools(world, { claude: [...MCP, ...STREAM] });

    const [long = '', print, text = '', failed, list = '', short = '', missing] = byId(world);
    expect(linesOf(long)).toHaveLength(limitsIn(world)[0] ?? 0);
    expect(`${print}\n`).toBe(numbered(100));
    expect(text).toContain('45000 characters in');
    expect(failed).toContain('Exit code 3');
    expect(JSON.parse(list).length).toBeLessThan(550);
    expect(linesOf(short)).toHaveLength(101);
    expect(missing).toContain('does not exist');
    expect(Object.keys(storedResults(world))).toHaveLength(2);
    // Each hint is about its own call.
    const told = newestWords(mainRequests(world.standin).at(-1));
    expect(told.match(/This Read returns/g)).toHaveLength(1);
    expect(told.match(/ctxb cut the JSON of mcp__srv__list/g)).toHaveLength(1);

    expect(streamedResults(run)).toEqual(resultsIn(mainRequests(world.standin).at(-1)).map(({ id }) => id));
  },
);

/** Results in the order of their calls. */
function byId({ standin }: World): string[] {
  const results = resultsIn(mainRequests(standin).at(-1));
  return [...results].sort((a, b) => a.id.localeCompare(b.id)).map(({ text }) => text);
}

function limitsIn(world: World): number[] {
  return journal(world).flatMap((decision) =>
    decision.kind === 'tool-budget' && decision.of === 'call' ? [decision.value] : [],
  );
}

function streamedResults(run: Parameters<typeof outputLines>[0]): unknown[] {
  return outputLines(run).flatMap(({ type, message }) => {
    const { content } = (message ?? {}) as { content?: Record<string, unknown>[] };
    return type === 'user' && Array.isArray(content) ? content.flatMap((block) => block.tool_use_id ?? []) : [];
  });
}
