import type { Random } from './random.ts';

/** Bytes that mean something to somebody who reads JSON or UTF-8. */
const PIECES = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    ' ',
    '\t',
    '\r',
    '\n',
    '\0',
    '\u0001',
    '\u001f',
    '\u007f',
    '/',
    'u',
    'n',
  ],
  ...[
    '\\n',
    '\\"',
    '\\\\',
    '\\/',
    '\\u0000',
    '\\u001f',
    '\\u000a',
    '\\u0022',
    '\\u00e9',
    '\\ud83d',
    '\\ude00',
    '\\ud83d\\ude00',
    '\\x',
    '\\u12',
  ],
  ...[
    '0',
    '-',
    '1',
    '-0',
    '1e5',
    '1E+400',
    '0.5',
    '01',
    '1.',
    'true',
    'false',
    'null',
    'tru',
    'nul',
    '"type":"result",',
    '"type":"user",',
  ],
  ...[
    '"__proto__":{"a":1},',
    '"message":',
    '"content":',
    '"":0,',
    '{}',
    '[]',
    ',,',
    '"uuid":"x",',
    '"text":"',
    '"t\\u0079pe":"user",',
  ],
  ...['é', '中', '😀', '\u2028', '\ufeff', '\u00a0', '\u3000'],
].map((text) => Buffer.from(text));

/** Bytes that are no UTF-8, or not alone. */
const TORN = [
  [0x80],
  [0xc3],
  [0xc0, 0x80],
  [0xe2, 0x82],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f],
  [0xf4, 0x90, 0x80, 0x80],
  [0xff],
  [0xfe],
].map((bytes) => Buffer.from(bytes));

const FILLINGS = [
  'a',
  ' ',
  '\\n',
  '\\"',
  '\\\\',
  '\\t',
  '\\u0001',
  '\\u001b',
  '\\/',
  'é',
  '中',
  '😀',
  '\\ud83d\\ude00',
  '\\ud83d',
  '"',
  'x\\r\\n',
];

/** A line of a recording with a few things wrong, or only odd, in it. */
export function mutateLine(line: Buffer, random: Random): Buffer {
  let made = line;
  for (let count = random.whole(1, 4); count > 0; count--) made = mutateOnce(made, random);
  return made;
}

function mutateOnce(line: Buffer, random: Random): Buffer {
  const at = placeIn(line, random);
  switch (random.weighted({ piece: 6, torn: 1, long: 6, cut: 2, repeat: 2, byte: 2, swap: 1, nest: 0.5, end: 0.5 })) {
    case 'piece':
      return splice(line, at, random.chance(0.3) ? 1 : 0, any(PIECES, random));
    case 'torn':
      return splice(line, at, 0, any(TORN, random));
    case 'long':
      return splice(line, at, 0, longText(random));
    case 'cut':
      return splice(line, at, random.whole(1, random.chance(0.2) ? 200 : 4), Buffer.alloc(0));
    case 'repeat':
      return splice(line, at, 0, line.subarray(at, at + random.whole(1, random.chance(0.3) ? 800 : 40)));
    case 'byte':
      return splice(line, at, 1, Buffer.from([random.whole(0, 255)]));
    case 'swap':
      return Buffer.concat([line.subarray(at), line.subarray(0, at)]);
    case 'nest': {
      const depth = random.whole(1, 400);
      return splice(line, at, 0, Buffer.from(`${'['.repeat(depth)}${random.chance(0.8) ? ']'.repeat(depth) : ''},`));
    }
    case 'end':
      return line.subarray(0, at);
  }
}

/** Often just beside a quote, where a name or a text begins or ends. */
function placeIn(line: Buffer, random: Random): number {
  const at = random.whole(0, line.length);
  if (random.chance(0.3)) return at;
  const quote = line.indexOf('"', at);
  return quote === -1 ? at : quote + random.whole(0, 1);
}

/** Parts of a long text, mostly one of them. */
function longText(random: Random): Buffer {
  const most = any(FILLINGS, random);
  const length = random.pick([200, 300, 310, 560, 600, 900, 2_000, 5_000]);
  const parts: string[] = [];
  for (let size = 0; size < length; ) {
    const part = random.chance(0.7) ? most.repeat(random.whole(1, 80)) : any(FILLINGS.slice(0, -2), random);
    parts.push(part);
    size += part.length;
  }
  const text = parts.join('');
  return Buffer.from(random.chance(0.5) ? `{"type":"text","text":"${text}"},` : text);
}

function any<T>(values: readonly T[], random: Random): T {
  return values[random.whole(0, values.length - 1)] as T;
}

function splice(line: Buffer, at: number, less: number, more: Buffer): Buffer {
  return Buffer.concat([line.subarray(0, at), more, line.subarray(at + less)]);
}
