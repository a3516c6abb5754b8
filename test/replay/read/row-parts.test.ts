import { expect, it } from 'vitest';
import { measureBlock } from '../../../src/core/governor/gauge/estimator.ts';
import { readBlocks } from '../../../src/core/protocol/blocks.ts';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import type { AssistantEvent } from '../../../src/core/protocol/events.ts';
import { eventOf, sizedBlock } from '../../../src/replay/read/row-parts.ts';

const shared = decodeObject({ type: 'assistant', message: { content: [] } }) as AssistantEvent;

/** The blocks of an answer after its texts were left out where that is possible. */
function rebuilt(...content: readonly object[]) {
  const own = [undefined, undefined, sizedBlock(readBlocks(content)), 'msg_1', true, 1, 2, 3, 4, 0] as const;
  return (eventOf({ kind: 'parts', shared, own, id: undefined }) as AssistantEvent).blocks;
}

const use = (name: string, input: object) => ({ type: 'tool_use', id: 'toolu_1', name, input });

it.each([
  { name: 'a text', block: { type: 'text', text: 'Some words.' } },
  { name: 'a thought', block: { type: 'thinking', thought: '', thinking: 'Some words.', signature: 'a'.repeat(400) } },
  { name: 'a hidden thought', block: { type: 'redacted_thinking', data: 'a'.repeat(4_000) } },
  { name: 'a tool call', block: use('Edit', { file_path: '/a.ts', old_string: 'a', new_string: 'b'.repeat(99) }) },
  { name: 'a commit without a window', block: use('Bash', { command: 'git commit -m x' }) },
])('keeps the size of $name without its texts', ({ block }) => {
  const [whole] = readBlocks([block]);
  const [found] = rebuilt(block);
  expect(found).toMatchObject({ type: whole?.type, size: expect.anything() });
  expect(JSON.stringify(found)).not.toMatch(/words|b{99}|git/);
  expect(found && measureBlock(found)).toEqual(whole && measureBlock(whole));
  if (whole?.type === 'tool_use') expect(found).toMatchObject({ id: whole.id, name: whole.name });
});

it.each([
  { name: 'the kind of a subagent', content: [use('Task', { subagent_type: 'Explore', prompt: 'Look.' })] },
  {
    name: 'the window that a commit is signed with',
    content: [use('Bash', { command: 'Co-Authored-By: Claude Opus 4.6 (1M context) <noreply@anthropic.com>' })],
  },
  { name: 'several blocks', content: [{ type: 'text', text: 'a' }, use('Read', { file_path: '/a.ts' })] },
  { name: 'a picture', content: [{ type: 'image' }] },
  { name: 'no block', content: [] },
])('keeps $name', ({ content }) => {
  expect(rebuilt(...content)).toEqual(readBlocks(content));
});
