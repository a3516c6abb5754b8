import { thoughtSize } from '../../core/governor/gauge/text-size.ts';
import { expectedTokens } from '../../core/governor/gauge/token-estimate.ts';
import type { Block } from '../../core/protocol/block.ts';
import { readBlocks } from '../../core/protocol/blocks.ts';
import { type Fields, fieldsOf, listOf, mapFields, ownOf, parseJson, stringOf } from '../../core/protocol/fields.ts';
import { type SizedBlock, sizedBlock } from '../read/row-parts.ts';
import { unitsIn } from './json-units.ts';
import { type Layout, slot } from './layout.ts';
import { CONTENT } from './row-pattern.ts';

/** The form of the only block of a message. */
export interface BlockForm {
  readonly type: keyof typeof CONTENT_FIELDS;
  /** The block with a hole for its text or input. */
  readonly pattern: Fields;
  /** Reads a block; undefined for invalid JSON. @param needsTexts whether more than sizes currently matters */
  readerIn(layout: Layout, needsTexts: () => boolean): () => readonly Block[] | SizedBlock | undefined;
}

/** The field with the text or the input, by the type of the block. */
const CONTENT_FIELDS = { text: 'text', thinking: 'thinking', tool_use: 'input', tool_result: 'content' };

/** Other strings that differ from block to block. */
const OWN_FIELDS = ['id', 'name', 'tool_use_id', 'signature'];

/** Returns undefined for several blocks, and for a block without text. */
export function blockForm(content: unknown): BlockForm | undefined {
  const [block, ...others] = listOf(content).map(fieldsOf);
  const type = stringOf(block?.type) as BlockForm['type'];
  const field = ownOf(CONTENT_FIELDS, type);
  if (block === undefined || others.length > 0 || field === undefined || !(field in block)) return undefined;
  const names = OWN_FIELDS.filter((name) => typeof block[name] === 'string');
  const slots = Object.fromEntries(names.map((name) => [name, slot(`block ${name}`)]));
  return {
    type,
    pattern: { ...block, ...slots, [field]: CONTENT },
    readerIn(layout, needsTexts) {
      const content = layout.bytesOf(CONTENT);
      const texts = mapFields(slots, layout.textOf);
      const owned = Object.entries(texts);
      const parsed = () => {
        const value = parseJson(`${content()}`);
        if (value === undefined) return undefined;
        const whole: Record<string, unknown> = { ...block, [field]: value };
        for (const [name, read] of owned) whole[name] = read();
        return readBlocks([whole]);
      };
      const sized = (): SizedBlock | undefined => {
        const units = type === 'tool_use' ? undefined : unitsIn(content());
        if (units === undefined) return undefined;
        const size = { tokens: expectedTokens(units), chars: units.length };
        if (type === 'tool_result') return [type, size.tokens, size.chars, texts.tool_use_id?.()];
        const { tokens, chars } = type === 'text' ? size : thoughtSize(size, texts.signature?.()?.length ?? 0);
        return [type, tokens, chars];
      };
      return () => {
        if (needsTexts()) return parsed();
        const found = sized();
        if (found !== undefined) return found;
        const blocks = parsed();
        return blocks && sizedBlock(blocks);
      };
    },
  };
}
