import { expect, it } from 'vitest';
import type { World } from '../support/claude.ts';
import { mainRequests } from '../support/conversation.ts';
import { journal } from '../support/ctxb.ts';
import { expectEachPromptOnce } from '../support/proof.ts';
import { linesOf, newestWords, reader } from '../support/results.ts';
import { inSoak } from '../support/size.ts';
import type { Scenario } from '../support/standin/scenario.ts';
import { file, given, numbered, read, runTools, startAgent, startCaller } from '../support/tool-agents.ts';

/** What a result may take in these tests, in characters. */
const ALLOCATION = 8_000 * 4;
const SET = { CTXB_TOOLS_PER_CALL: '8000' };

const LONG = numbered(3_000);

it('the agent reads a file of 3,000 lines to its end in parts that fit, each from the offset that ctxb named', async () => {
  await using world = await startAgent((cwd) => reader(`${cwd}/long.txt`));
  file(world, 'long.txt', LONG);
  const { code } = await runTools(world, { env: SET });

  expect(code).toBe(0);
  expectParts(given(world), LONG);
  expect(limits(world)).toHaveLength(given(world).length - 1);
  expectEachPromptOnce(world.standin, ['go']);
});

inSoak('the same in a continued session', async () => {
  await using world = await startAgent((cwd) => laterOn(reader(`${cwd}/long.txt`)));
  file(world, 'long.txt', LONG);
  await runTools(world, { env: SET });
  await runTools(world, { claude: ['--continue'], env: SET });

  expectParts(given(world), LONG);
});

inSoak('limits a Read with an offset too', async () => {
  await using world = await startCaller((cwd) => [read(`${cwd}/long.txt`, { offset: 2_001 })]);
  file(world, 'long.txt', LONG);
  await runTools(world, { env: SET });

  const lines = linesOf(given(world)[0] ?? '');
  expect(lines[0]?.number).toBe(2_001);
  expect(lines).toHaveLength(limits(world)[0] ?? 0);
  expect(newestWords(mainRequests(world.standin).at(-1))).toContain(
    `This Read returns lines 2001-${lines.at(-1)?.number} of 3000`,
  );
});

it('lowers a limit that is too large, and tells the agent where to continue', async () => {
  await using world = await startCaller((cwd) => [read(`${cwd}/long.txt`, { offset: 11, limit: 2_500 })]);
  file(world, 'long.txt', LONG);
  await runTools(world, { env: SET });

  const lines = linesOf(given(world)[0] ?? '');
  expect(lines).toHaveLength(limits(world)[0] ?? 0);
  expect(newestWords(mainRequests(world.standin).at(-1))).toContain(`Continue with offset=${11 + lines.length};`);
});

inSoak('keeps a limit that fits', async () => {
  await using world = await startCaller((cwd) => [read(`${cwd}/long.txt`, { limit: 100 })]);
  file(world, 'long.txt', LONG);
  await runTools(world, { env: SET });

  expect(linesOf(given(world)[0] ?? '')).toHaveLength(100);
  expect(limits(world)).toEqual([]);
});

it('a file that claude alone would refuse is read in parts as large as claude allows', async () => {
  const text = numbered(8_000);
  await using world = await startAgent((cwd) => reader(`${cwd}/huge.txt`));
  file(world, 'huge.txt', text);
  await runTools(world);

  expect(text.length).toBeGreaterThan(256 * 1_024);
  expectParts(given(world), text, 20_000 * 4);
});

it('does not cut a file that claude reads whole', async () => {
  const text = numbered(1_500);
  await using world = await startCaller((cwd) => [read(`${cwd}/long.txt`)]);
  file(world, 'long.txt', text);
  await runTools(world);

  expect(text.length).toBeGreaterThan(ALLOCATION);
  expect(limits(world)).toEqual([]);
  expectParts(given(world), text);
});

