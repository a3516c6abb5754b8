import { expect, it } from 'vitest';
import { readBlocks } from '../../../src/core/protocol/blocks.ts';
import { createSkipper } from '../../../src/replay/light/quick-reader.ts';
import { sizedBlock } from '../../../src/replay/read/row-parts.ts';
import { createRandom } from '../../support/random.ts';

const answer = (content: unknown) => ({
  parentUuid: null,
  sessionId: 's1',
  type: 'assistant',
  message: {
    id: 'msg_1',
    role: 'assistant',
    model: 'claude-opus-4-5',
    content,
    stop_reason: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
  uuid: 'row 1',
  timestamp: '2026-05-01T10:00:00.000Z',
});

/** The blocks of the last of some answers, read by the forms of the answers before it. */
function readLast(rows: readonly string[], needsTexts = false) {
  const skip = createSkipper(() => needsTexts);
  const [last] = rows.map((row) => skip(Buffer.from(row), 0, Buffer.byteLength(row))).slice(-1);
  return last?.kind === 'parts' ? last.own[2] : last?.kind;
}

const use = (input: unknown, name = 'Bash') => ({ type: 'tool_use', id: 'toolu_1', name, input });
const FIRST = {
  text: { type: 'text', text: 'a' },
  thinking: { type: 'thinking', thinking: 'a', signature: 'b' },
  tool_use: use({ a: 'b' }, 'Read'),
};

const PLAN = { plan: 'Some words.' };
const SIGNED = { command: 'Co-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>' };

it.each([
  { name: 'a text', block: { type: 'text', text: 'Some words.\n"é"' } },
  { name: 'an emoji', block: { type: 'text', text: '😀' } },
  { name: 'a thought', block: { type: 'thinking', thinking: 'Some words.', signature: 'c'.repeat(400) } },
  { name: 'a hidden thought', block: { type: 'thinking', thinking: '', signature: 'c'.repeat(4_000) } },
  { name: 'strings', block: use({ command: 'git commit -m "x"\n', description: 'Commit' }) },
  { name: 'plain values', block: use({ file_path: '/a', offset: 120, all: false, count: 0, none: null, some: true }) },
  { name: 'other numbers', block: use({ a: -1, b: 1.5, c: 1e21 }) },
  { name: 'no field', block: use({}) },
  { name: 'nested values', block: use({ todos: [{ content: 'one', status: 'done' }] }) },
  { name: 'no object', block: use('text') },
  { name: 'names that a parser sorts', block: use({ b: 'bb', 1: 'a' }) },
  { name: 'a plan', block: use(PLAN, 'ExitPlanMode') },
  { name: 'the kind of a subagent', block: use({ subagent_type: 'Explore', prompt: 'Look.' }, 'Task') },
  { name: 'the window that a commit is signed with', block: use(SIGNED) },
  { name: 'a long input', block: use({ file_path: '/a', content: 'line of text\n'.repeat(4_000), all: false }) },
])('sizes $name as if it were parsed', ({ block }) => {
  const rows = [FIRST[block.type as keyof typeof FIRST], block].map((each) => JSON.stringify(answer([each])));
  const blocks = readBlocks([block]);
  expect(readLast(rows)).toEqual(sizedBlock(blocks));
  expect(readLast(rows, true)).toEqual(blocks);
});

it.each([
  { name: 'repeated names', input: '{"a":"one","a":"two words"}' },
  { name: 'a name with an escape', input: String.raw`{"a\n":"b"}` },
  { name: 'a hidden subagent', input: String.raw`{"subagent\u005ftype":"Explore"}` },
  { name: 'spaces', input: '{ "a": "b" }' },
  { name: 'a number with an exponent', input: '{"a":1e2}' },
])('sizes $name as if they were parsed', ({ input }) => {
  const rows = [FIRST.tool_use, use('INPUT')].map((each) => JSON.stringify(answer([each])));
  const blocks = readBlocks([use(JSON.parse(input))]);
  expect(readLast(rows.map((row) => row.replace('"INPUT"', input)))).toEqual(sizedBlock(blocks));
});

it.each(['{"a":"b"', '{"a":"b",}', '{"a" "b"}', '{"a":b}', '{"a":"b"}}', '{"a":01}'])(
  'reads no row with %s',
  (input) => {
    const rows = [FIRST.tool_use, use('INPUT')].map((each) => JSON.stringify(answer([each])));
    expect(readLast(rows.map((row) => row.replace('"INPUT"', input)))).toBeUndefined();
  },
);

it('sizes random inputs as if they were parsed', () => {
  const random = createRandom(7);
  const values: readonly [unknown, ...unknown[]] = ['', 'word', 'é中\n', '"', '😀', 7, true, null, ['a'], { b: 'c' }];
  for (let round = 0; round < 2_000; round++) {
    const names = Array.from({ length: random.whole(0, 4) }, () => random.pick(['a', 'b_1', 'C', '0', 'd e', 'é']));
    const block = use(Object.fromEntries(names.map((name) => [name, random.pick(values)])));
    const rows = [FIRST.tool_use, block].map((each) => JSON.stringify(answer([each])));
    expect(readLast(rows)).toEqual(sizedBlock(readBlocks([block])));
  }
});
