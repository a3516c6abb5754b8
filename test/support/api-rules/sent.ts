import type { Block, RequestBody } from '../standin/scenario.ts';

/** A content block of a request, and its place as the API names it: `messages.1.content.0`. */
export interface Placed {
  readonly block: Block;
  readonly at: string;
}

export interface Turn {
  readonly role: string;
  readonly at: string;
  readonly blocks: readonly Placed[];
}

/** A request as the rules look at it. */
export interface Sent {
  readonly body: RequestBody;
  readonly model: string;
  readonly thinking: Readonly<Record<string, unknown>>;
  readonly thinks: boolean;
  readonly tools: readonly Block[];
  readonly system: readonly Placed[];
  readonly messages: readonly Turn[];
  /** The messages without those of the system, neighbors of one role joined, as the API does. */
  readonly turns: readonly Turn[];
}

export function sentOf(body: RequestBody): Sent {
  const thinking = fieldsOf(body.thinking);
  const messages = (body.messages ?? []).map(({ role, content }, index) => {
    const at = `messages.${index}`;
    return { role, at, blocks: placed(content, `${at}.content`) };
  });
  return {
    ...{ body, model: body.model ?? '', thinking, messages, turns: joined(messages) },
    thinks: thinking.type === 'enabled' || thinking.type === 'adaptive',
    tools: (body.tools ?? []) as readonly Block[],
    system: placed(body.system, 'system'),
  };
}

/** Blocks inside a block: the parts of a tool's result. */
export function partsOf({ block, at }: Placed): readonly Placed[] {
  return Array.isArray(block.content) ? placed(block.content, `${at}.content`) : [];
}

export function isThought({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

/** Identifies a thought. */
export function signatureOf(block: Block): string {
  return String(block.signature ?? block.data ?? '');
}

/** A block as it counts for comparisons: marks of the cache are not part of it. */
export function plain(value: unknown): string {
  return JSON.stringify(value, (key, part) => (key === 'cache_control' ? undefined : part));
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function placed(content: unknown, at: string): Placed[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return Array.isArray(blocks) ? blocks.map((block: Block, index) => ({ block, at: `${at}.${index}` })) : [];
}

function joined(messages: readonly Turn[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages.filter(({ role }) => role !== 'system')) {
    const last = turns.at(-1);
    if (last?.role !== message.role) turns.push(message);
    else turns[turns.length - 1] = { ...last, blocks: [...last.blocks, ...message.blocks] };
  }
  return turns;
}
