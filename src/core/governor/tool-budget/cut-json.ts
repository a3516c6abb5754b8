import { parsed } from '../../protocol/fields.ts';
import { type JsonMember, type JsonSpan, membersAt } from '../../protocol/json-spans.ts';
import { fairShare, lineFeeds } from './cut-text.ts';

/** JSON that was cut and is still JSON of the same shape. */
export interface CutJson {
  readonly text: string;
  /** Arrays and objects that have lost members, outermost first. */
  readonly lists: readonly CutList[];
  /** Texts in it were shortened, with a mark at the end. */
  readonly hasCutTexts: boolean;
}

export interface CutList {
  readonly kind: 'array' | 'object';
  /** For instance `$.items`. */
  readonly path: string;
  readonly total: number;
  readonly returned: number;
  /** The first that was left out. Those of an array are left out from there on, those of an object by their size. */
  readonly next: JsonMember;
  readonly members: readonly JsonMember[];
}

/** The kept text of each member, in order; undefined or beyond the end: it is left out. */
type Kept = readonly (string | undefined)[];

/** A member gets at least this, besides its name, or it is left out: less would be useless. */
const LEAST = 24;

/** Deepest level that is cut; deeper values are kept whole or left out. */
const MAX_DEPTH = 12;

/**
 * Keeps the beginning of each list and each text, so that everything fits; undefined if the text is no JSON object or
 * array, or cannot be made to fit.
 *
 * @param room UTF-16 units
 */
export function cutJson(text: string, room: number): CutJson | undefined {
  if (!isJson(text)) return undefined;
  const lists: CutList[] = [];
  let hasCutTexts = false;
  const from = text.search(/\S/);
  const cut = cutValue({ from, to: text.trimEnd().length }, room, '$', 0);
  return cut !== undefined && cut.length <= room ? { text: cut, lists: lists.reverse(), hasCutTexts } : undefined;

  /** undefined: no part of it would be true. */
  function cutValue(span: JsonSpan, space: number, path: string, depth: number): string | undefined {
    if (span.to - span.from <= space) return text.slice(span.from, span.to);
    const first = text[span.from];
    if (first === '"') return cutString(span, space);
    if ((first !== '[' && first !== '{') || space < 2 || depth === MAX_DEPTH) return undefined;
    return cutMembers(first === '[' ? 'array' : 'object', membersAt(text, span.from), space, path, depth);
  }

  function cutMembers(
    kind: CutList['kind'],
    members: readonly JsonMember[],
    space: number,
    path: string,
    depth: number,
  ): string {
    const kept = (kind === 'array' ? keepItems : keepFields)(members, space - 2, path, depth);
    const next = members.find((_, index) => kept[index] === undefined);
    const parts = kept.filter((part) => part !== undefined);
    if (next !== undefined) lists.push({ kind, path, total: members.length, returned: parts.length, next, members });
    return kind === 'array' ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
  }

  /** A text in quotes with a mark at its end. */
  function cutString({ from, to }: JsonSpan, space: number): string | undefined {
    if (space < 3) return undefined;
    hasCutTexts = true;
    return `"${wholeCharacters(text.slice(from + 1, Math.min(to, from + space - 2)))}…"`;
  }

  /** As many as fit from the beginning; of a single one that does not, a part. */
  function keepItems(items: readonly JsonMember[], space: number, path: string, depth: number): Kept {
    const kept: string[] = [];
    let left = space;
    for (const item of items) {
      const length = item.to - item.from + 1;
      if (length > left) break;
      kept.push(text.slice(item.from, item.to));
      left -= length;
    }
    const [first] = items;
    if (kept.length > 0 || first === undefined || space < LEAST) return kept;
    const part = cutValue(first, space - 1, `${path}[0]`, depth + 1);
    return part === undefined ? [] : [part];
  }

  /** Small fields whole, large ones with an equal share of what is left. */
  function keepFields(fields: readonly JsonMember[], space: number, path: string, depth: number): Kept {
    const sizes = fields.map(({ name = '', from, to }) => name.length + 2 + to - from);
    const share = fairShare(sizes, space);
    let left = space;
    return fields.map((field, index) => {
      const { name = '' } = field;
      const size = Math.min(sizes[index] ?? 0, Math.max(share, name.length + LEAST));
      if (size > left) return undefined;
      const part = cutValue(field, size - name.length - 2, path + nameIn(name), depth + 1);
      if (part === undefined) return undefined;
      left -= size;
      return `${name}:${part}`;
    });
  }
}

/** The first half of a character that is escaped in two. */
const FIRST_HALF = /(?:[\ud800-\udbff]|\\u[dD][89abAB][\da-fA-F]{2}(?<=(?<!\\)(?:\\\\)*\\u.{4}))$/;

/** The beginning of a text in JSON without an escape, or a character, that is broken off at its end. */
function wholeCharacters(part: string): string {
  const last = part.lastIndexOf('\\');
  const whole = last < 0 || last + escapeLength(part, last) <= part.length ? part : part.slice(0, last);
  return whole.replace(FIRST_HALF, '');
}

/** Of the escape whose last backslash is at `at`: 1 where that one is itself escaped. */
function escapeLength(text: string, at: number): number {
  let first = at;
  while (text[first - 1] === '\\') first--;
  if ((at - first) % 2 === 1) return 1;
  return text[at + 1] === 'u' ? 6 : 2;
}

function nameIn(name: string): string {
  const plain = /^"([A-Za-z_]\w*)"$/.exec(name)?.[1];
  return plain === undefined ? `[${name}]` : `.${plain}`;
}

/** Numbers, words and texts are JSON too, but nothing that could be cut as such. */
function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && parsed(text) !== undefined;
}

/** JSON as it is stored: what was cut can be read on from a line. */
export interface StoredJson {
  readonly text: string;
  /** For each list the line, from 1, of the first member that was left out. */
  readonly nextLines: readonly number[];
}

/** Each member of the lists begins a line; nothing else of the text changes. */
export function storedJson(text: string, lists: readonly CutList[]): StoredJson {
  const starts = new Set(lists.flatMap(({ members }) => members.map(({ at }) => at)));
  const breaks = [...starts].sort((a, b) => a - b).filter((at) => !beginsLine(text, at));
  const nextLines = lists.map(({ next }) => {
    return 1 + lineFeeds(text, 0, next.at) + breaks.filter((at) => at <= next.at).length;
  });
  const lines = [0, ...breaks].map((at, index) => text.slice(at, breaks[index]));
  return { text: lines.join('\n'), nextLines };
}

/** Only blanks are before it on its line. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return text[before] === '\n';
}
