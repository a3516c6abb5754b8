import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Input } from '../core/governor/input.ts';
import { summarizeCall } from '../core/memory/call-summary/summarize-call.ts';
import { createExtractor, type ExtractedFact } from '../core/memory/extract/extract.ts';
import { textsOf } from '../core/protocol/fields.ts';
import { foldCase, LONG_LINE_LENGTH, type Mask, oneLine } from '../core/text/words.ts';
import { createInputReader } from './input-reader.ts';
import { readValues } from './read/read-values.ts';

export type RecallMatch = Readonly<NonNullable<ReturnType<typeof matchOf>>>;

export interface Search {
  /** At least one word. No word is empty. All must match, ignoring case. */
  readonly words: readonly string[];
  readonly mask: Mask;
}

/** Maximum file size in bytes for the quick search; larger files are read in any case. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Letters that the file may contain in another form: `ß`, `ﬁ`, `ſ`, `ı`. */
const FOLDED = /s[st]|f[fil]+|[iks]/gi;

/**
 * Searches the raw bytes, which is a hundred times faster than reading the log. Compares only letters and digits,
 * because JSON may escape other characters. @throws like `readFileSync`
 */
export function mayContain(file: string, { words }: Search): boolean {
  if (statSync(file).size > MAX_BYTES) return true;
  const bytes = readFileSync(file).toString('latin1');
  return words.every((word) => {
    const ascii = word.normalize('NFC').match(/\w+/g) ?? [];
    const [longest = ''] = ascii.sort((a, b) => b.length - a.length);
    return new RegExp(longest.replace(FOLDED, '(?:$&|[\\x80-\\xff]+|\\\\u\\w{4})'), 'i').test(bytes);
  });
}

/** The matches in a log, oldest first. @throws CtxbError `unreadable-input` */
export async function recallFrom(file: string, search: Search): Promise<RecallMatch[]> {
  const reader = createInputReader();
  const extractor = createExtractor({ isLive: false });
  const found: RecallMatch[] = [];
  await readValues(file, { stdin: Readable.from([]) }, (read) => {
    const line = reader.read(read);
    if (line.kind !== 'input') return;
    for (const item of [...plainTexts(line.input), ...extractor.add(line.input).flatMap(itemOf)]) {
      const match = matchOf(item, search);
      if (match !== undefined) found.push(match);
    }
  });
  return found;
}

interface Item {
  /** Milliseconds since the epoch; 0 if unknown. */
  readonly t: number;
  /** `said`: by the agent; `dead end`: what did not work. */
  readonly kind: 'prompt' | 'said' | 'call' | 'dead end' | 'note';
  readonly texts: readonly string[];
  readonly title?: (mask: Mask) => string;
}

/** Matches an item; undefined if it lacks a word. `title` of a call: what it did and how it ended. */
export function matchOf({ t, kind, texts, title = () => '' }: Item, { words, mask }: Search) {
  const folded = texts.map(foldCase);
  const normalized = words.map(foldCase);
  if (!normalized.every((word) => folded.some((text) => text.includes(word)))) return undefined;
  const lines = mask(texts).split('\n');
  return { t, kind, title: oneLine(title(mask), LONG_LINE_LENGTH), lines: linesWith(normalized, lines) };
}

const MAX_LINES = 5;

function linesWith(words: readonly string[], lines: readonly string[]): string[] {
  const matching = lines.filter((line) => words.some((word) => foldCase(line).includes(word)));
  return matching.slice(0, MAX_LINES).map((line) => shownPart(line, words));
}

/** Maximum characters before the first word, and of the whole line. */
const MAX_BEFORE = 80;
const SHOWN = 240;

function shownPart(line: string, words: readonly string[]): string {
  const index = Math.min(...words.map((word) => foldCase(line).indexOf(word)).filter((place) => place >= 0));
  const from = index > SHOWN - MAX_BEFORE ? index - MAX_BEFORE : 0;
  const part = oneLine(line.slice(from), SHOWN);
  return `${from > 0 ? '…' : ''}${part}${line.length > from + SHOWN ? '…' : ''}`;
}

/** A shell command that the user ran with `!`, or its output. */
const SHELL = /<bash-(input|stdout|stderr)>([\s\S]*?)<\/bash-\1>/g;

/** Texts that are not facts for the notes: claude's answers, and what the user ran in the shell. */
function plainTexts({ event }: Input): Item[] {
  if ((event.kind !== 'assistant' || event.isSynthetic) && (event.kind !== 'user' || event.role !== 'notice'))
    return [];
  return event.blocks.flatMap((block): Item[] => {
    if (block.type !== 'text') return [];
    const t = event.timestamp ?? 0;
    if (event.kind === 'assistant') return [{ t, kind: 'said', texts: [block.text] }];
    return [...block.text.matchAll(SHELL)].map(([, tag, text = '']) => ({
      t,
      kind: tag === 'input' ? 'prompt' : 'call',
      texts: [text],
    }));
  });
}

function itemOf(found: ExtractedFact): Item[] {
  switch (found.kind) {
    case 'prompt':
      return [{ t: found.t, kind: 'prompt', texts: found.texts }];
    case 'remark':
      return [{ t: found.t, kind: 'dead end', texts: [found.text] }];
    case 'call': {
      const { use, input, result, t } = found;
      const title = (mask: Mask) => summarizeCall(found, { mask });
      return [{ t: t ?? 0, kind: 'call', texts: [use.name, ...textsOf(Object.values(input)), result.text], title }];
    }
    default:
      return [];
  }
}
