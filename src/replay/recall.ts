import { readFileSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Input } from '../core/governor/input.ts';
import { summarizeCall } from '../core/memory/call-summary/summarize-call.ts';
import { createExtractor, type Found } from '../core/memory/extract/extract.ts';
import { commandFacts } from '../core/memory/extract/tool-calls.ts';
import { LONG_LINE_LENGTH, type Mask, oneLine } from '../core/memory/words.ts';
import { fieldsOf } from '../core/protocol/fields.ts';
import { createInputReader } from './inputs.ts';
import { readValues } from './read/read-values.ts';

/** Something in a session that has all the words. */
export type Recalled = Readonly<NonNullable<ReturnType<typeof matchOf>>>;

export interface Search {
  /** All words must match, in any case. At least one; none is empty. */
  readonly words: readonly string[];
  /** Takes secrets out of texts. */
  readonly mask: Mask;
}

/** A longer file is read without a look at whether the words are in it at all. */
const MOST_AT_ONCE = 256 * 1024 * 1024;

/**
 * Whether a log may have the words, by its bytes, in a hundredth of the time of reading it. Compares only letters and
 * digits, because JSON may escape other characters.
 *
 * @throws as `readFileSync`
 */
export function mayHold(file: string, { words }: Search): boolean {
  if (statSync(file).size > MOST_AT_ONCE) return true;
  const bytes = readFileSync(file).toString('latin1');
  return words.every((word) => {
    const [longest = ''] = (comparable(word).match(/[a-z0-9_]+/gi) ?? []).sort((a, b) => b.length - a.length);
    return new RegExp(longest, 'i').test(bytes);
  });
}

/** The matches of a log, oldest first. @throws CtxbError `unreadable-input` */
export async function recallFrom(file: string, search: Search): Promise<Recalled[]> {
  const reader = createInputReader();
  const extractor = createExtractor({ live: false });
  const found: Recalled[] = [];
  await readValues(file, { stdin: Readable.from([]) }, (read) => {
    const line = reader.read(read);
    if (line.kind !== 'input') return;
    for (const item of [...saidIn(line.input), ...extractor.add(line.input).flatMap(itemOf)]) {
      const recalled = matchOf(item, search);
      if (recalled !== undefined) found.push(recalled);
    }
  });
  return found;
}

export interface Item {
  /** Milliseconds since the epoch; 0 where the log does not say. */
  readonly t: number;
  /** Said by the user or the agent, a call of a tool with its result, what did not work, or a document of ctxb's. */
  readonly kind: 'prompt' | 'said' | 'call' | 'dead end' | 'note';
  readonly texts: readonly string[];
  readonly title: (mask: Mask) => string;
}

/**
 * The excerpt of an item that has all the words.
 *
 * @returns the title on one line: of a call what it did and how it ended, else the beginning of what was said; lines with a
 * word as they stand there, shortened
 */
export function matchOf({ t, kind, texts, title }: Item, { words, mask }: Search) {
  const lower = texts.map(comparable);
  const sought = words.map(comparable);
  if (!sought.every((word) => lower.some((text) => text.includes(word)))) return undefined;
  const lines = mask(texts).split('\n');
  return { t, kind, title: oneLine(title(mask), LONG_LINE_LENGTH), lines: linesWith(sought, lines) };
}

/** Equal for texts that differ in case alone, or in how a letter and its accent are written. */
function comparable(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** Lines of a match that are shown. */
const MOST_LINES = 5;

function linesWith(words: readonly string[], lines: readonly string[]): string[] {
  const having = (line: string) => words.filter((word) => comparable(line).includes(word)).length;
  const ranked = lines.map((line, at) => ({ line, at, count: having(line) })).filter(({ count }) => count > 0);
  return ranked
    .sort((a, b) => b.count - a.count || a.at - b.at)
    .slice(0, MOST_LINES)
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => shownPart(line, words));
}

/** Characters of a line before its first word, and in all. */
const BEFORE = 80;
const SHOWN = 240;

function shownPart(line: string, words: readonly string[]): string {
  const at = Math.min(...words.map((word) => comparable(line).indexOf(word)).filter((place) => place >= 0));
  const from = at > SHOWN - BEFORE ? at - BEFORE : 0;
  const part = oneLine(line.slice(from), SHOWN);
  return `${from > 0 ? '…' : ''}${part}${line.length > from + SHOWN ? '…' : ''}`;
}

function saidIn({ event }: Input): Item[] {
  if (event.kind !== 'assistant' || event.synthetic) return [];
  return event.blocks.flatMap((block): Item[] =>
    block.type === 'text' ? [{ t: event.timestamp ?? 0, kind: 'said', texts: [block.text], title: () => '' }] : [],
  );
}

function itemOf(found: Found): Item[] {
  switch (found.kind) {
    case 'prompt':
      return [{ t: found.t, kind: 'prompt', texts: found.texts, title: () => '' }];
    case 'remark':
      return [{ t: found.t, kind: 'dead end', texts: [found.text], title: () => '' }];
    case 'call': {
      const { call, result, t } = found;
      const asked = Object.values(fieldsOf(call.use.input)).filter((value) => typeof value === 'string');
      const title = (mask: Mask) =>
        summarizeCall(found, { command: commandFacts(found), placeOf: (path) => path, mask });
      return [{ t: t ?? 0, kind: 'call', texts: [call.use.name, ...asked, result.text], title }];
    }
    default:
      return [];
  }
}
