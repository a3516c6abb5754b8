/** Position of a value in valid JSON: UTF-16 offsets, `to` is exclusive. */
export interface JsonSpan {
  readonly from: number;
  readonly to: number;
}

export interface JsonMember extends JsonSpan {
  /** Start of the member: its name in an object, its value in an array. */
  readonly at: number;
  /** The quoted name as written; undefined in an array. */
  readonly name: string | undefined;
}

const SPACE = /[ \t\r\n]*/y;
const ATOM = /[^,\]}\s]+/y;
const BRACKETS = /["[\]{}]/g;

/**
 * The members of an object or array. Positions instead of values, so that numbers keep all their digits.
 * @param bracket offset of the opening bracket
 */
export function membersAt(text: string, bracket: number): JsonMember[] {
  const isObject = text[bracket] === '{';
  const members: JsonMember[] = [];
  let next = skipSpace(text, bracket + 1);
  while (next < text.length && text[next] !== ']' && text[next] !== '}') {
    const at = next;
    let name: string | undefined;
    if (isObject) {
      const end = stringEnd(text, next);
      name = text.slice(next, end);
      next = skipSpace(text, skipSpace(text, end) + 1);
    }
    const to = valueEnd(text, next);
    members.push({ at, name, from: next, to });
    next = skipSpace(text, to);
    if (text[next] === ',') next = skipSpace(text, next + 1);
  }
  return members;
}

/**
 * Removes or replaces members of the first array or object in a text; other members stay byte for byte.
 *
 * @param change returns the new text of a member's value, or undefined to remove the member; names as written, without quotes
 */
export function withMembers(text: string, change: (value: string, name: string) => string | undefined): string {
  const members = membersAt(text, text.search(/[[{]/));
  let result = '';
  for (const [index, member] of members.entries()) {
    const value = change(text.slice(member.from, member.to), member.name?.slice(1, -1) ?? '');
    if (value === undefined) continue;
    const separator = result === '' ? '' : text.slice(members[index - 1]?.to, member.at);
    result += separator + text.slice(member.at, member.from) + value;
  }
  const [first, last] = [members[0], members.at(-1)];
  return first && last ? text.slice(0, first.at) + result + text.slice(last.to) : text;
}

/** The end of the value that begins at `at`, or the end of the text for an unterminated value. */
export function valueEnd(text: string, at: number): number {
  if (text[at] === '"') return stringEnd(text, at);
  if (text[at] !== '[' && text[at] !== '{') return matchEnd(ATOM, text, at);
  let depth = 0;
  BRACKETS.lastIndex = at;
  for (let match = BRACKETS.exec(text); match !== null; match = BRACKETS.exec(text)) {
    const [bracket] = match;
    if (bracket === '"') BRACKETS.lastIndex = stringEnd(text, match.index);
    else depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth === 0) return match.index + 1;
  }
  return text.length;
}

/** Offset after the closing quote. */
function stringEnd(text: string, at: number): number {
  for (let quote = text.indexOf('"', at + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    if (!isEscaped(text, quote)) return quote + 1;
  }
  return text.length;
}

/** Whether an odd number of backslashes precedes a character. */
export function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}

function skipSpace(text: string, at: number): number {
  return matchEnd(SPACE, text, at);
}

function matchEnd(sticky: RegExp, text: string, at: number): number {
  sticky.lastIndex = at;
  return sticky.test(text) ? sticky.lastIndex : at;
}
