import { groupsIn, parseJson } from '../protocol/fields.ts';
import { isEscaped, type JsonMember, type JsonSpan, membersAt } from '../protocol/json-spans.ts';
import { fairShare, lineFeeds } from './words.ts';

/** Shortened JSON that is still valid and has the same shape. */
export interface CutJson {
  readonly text: string;
  /** Arrays and objects that lost members, outermost first. */
  readonly lists: readonly CutCollection[];
  /** Some strings are shortened, and end with a mark. */
  readonly hasCutTexts: boolean;
}

export interface CutCollection {
  readonly kind: 'array' | 'object';
  /** A JSON path such as `$.items`. */
  readonly path: string;
  readonly total: number;
  readonly returned: number;
  /** The first omitted member. Arrays omit all members from there on; objects omit members by size. */
  readonly next: JsonMember;
  readonly members: readonly JsonMember[];
}

/** The kept text of each member, in order; undefined or out of range if the member is omitted. */
type Kept = readonly (string | undefined)[];

/** Minimum UTF-16 units of a cut member, without its name. Less is useless, so the member is omitted. */
const MIN_MEMBER_LENGTH = 24;

/** Deepest level at which values are cut. Deeper values are kept whole or omitted. */
const MAX_DEPTH = 12;

/**
 * Keeps the beginning of each list and each string so that everything fits. Undefined if the text is not a JSON object
 * or array, or cannot be made to fit.
 *
 * @param room UTF-16 units
 */
export function cutJson(text: string, room: number): CutJson | undefined {
  if (!isJson(text)) return undefined;
  const lists: CutCollection[] = [];
  let hasCutTexts = false;
  const from = text.search(/\S/);
  const cut = cutValue({ from, to: text.trimEnd().length }, room, '$', 0);
  return cut === undefined ? undefined : { text: cut, lists: lists.reverse(), hasCutTexts };

  /** A shortened value; undefined if nothing useful would remain. */
  function cutValue(span: JsonSpan, space: number, path: string, depth: number): string | undefined {
    if (span.to - span.from <= space) return text.slice(span.from, span.to);
    const first = text[span.from];
    if (first === '"') return cutString(span, space);
    if ((first !== '[' && first !== '{') || space < 2 || depth === MAX_DEPTH) return undefined;
    return cutMembers(first === '[' ? 'array' : 'object', membersAt(text, span.from), space, path, depth);
  }

  function cutMembers(
    kind: CutCollection['kind'],
    members: readonly JsonMember[],
    space: number,
    path: string,
    depth: number,
  ): string {
    const keptMembers = (kind === 'array' ? keepItems : keepFields)(members, space - 2, path, depth);
    const next = members.find((_, index) => keptMembers[index] === undefined);
    const parts = keptMembers.filter((part) => part !== undefined);
    if (next !== undefined) lists.push({ kind, path, total: members.length, returned: parts.length, next, members });
    return kind === 'array' ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
  }

  /** The callers leave more room than the quotes and the mark need. */
  function cutString({ from, to }: JsonSpan, space: number): string {
    hasCutTexts = true;
    return `"${wholeCharacters(text.slice(from + 1, Math.min(to, from + space - 2)))}…"`;
  }

  /** The first items that fit, or a part of the first. */
  function keepItems(items: readonly JsonMember[], space: number, path: string, depth: number): Kept {
    const keptItems: string[] = [];
    let remaining = space;
    for (const item of items) {
      const length = item.to - item.from + 1;
      if (length > remaining) break;
      keptItems.push(text.slice(item.from, item.to));
      remaining -= length;
    }
    const [first] = items;
    if (keptItems.length > 0 || first === undefined || space < MIN_MEMBER_LENGTH) return keptItems;
    const part = cutValue(first, space - 1, `${path}[0]`, depth + 1);
    return part === undefined ? [] : [part];
  }

  /** Keeps small fields whole. Large fields share the remaining space equally. */
  function keepFields(fields: readonly JsonMember[], space: number, path: string, depth: number): Kept {
    const sizes = fields.map(({ name = '', from, to }) => name.length + 2 + to - from);
    const share = fairShare(sizes, space);
    let remaining = space;
    return fields.map((field, index) => {
      const { name = '' } = field;
      const size = Math.min(sizes[index] ?? 0, Math.max(share, name.length + MIN_MEMBER_LENGTH));
      if (size > remaining) return undefined;
      const part = cutValue(field, size - name.length - 2, path + nameIn(name), depth + 1);
      if (part === undefined) return undefined;
      remaining -= size;
      return `${name}:${part}`;
    });
  }
}

/** The first half of a surrogate pair, literal or escaped. */
const FIRST_HALF = /(?:[\ud800-\udbff]|\\u[dD][89abAB][\da-fA-F]{2}(?<=(?<!\\)(?:\\\\)*\\u.{4}))$/;

/** Removes a partial escape or character from the end of a cut JSON string. */
function wholeCharacters(part: string): string {
  const last = part.lastIndexOf('\\');
  const whole = last < 0 || last + escapeLength(part, last) <= part.length ? part : part.slice(0, last);
  return whole.replace(FIRST_HALF, '');
}

/** Length of the escape that starts with the backslash at `at`; 1 if that backslash is itself escaped. */
function escapeLength(text: string, at: number): number {
  if (isEscaped(text, at)) return 1;
  return text[at + 1] === 'u' ? 6 : 2;
}

function nameIn(name: string): string {
  const [plain] = groupsIn(/^"([A-Za-z_]\w*)"$/, name);
  return plain === undefined ? `[${name}]` : `.${plain}`;
}

function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && parseJson(text) !== undefined;
}

/** JSON as stored, with line breaks so that its reader can continue at a line. */
export interface StoredJson {
  readonly text: string;
  /** For each list, the line (from 1) of its first omitted member. */
  readonly nextLines: readonly number[];
}

/** Puts each member of the lists on a new line; the rest of the text stays unchanged. */
export function storedJson(text: string, lists: readonly CutCollection[]): StoredJson {
  const starts = lists.flatMap(({ members }) => members.map(({ at }) => at));
  const breaks = starts.sort((a, b) => a - b).filter((at) => !beginsLine(text, at));
  const nextLines = lists.map(({ next }) => {
    return 1 + lineFeeds(text, 0, next.at) + breaks.filter((at) => at <= next.at).length;
  });
  const lines = [0, ...breaks].map((at, index) => text.slice(at, breaks[index]));
  return { text: lines.join('\n'), nextLines };
}

/** Whether only blanks precede `at` on its line. */
function beginsLine(text: string, at: number): boolean {
  let before = at - 1;
  while (text[before] === ' ' || text[before] === '\t') before--;
  return text[before] === '\n';
}
