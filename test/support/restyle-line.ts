import type { Random } from './random.ts';

/** Units that a text may hold, and JSON.stringify writes in one way or another. */
const UNITS = [
  'a',
  ' ',
  '"',
  '\\',
  '/',
  '\n',
  '\r\n',
  '\t',
  '\b',
  '\f',
  '\u0000',
  '\u000b',
  '\u001f',
  '\u007f',
  'é',
  'ÿ',
  '中',
  '\u2028',
] as const;
const PAIRS = ['😀', '𝒳', '\ud83d', '\ude00', '\ufeff'] as const;

const WHOLE_LENGTHS = [0, 1, 255, 303, 304, 305, 320, 400, 559, 560, 561, 700, 2_000] as const;

const KEYS = [
  'text',
  'content',
  'type',
  'input',
  'file_path',
  'thinking',
  'id',
  'tool_use_id',
  'message',
  'usage',
  '__proto__',
  'line',
  '1',
  '',
] as const;

/** The same line with other texts, members and spelling: JSON as before, unless a member comes twice. */
export function restyleLine(line: string, random: Random): string {
  const share = random.pick([0.02, 0.1, 0.4]);
  const spelling = { spaces: random.chance(0.2), escapes: random.chance(0.3) };

  function write(value: unknown, key: string): string {
    if (random.chance(share / 8)) return write(other(random), key);
    if (typeof value === 'string') return spell(random.chance(share) ? longText(random) : value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value))
      return `[${gap()}${value.map((inner) => write(inner, key)).join(`${gap()},${gap()}`)}${gap()}]`;
    return `{${gap()}${membersOf(value).join(`${gap()},${gap()}`)}${gap()}}`;
  }

  function membersOf(value: object): string[] {
    const members = Object.entries(value).map(([key, inner]) => member(key, inner));
    if (random.chance(share))
      members.splice(random.whole(0, members.length), 0, member(random.pick(KEYS), other(random)));
    if (random.chance(share)) members.reverse();
    return members;
  }

  function member(key: string, inner: unknown): string {
    const name = random.chance(share / 8) ? longText(random) : key;
    return `${spell(name)}${gap()}:${gap()}${write(inner, key)}`;
  }

  function gap(): string {
    return spelling.spaces ? random.pick(['', '', ' ', '\t', '\r', '   ']) : '';
  }

  function spell(text: string): string {
    const plain = JSON.stringify(text);
    if (!spelling.escapes || random.chance(0.8)) return plain;
    return `"${[...Array(text.length).keys()].map((at) => spellUnit(text.charCodeAt(at), random)).join('')}"`;
  }

  return write(JSON.parse(line), '');
}

function spellUnit(unit: number, random: Random): string {
  const odd = unit < 32 || unit === 34 || unit === 92 || (unit > 0xd7ff && unit < 0xe000);
  if (odd || random.chance(0.1)) return `\\u${unit.toString(16).padStart(4, '0')}`;
  return unit === 47 && random.chance(0.5) ? '\\/' : String.fromCharCode(unit);
}

function other(random: Random): unknown {
  const text = longText(random);
  return random.pick<unknown>([
    text,
    null,
    -1.5e-7,
    [],
    {},
    [text, [text]],
    { type: 'text', text },
    [
      { type: 'text', text },
      { type: 'tool_result', tool_use_id: text, content: [{ type: 'text', text }] },
    ],
    [{ type: 'tool_use', id: 't', name: 'Write', input: { file_path: text, content: text, [text]: text } }],
    { input_tokens: 5, output_tokens: text, cache_read_input_tokens: '7', other: text },
  ]);
}

function longText(random: Random): string {
  const length = random.chance(0.01) ? 20_000 : random.pick(WHOLE_LENGTHS);
  const most = random.chance(0.7) ? random.pick(UNITS) : random.pick(PAIRS);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part = random.chance(0.6)
      ? most.repeat(random.whole(1, 60))
      : random.chance(0.8)
        ? random.pick(UNITS)
        : random.pick(PAIRS);
    parts.push(part);
    size += part.length;
  }
  return parts.join('').slice(0, length);
}
