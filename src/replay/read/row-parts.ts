import { sizeOf } from '../../core/governor/gauge/text-size.ts';
import { familyInSignature } from '../../core/governor/gauge/window.ts';
import type { Block, TextBlock } from '../../core/protocol/block.ts';
import type { AssistantEvent, OtherEvent, UserEvent } from '../../core/protocol/events.ts';
import { fieldsOf } from '../../core/protocol/fields.ts';
import { type Usage, withTerms } from '../../core/protocol/usage.ts';

type LogEvent = AssistantEvent | UserEvent | OtherEvent;

/** A row of a session log that was decoded without parsing all of it; `id` as in `Row`. */
export interface RowParts {
  readonly kind: 'parts';
  /** The fields that all rows of its form share. */
  readonly shared: LogEvent;
  readonly own: OwnParts;
  readonly id: number | undefined;
}

/** A tuple, because objects take several times as long to send to a thread. The counts are those of the usage. */
type OwnParts = readonly [
  uuid: string | undefined,
  timestamp: number | undefined,
  blocks: readonly Block[] | SizedBlock,
  messageId?: string,
  hasFinalOutput?: boolean,
  ...counts: number[],
];

/** The only block of a row, of which no figure needs the texts. */
export type SizedBlock = readonly [
  type: TextBlock['type'],
  tokens: number,
  chars: number,
  id?: string | undefined,
  name?: string,
];

/** Rebuilds the event of a row. */
export function eventOf({ shared, own }: RowParts): LogEvent {
  const [uuid, timestamp, found] = own;
  if (shared.kind !== 'assistant' && shared.kind !== 'user') return { ...shared, uuid, timestamp };
  const blocks = isSized(found) ? [blockOf(found, shared.blocks[0])] : found;
  if (shared.kind === 'user') return { ...shared, uuid, timestamp, blocks };
  const [, , , messageId = '', hasFinalOutput = false] = own;
  // Faster than a spread with all of these fields.
  return Object.assign(
    { ...shared },
    { uuid, timestamp, messageId, usage: usageIn(own, shared), hasFinalOutput, blocks },
  );
}

/** The usage of an answer. @param shared with the terms of the usage */
export function usageIn(own: OwnParts, { usage: known }: Pick<AssistantEvent, 'usage'>): Usage {
  const [, , , , , input = 0, cacheCreation = 0, cacheRead = 0, output = 0, hour = 0] = own;
  return withTerms({ input, cacheCreation, cacheRead, output }, hour, known?.terms);
}

function isSized(found: OwnParts[2]): found is SizedBlock {
  return typeof found[0] === 'string';
}

/** @param known a block of another row of the form */
function blockOf([type, tokens, chars, id = '', name = '']: SizedBlock, known: Block | undefined): Block {
  const size = { tokens, chars };
  if (type === 'tool_use') return { type, id, name, input: undefined, size };
  if (type !== 'tool_result') return { type, text: '', signatureLength: 0, size };
  // Not a copy of `known`: V8 gives such copies another hidden class, which slows down all readers of blocks.
  const isError = known?.type === type && known.isError;
  return { type, toolUseId: id, isError, text: '', images: 0, definitions: [], size };
}

/** The only block with its size in place of its texts; all blocks if some figure needs more. */
export function sizedBlock(blocks: readonly Block[]): readonly Block[] | SizedBlock {
  const [block, ...others] = blocks;
  if (others.length > 0 || block === undefined || !('text' in block || block.type === 'tool_use')) return blocks;
  const { tokens, chars } = sizeOf(block);
  if (block.type === 'tool_result') {
    const isPlain = block.texts === undefined && block.images === 0 && block.definitions.length === 0;
    return isPlain ? [block.type, tokens, chars, block.toolUseId] : blocks;
  }
  if (block.type !== 'tool_use') return [block.type, tokens, chars];
  const { subagent_type, command } = fieldsOf(block.input);
  const isRead = subagent_type !== undefined || familyInSignature(command) !== undefined;
  return isRead ? blocks : [block.type, tokens, chars, block.id, block.name];
}
