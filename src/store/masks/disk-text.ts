import { fieldsOf, isFields, parseJson } from '../../core/protocol/fields.ts';
import { redact } from './redact.ts';

declare const MAY_BE_WRITTEN: unique symbol;

/**
 * A text that may be written to disk. All writers accept only this type, so each text was masked, or marked as needing
 * no mask.
 */
export type DiskText = string & { readonly [MAY_BE_WRITTEN]: true };

/** Masks secrets. Keeps the number of lines; several texts are joined as lines. */
export function masked(text: string | readonly string[]): DiskText {
  return redact(text, { keepLines: true }) as DiskText;
}

/** Converts a value to JSON. Masks secrets in strings, keys, and pairs of a key and a string. */
export function maskedJson(value: object, indent?: number): DiskText {
  const json = JSON.stringify(value, (_, part: unknown) => withoutSecrets(part), indent);
  const whole = redact(json);
  return (whole === json || parseJson(whole) !== undefined ? whole : json) as DiskText;
}

/** Like maskedJson, for an entry whose `line` contains JSON. */
export function maskedEntry(entry: object): DiskText {
  const { line } = fieldsOf(entry);
  if (typeof line !== 'string') return maskedJson(entry);
  const value = parseJson(line);
  return unmaskedText(JSON.stringify({ ...entry, line: isFields(value) ? maskedJson(value) : redact(line) }));
}

function withoutSecrets(part: unknown): unknown {
  if (typeof part === 'string') return redact(part);
  if (Array.isArray(part)) return part.filter(isTextBlock).length > 1 ? blocksWithoutSecrets(part) : part;
  if (!isFields(part)) return part;
  const names = Object.keys(part);
  const hidden = names.map((name) => redact(name));
  if (hidden.every((name, index) => name === names[index])) return part;
  return Object.fromEntries(Object.values(part).map((value, index) => [hidden[index], value]));
}

type TextBlock = { readonly type: 'text'; readonly text: string };

/** If a secret continues in the next block, all text moves into the first text block. */
function blocksWithoutSecrets(blocks: readonly unknown[]): readonly unknown[] {
  const texts = blocks.filter(isTextBlock).map(({ text }) => text);
  const text = redact(texts);
  if (text === redact(texts.join('\n'))) return blocks;
  const first = blocks.findIndex(isTextBlock);
  return blocks.flatMap((block, index) =>
    index === first ? [{ type: 'text', text }] : isTextBlock(block) ? [] : [block],
  );
}

function isTextBlock(block: unknown): block is TextBlock {
  return typeof fieldsOf(block).text === 'string';
}

/**
 * Does not mask. Use it only for the user's own files and records; for texts that claude must get unchanged (sealed,
 * and removed once answered); and for values that ctxb itself generates (a key, a number).
 */
export function unmaskedText(text: string): DiskText {
  return text as DiskText;
}

export function joinTexts(texts: Iterable<DiskText>, end = ''): DiskText {
  let all = '';
  for (const text of texts) all += text + end;
  return all as DiskText;
}
