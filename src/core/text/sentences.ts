import { spaced, wholeCharacter } from './words.ts';

/** A sentence of a prompt, on one line, with the line that introduces its list. */
interface Sentence {
  readonly text: string;
  /** The line above the list, such as `Rules:`; undefined outside of a list. */
  readonly lead: string | undefined;
}

/**
 * Longest text that is read whole, in UTF-16 units. The middle of a longer text is pasted, so only both ends are read.
 */
const LONGEST_TEXT = 200_000;

/** A shorter line was ended by its author, not wrapped by an editor. In UTF-16 units. */
const WRAPPED_FROM = 60;

const FENCE = /^\s*(?:```|~~~)/;
const BULLET = /^\s*(?:[-*+•–]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+(?:\[[ x]\]\s+)?/i;
const BULLETS = new RegExp(BULLET, 'gim');
const HEADING = /^\s*#{1,6}\s+/;

/** The text without list markers, so that items read like sentences. */
export function withoutBullets(text: string): string {
  return text.replace(BULLETS, ' ');
}

/** The sentences of a text, in order, without code blocks. A list item has one sentence or more. */
export function sentencesOf(text: string): Sentence[] {
  const found: Sentence[] = [];
  let lead: string | undefined;
  for (const { words, isItem } of blocksOf(limitLength(text))) {
    const sentences = splitBlock(words);
    found.push(...sentences.map((sentence) => ({ text: sentence, lead: isItem ? lead : undefined })));
    const last = sentences.at(-1);
    if (!isItem) lead = last?.endsWith(':') ? last : undefined;
  }
  return found;
}

/**
 * The first sentences of a text that fit into `length` UTF-16 units, on one line. If the first sentence is too long: as
 * many of its words as fit, and an ellipsis.
 */
export function firstSentences(text: string, length: number): string {
  let taken = '';
  for (const { text: sentence } of sentencesOf(text)) {
    const next = taken === '' || /[。！？]$/.test(taken) ? taken + sentence : `${taken} ${sentence}`;
    if (next.length > length) return taken || `${sentence.slice(0, endBefore(sentence, length - 1)).trimEnd()}…`;
    taken = next;
  }
  return taken;
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

function limitLength(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT / 2)}\n\n${text.slice(-LONGEST_TEXT / 2)}`;
}

interface TextBlock {
  readonly words: string;
  readonly isItem: boolean;
}

/** Paragraphs and list items, each on one line. */
function blocksOf(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let open: { words: string; isItem: boolean; lastLine: string } | undefined;
  const close = () => {
    if (open !== undefined && open.words !== '') blocks.push({ words: open.words, isItem: open.isItem });
    open = undefined;
  };
  let isCode = false;
  for (const line of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const isFence = FENCE.test(line);
    if (isFence) isCode = !isCode;
    const words = spaced(line.replace(HEADING, '').replace(BULLET, '')).trim();
    const isItem = BULLET.test(line);
    if (open !== undefined && !isItem && !isFence && !isCode && words !== '' && continuesSentence(open, line)) {
      open = { words: `${open.words} ${words}`, isItem: open.isItem, lastLine: line };
      continue;
    }
    close();
    if (!isFence && !isCode && words !== '') open = { words, isItem, lastLine: line };
  }
  close();
  return blocks;
}

/** Whether a line continues the previous one: wrapped by an editor, or indented below an item. */
function continuesSentence(
  { isItem, lastLine }: { readonly isItem: boolean; readonly lastLine: string },
  line: string,
): boolean {
  if (HEADING.test(line) || HEADING.test(lastLine)) return false;
  return (isItem && /^\s{2,}/.test(line)) || lastLine.trim().length >= WRAPPED_FROM;
}

/** A full stop after these abbreviations does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'])(?:e\.g|i\.e|cf|vs|approx|resp|incl|excl|fig|dr|mr|mrs|ms|st|z\.\s?b|d\.\s?h|u\.\s?a|bzw|ca|evtl|ggf|inkl|vgl|\p{L})\.$/iu;

/** These may end a sentence if the next one begins with a capital letter. */
const MAYBE_ABBREVIATION = /(?:^|[\s(])(?:etc|usw|no|nr|max|min|\d{1,2})\.$/i;

const END = /[.!?…]+[)"'”’»\]]*\s+|[。！？]+[」』）”]*\s*/g;

function splitBlock(words: string): string[] {
  // Text in backticks or quotation marks counts as one word.
  const shown = words.replace(/`[^`]{0,400}`|"[^"]{0,200}"/g, (quoted) => 'x'.repeat(quoted.length));
  const sentences: string[] = [];
  let from = 0;
  for (const match of shown.matchAll(END)) {
    const end = match.index + match[0].length;
    if (!isEnd(shown.slice(from, end).trimEnd(), shown.slice(end))) continue;
    sentences.push(words.slice(from, end).trim());
    from = end;
  }
  sentences.push(words.slice(from).trim());
  return sentences.filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

function isEnd(before: string, after: string): boolean {
  if (ABBREVIATION.test(before)) return false;
  if (MAYBE_ABBREVIATION.test(before)) return /^[\p{Lu}`"'“„]/u.test(after);
  return true;
}
