import type { Block, Call, RequestBody } from './scenario.ts';

export interface Usage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly output_tokens: number;
}

export type Message = Readonly<Omit<ReturnType<typeof buildMessage>, 'stop_reason'>> & { readonly stop_reason: string };

/** The number of the answer, the previous context in tokens, and fresh tool ids. */
export interface AnswerContext {
  readonly number: number;
  readonly lastContext: number;
  readonly nextToolId: () => string;
}

// Tokens of a call that are never cached. A real call has a few even if the cache has everything before.
const UNCACHED_TOKENS = 4;
const CHARS_PER_TOKEN = 4;

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

export function contextOf(usage: Usage): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}

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

export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events of a streamed answer. Like the API's, the first event has a placeholder for the output tokens. */
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

export function formatEvent(event: StreamEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function blockEvents(block: Block, index: number): StreamEvent[] {
  const { empty, deltas } = splitBlock(block);
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** Splits a block: its contents at its start, and the events that fill it. */
function splitBlock({ type, text, thinking, signature, input }: Block): { empty?: object; deltas: object[] } {
  switch (type) {
    case 'text':
      return { empty: { text: '' }, deltas: [{ type: 'text_delta', text }] };
    case 'thinking': {
      const deltas = [
        { type: 'thinking_delta', thinking },
        { type: 'signature_delta', signature },
      ];
      return { empty: { thinking: '', signature: '' }, deltas };
    }
    case 'tool_use':
      return { empty: { input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }] };
    default:
      return { deltas: [] };
  }
}