inSoak('cuts a file of one long line, which no limit makes shorter', async () => {
  await using world = await startCaller((cwd) => [read(`${cwd}/line.txt`)]);
  file(world, 'line.txt', 'word '.repeat(12_000));
  await runTools(world, { env: SET });

  const [result = ''] = given(world);
  expect(result.length).toBeLessThan(ALLOCATION);
  expect(result).toContain('.context/tool-results/');
});

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Larger than a result may be, and together within the plan for a turn, so that the agent is told nothing of it. */
const LEFT_ALONE: readonly (readonly [path: string, content: string | Uint8Array])[] = [
  ['short.txt', numbered(400)],
  ['empty.txt', ''],
  ['picture.png', PICTURE],
  ['large.png', Buffer.concat([PICTURE, Buffer.alloc(40_000)])],
  ['data.bin', Buffer.alloc(40_000, 'a\0b\n')],
  ['binary-after-all.txt', Buffer.alloc(40_000, 'a\0b, and words to the end of this line\n')],
  ['notebook.ipynb', notebook(120)],
];

inSoak('does not limit short files, pictures, binary files, notebooks, folders and missing files', async () => {
  const [off, enforce] = await Promise.all(
    ['off', 'enforce'].map(async (mode) => {
      const asked = [...LEFT_ALONE.map(([path]) => path), '.', 'missing.txt'];
      await using world = await startCaller((cwd) => asked.map((path) => read(`${cwd}/${path}`)));
      for (const [path, content] of LEFT_ALONE) file(world, path, content);
      await runTools(world, { flags: ['--tool-budgets', mode] });
      expect(limits(world)).toEqual([]);
      return resultBlocks(world);
    }),
  );

  expect(enforce).toHaveLength(LEFT_ALONE.length + 2);
  expect(enforce).toEqual(off);
});

inSoak('passes the fourth Read of the same file in a row whole', async () => {
  const text = numbered(1_000);
  await using world = await startCaller((cwd) => Array(4).fill(read(`${cwd}/long.txt`)));
  file(world, 'long.txt', text);
  await runTools(world, { env: SET });

  expect(limits(world)).toHaveLength(3);
  expectParts(given(world).slice(-1), text);
});

/** All parts together are the file, and each is as large as it may be; a small rest comes with the last. */
function expectParts(parts: readonly string[], text: string, most = ALLOCATION): void {
  const lines = parts.flatMap(linesOf);
  // Compared line by line, so that a fault is told with a line and not with the file.
  for (const [index, line] of text.split('\n').entries()) expect(lines[index]).toEqual({ number: index + 1, line });
  expect(lines).toHaveLength(text.split('\n').length);
  if (parts.length > 1) for (const part of parts) expect(part.length).toBeLessThan(1.1 * most);
}

function limits(world: World): number[] {
  return journal(world).flatMap((decision) =>
    decision.kind === 'tool-budget' && decision.of === 'call' ? [decision.value] : [],
  );
}

/** The results as they reached the API, without the folder they are about and what 2.1.329 counts behind the last. */
function resultBlocks({ standin, scratch }: World): string[] {
  const blocks = (mainRequests(standin).at(-1)?.body.messages ?? []).flatMap(({ content }) => content as object[]);
  return blocks.flatMap((block) => {
    if (!('tool_use_id' in block)) return [];
    const text = JSON.stringify(block).replaceAll(scratch.cwd, '').slice(0, 50_000);
    return [text.replace(/(?:\\n)*<system-reminder>\\n<total_tokens>.*<\/system-reminder>/, '')];
  });
}

function notebook(cells: number): string {
  const source = ['words of a cell '.repeat(20)];
  const cell = { cell_type: 'markdown', metadata: {}, source };
  return JSON.stringify({ cells: Array(cells).fill(cell), metadata: {}, nbformat: 4, nbformat_minor: 5 });
}

/** An agent that has something to say first. */
function laterOn({ calls }: Scenario): Scenario {
  return {
    calls: (request, index) =>
      index === 0 || typeof calls !== 'function' ? { text: 'hello' } : calls(request, index - 1),
  };
}
