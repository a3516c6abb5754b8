import { spaced, wholeCharacter } from './words.ts';

/** Code blocks, and the marks of headings and list items. */
const CODE = /^[ \t]*(```|~~~)[\s\S]*?(?:\n[ \t]*\1.*$|$(?![\s\S]))/gm;
const MARKS = /^[ \t]*(?:#{1,6}|[-*+•–]|\(?\d{1,3}[.)])[ \t]+(?:\[[ x]\][ \t]+)?/gm;

/** UTF-16 units of a text that are read for its first sentences. */
const NEAR = 20_000;

/** The first sentences or words of a text that fit into `length` UTF-16 units, on one line, without code blocks. */
export function firstSentences(text: string, length: number): string {
  const words = spaced(text.slice(0, NEAR).replace(CODE, '\n').replace(MARKS, '')).trim();
  const taken = words.slice(0, endBefore(words, length - 1)).trimEnd();
  return taken.length === words.length || /[.!?:。！？]\W?$/.test(taken) ? taken : `${taken}…`;
}

/**
 * Where to cut a text to at most `length` UTF-16 units: after a sentence, a line or a word in its second half, if
 * possible.
 */
export function endBefore(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const part = text.slice(0, length);
  const ends = [lastMatch(part, /[.!?:][)"'”’]?(?=\s)|[。！？]|\n/g), lastMatch(part, /\S(?=\s)/g)];
  const end = ends.find((at) => at > length / 2) ?? length;
  return wholeCharacter(text, end);
}

function lastMatch(text: string, pattern: RegExp): number {
  let end = 0;
  for (const match of text.matchAll(pattern)) end = match.index + match[0].length;
  return end;
}
