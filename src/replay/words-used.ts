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
