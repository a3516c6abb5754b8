import type { Block, Call, RequestBody } from './scenario.ts';

/** The `usage` object of the Messages API, in tokens. */
export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

/** A message of the API. */
export type Message = Readonly<Omit<ReturnType<typeof buildMessage>, 'stop_reason'>> & { readonly stop_reason: string };

/**
 * Data for an answer besides its call: the number of the answer, the previous context in tokens, and fresh tool ids.
 */
export interface AnswerContext {
  readonly number: number;
  readonly lastContext: number;
  readonly nextToolId: () => string;
}

// Even if the cache covers everything before, a real call has a few uncached tokens.
const UNCACHED_TOKENS = 4;
const CHARS_PER_TOKEN = 4;

/** Builds the message that answers `body` with the contents of `call`. */
export function buildMessage(call: Call, body: RequestBody, context: AnswerContext) {
  const content = buildBlocks(call, context);
  const usesTool = content.some((block) => block.type === 'tool_use');
  return {
    id: numberedId('msg', context.number),
    type: 'message' as const,
    role: 'assistant' as const,
    model: body.model ?? 'claude-standin',
    content,
    stop_reason: usesTool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: buildUsage(call.context ?? context.lastContext, context.lastContext, content),
  };
}

/** All input-side tokens of a call, which Claude Code counts as the size of its context. */
export function contextOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

/** The id of the n-th object of its kind, from 1: `msg_standin_0001`. */
export function numberedId(prefix: string, number: number): string {
  return `${prefix}_standin_${String(number).padStart(4, '0')}`;
}

/** Estimated tokens of a value as JSON, at four characters per token as Claude Code assumes. */
export function estimateTokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / CHARS_PER_TOKEN);
}

function buildBlocks(call: Call, { number, nextToolId }: AnswerContext): Block[] {
  const blocks: Block[] = [];
  if (call.thinking !== undefined) {
    blocks.push({ type: 'thinking', thinking: call.thinking, signature: numberedId('thought', number) });
  }
  if (call.text !== undefined) blocks.push({ type: 'text', text: call.text });
  for (const tool of call.tools ?? []) blocks.push({ type: 'tool_use', id: nextToolId(), ...tool });
  return blocks;
}

function buildUsage(total: number, cached: number, content: readonly Block[]): Usage {
  const input_tokens = Math.min(UNCACHED_TOKENS, total);
  const cache_read_input_tokens = Math.min(cached, total - input_tokens);
  const cache_creation_input_tokens = total - input_tokens - cache_read_input_tokens;
  const output_tokens = estimateTokens(content);
  return { input_tokens, cache_creation_input_tokens, cache_read_input_tokens, output_tokens };
}

/** A server-sent event, named after the `type` of its data. */
type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

type Delta = { readonly type: string } & Readonly<Record<string, unknown>>;

const TEXT_PIECES = 3;

/**
 * The events in which the API streams a message. Like the API's, the first one has a placeholder for the output tokens.
 */
export function streamEvents(message: Message): StreamEvent[] {
  const { usage, stop_reason, stop_sequence } = message;
  const opening = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: 'message_start', message: opening },
    { type: 'ping' },
    ...message.content.flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
    { type: 'message_stop' },
  ];
}

/** The bytes of one event on the wire. */
export function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const { start, deltas } = split(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function split(block: Block) {
  switch (block.type) {
    case 'text':
      return {
        start: { ...block, text: '' },
        deltas: pieces(String(block.text)).map((text) => ({ type: 'text_delta', text })),
      };
    case 'thinking':
      return { start: { ...block, thinking: '', signature: '' }, deltas: thinkingDeltas(block) };
    case 'tool_use':
      return {
        start: { ...block, input: {} },
        deltas: pieces(JSON.stringify(block.input)).map((json) => ({ type: 'input_json_delta', partial_json: json })),
      };
    default:
      return { start: block, deltas: [] };
  }
}

function thinkingDeltas(block: Block): Delta[] {
  const thoughts = pieces(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking }));
  return [...thoughts, { type: 'signature_delta', signature: block.signature }];
}

/** Cuts between characters, so that no piece ends in half a surrogate pair. */
function pieces(text: string): string[] {
  const characters = Array.from(text);
  const size = Math.max(1, Math.ceil(characters.length / TEXT_PIECES));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, i) =>
    characters.slice(i * size, (i + 1) * size).join(''),
  );
}
