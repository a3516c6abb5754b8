import { type JsonMember, type JsonSpan, membersAt } from './json-spans.ts';

/** JSON that was cut and is still JSON of the same shape. */
export interface CutJson {
  readonly text: string;
  /** Arrays and objects that have lost members, outermost first. */
  readonly lists: readonly CutList[];
}

export interface CutList {
  /** As in `$.items`. */
  readonly path: string;
  readonly total: number;
  readonly returned: number;
  readonly members: readonly JsonMember[];
}

/** A member gets at least this, or it is left out: less would hold nothing. */
const LEAST = 24;

/** Room is looked for only so deep; what is deeper is kept whole or left out. */
const MAX_DEPTH = 12;

/**
 * The beginning of each list and each text in it, so that all of it fits; undefined where the text is no JSON object or
 * array, or cannot be made to fit.
 *
 * @param room UTF-16 units
 */
export function cutJson(text: string, room: number): CutJson | undefined {
  if (!isJson(text)) return undefined;
  const lists: CutList[] = [];
  const from = text.search(/\S/);
  const cut = cutValue({ from, to: text.trimEnd().length }, room, '$', 0);
  return cut !== undefined && cut.length <= room ? { text: cut, lists: lists.reverse() } : undefined;

  /** undefined: there is no part of it that says something true. */
  function cutValue(span: JsonSpan, space: number, path: string, depth: number): string | undefined {
    if (span.to - span.from <= space) return text.slice(span.from, span.to);
    const first = text[span.from];
    if (first === '"') return cutString(text.slice(span.from, span.to), space);
    if ((first !== '[' && first !== '{') || depth === MAX_DEPTH) return undefined;
    const members = membersAt(text, span.from);
    const kept =
      first === '[' ? keepItems(members, space - 2, path, depth) : keepFields(members, space - 2, path, depth);
    if (kept.length < members.length) lists.push({ path, total: members.length, returned: kept.length, members });
    return first === '[' ? `[${kept.join(',')}]` : `{${kept.join(',')}}`;
  }

  /** As many as fit from the beginning; of a single one that does not, a part. */
  function keepItems(items: readonly JsonMember[], space: number, path: string, depth: number): string[] {
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
  function keepFields(fields: readonly JsonMember[], space: number, path: string, depth: number): string[] {
    const sizes = fields.map(({ name = '', from, to }) => name.length + 2 + to - from);
    const share = fairShare(sizes, space);
    let left = space;
    return fields.flatMap((field, index) => {
      const { name = '' } = field;
      const size = Math.min(sizes[index] ?? 0, Math.max(share, LEAST));
      if (size > left) return [];
      const part = cutValue(field, size - name.length - 2, path + nameIn(name), depth + 1);
      if (part === undefined) return [];
      left -= size;
      return [`${name}:${part}`];
    });
  }
}

/** The largest share at which everything that wants less, and a share for what wants more, fits into `space`. */
function fairShare(sizes: readonly number[], space: number): number {
  let left = space;
  let hungry = sizes.length;
  for (const size of [...sizes].sort((a, b) => a - b)) {
    if (size * hungry > left) return Math.floor(left / hungry);
    left -= size;
    hungry--;
  }
  return space;
}

/** A text in quotes, cut with a mark, and never inside an escape. */
function cutString(quoted: string, space: number): string {
  const part = quoted.slice(1, Math.max(1, space - 2));
  const last = part.lastIndexOf('\\');
  const whole = last < 0 || last + escapeLength(part, last) <= part.length ? part : part.slice(0, last);
  return `"${whole.replace(/[\ud800-\udbff]$/, '')}…"`;
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
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
