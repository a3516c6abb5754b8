import type { AssistantEvent, Block, UserEvent } from '../../protocol/events.ts';
import { jsonText } from '../../protocol/fields.ts';
import { remember } from '../remember.ts';

/** The newest messages of the main thread: a compaction names those that stay by their ids. */
export interface RecentMessages {
  add(message: AssistantEvent | UserEvent): void;
  textsOf(uuids: readonly string[] | undefined): string[];
}

/** claude keeps the last round, which has rarely more than a few messages. */
const MESSAGES = 64;

/** Characters of a message that is remembered: larger ones would keep much memory for little. */
const MESSAGE_LIMIT = 100_000;

export function createRecentMessages(): RecentMessages {
  const messages = new Map<string, string>();
  return {
    add({ uuid, blocks }) {
      if (uuid === undefined) return;
      const text = blocks.map(textOf).join('\n');
      if (text.length <= MESSAGE_LIMIT) remember(messages, uuid, text, MESSAGES);
    },
    textsOf: (uuids = []) => uuids.flatMap((uuid) => messages.get(uuid) ?? []),
  };
}

/** What the model reads in it. */
function textOf(block: Block): string {
  if (block.type === 'text' || block.type === 'tool_result') return block.text;
  if (block.type !== 'tool_use') return '';
  const input = block.input;
  // A command or a path stands there whole, however it is quoted in JSON.
  const values = typeof input === 'object' && input !== null ? Object.values(input) : [input];
  return values.map((value) => (typeof value === 'string' ? value : jsonText(value))).join('\n');
}
