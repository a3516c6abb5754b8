import type { Block, ToolUse } from '../core/protocol/block.ts';
import { fieldsOf } from '../core/protocol/fields.ts';

/** Paths and figures, which identify something. */
const IDENTIFIER = /(?<![\w./@~-])(?:[~/]|\.{1,2}\/)?(?:[\w.@-]+\/)+[\w.@-]*\w|(?<![\w.-])\d{3,}(?!\w|[.-]\w)/g;

/** Tool parameters with new file contents, which the model writes itself. */
const CONTENT_KEYS = new Set(['content', 'new_string', 'new_source', 'edits', 'todos']);

/** Minimum length of a line; shorter lines occur anywhere. */
const LINE_LENGTH = 12;

/** The words of a block that come from earlier texts: paths and figures, and the lines that an edit replaces. */
export function wordsIn(block: Block): readonly string[] {
  if (block.type === 'text') return block.text.match(IDENTIFIER) ?? [];
  if (block.type !== 'tool_use') return [];
  return stringsIn(block).flatMap(([field, text]) => {
    if (CONTENT_KEYS.has(field)) return [];
    if (field !== 'old_string') return text.match(IDENTIFIER) ?? [];
    const lines = text.split('\n').map((line) => line.trim());
    return lines.filter(({ length }) => length >= LINE_LENGTH);
  });
}

/** The texts that the model wrote: new contents of files. */
export function ownWords(use: ToolUse): readonly string[] {
  return stringsIn(use).flatMap(([field, text]) => (CONTENT_KEYS.has(field) ? [text] : []));
}

function stringsIn({ input }: ToolUse) {
  return Object.entries(fieldsOf(input)).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

/** Searches a text for words. The first search makes an index, with which later ones rarely read the text. */
export function textSearch(text: string): (word: string) => boolean {
  let sequences: Uint32Array | undefined;
  return (word) => {
    sequences ??= sequencesIn(text);
    return mayContain(sequences, word) && text.includes(word);
  };
}

/** Length of a sequence in UTF-16 code units. Nearly all words are longer, so the bits alone answer most searches. */
const SEQUENCE = 4;

/**
 * The sequences of characters in a text: at least four bits for each character. Begins at the end, where words differ
 * most.
 */
function sequencesIn(text: string): Uint32Array {
  const bits = new Uint32Array(2 ** Math.ceil(Math.log2(text.length / 8 + 1)));
  let hash = 0;
  for (let at = text.length - 1; at >= 0; at--) {
    hash = (hash << 8) ^ text.charCodeAt(at);
    const place = placeIn(bits, hash);
    bits[place] = (bits[place] as number) | bitOf(hash);
  }
  return bits;
}

function mayContain(bits: Uint32Array, word: string): boolean {
  let hash = 0;
  for (let at = word.length - 1; at >= 0; at--) {
    hash = (hash << 8) ^ word.charCodeAt(at);
    const isWhole = word.length - at >= SEQUENCE;
    if (isWhole && ((bits[placeIn(bits, hash)] as number) & bitOf(hash)) === 0) return false;
  }
  return true;
}

const placeIn = ({ length }: Uint32Array, hash: number) => (Math.imul(hash, 0x9e3779b1) >>> 12) & (length - 1);
const bitOf = (hash: number) => 1 << (Math.imul(hash, 0x9e3779b1) >>> 7);
