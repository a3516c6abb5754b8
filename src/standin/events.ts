import type { Message } from './answer.ts';
import type { Block } from './scenario.ts';

/** One server-sent event; its name is the `type` of its data. */
export type StreamEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

type Delta = { readonly type: string } & Readonly<Record<string, unknown>>;

const TEXT_PIECES = 3;

/** The events in which the API streams a message. The first has a placeholder for the output tokens, as the API's has. */
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

function split(block: Block): { start: Block; deltas: Delta[] } {
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
