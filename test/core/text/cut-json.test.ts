import { describe, expect, it } from 'vitest';
import { membersAt } from '../../../src/core/protocol/json-spans.ts';
import { type CutJson, cutJson, storedJson } from '../../../src/core/text/cut-json.ts';
import { createRandom, type Random } from '../../support/random.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const STRINGS = [
  '',
  'a',
  'a "quoted" one',
  'back\\slash',
  'line\nfeed',
  '😀😀😀',
  '漢字',
  'x'.repeat(300),
  '\\"',
  '{"a":[1]}',
  '\u2028',
];
const NAMES = ['id', 'name', 'items', 'a.b', 'with "quotes"', '', '__proto__', 'ключ', 'n'.repeat(80)];

function randomJson(random: Random, depth = 0): Json {
  const kind = random.weighted({ text: 3, number: 2, other: 1, list: depth < 4 ? 3 : 0, object: depth < 4 ? 3 : 0 });
  if (kind === 'text') return random.pick(STRINGS as [string, ...string[]]);
  if (kind === 'number') return random.pick([0, -1, 3.25, 1e21, random.whole(0, 1e9)]);
  if (kind === 'other') return random.pick([null, true, false]);
  const length = random.whole(0, depth === 0 ? 60 : 12);
  if (kind === 'list') return Array.from({ length }, () => randomJson(random, depth + 1));
  return Object.fromEntries(
    Array.from({ length }, (_, at) => [
      random.pick(NAMES as [string, ...string[]]) + at,
      randomJson(random, depth + 1),
    ]),
  );
}

/** Written as programs write it: on one line, on several, with other line ends, in ASCII only. */
function writtenBy(random: Random, value: Json): string {
  const text = JSON.stringify(value, null, random.pick([undefined, undefined, 2, '\t']));
  const form = random.pick(['plain', 'crlf', 'ascii', 'framed'] as const);
  if (form === 'crlf') return text.replaceAll('\n', '\r\n');
  if (form === 'framed') return `\n ${text}\n`;
  return form === 'ascii'
    ? text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

const CASES = Array.from({ length: 600 }, (_, at) => {
  const random = createRandom(at + 1);
  const value: Json = random.chance(0.5)
    ? Array.from({ length: random.whole(2, 40) }, () => randomJson(random, 1))
    : { items: randomJson(random, 1), more: randomJson(random, 1), total: 40 };
  const text = writtenBy(random, value);
  return { seed: at + 1, text, room: random.whole(40, Math.max(41, text.length - 1)) };
}).flatMap((one) => {
  const cut = one.text.trim().length > one.room ? cutJson(one.text, one.room) : undefined;
  return cut === undefined ? [] : [{ ...one, cut }];
});

type Case = (typeof CASES)[number];

function faults(check: (one: Case) => string[]): string[] {
  return CASES.flatMap((one) => check(one).map((fault) => `seed ${one.seed}: ${fault}`)).slice(0, 5);
}

/** What is in the cut and was not in the whole. */
function differences(whole: Json | undefined, part: Json, path = '$'): string[] {
  if (typeof part === 'string')
    return typeof whole === 'string' && isBeginning(whole, part) ? [] : [`${path} is another text`];
  if (Array.isArray(part))
    return Array.isArray(whole)
      ? part.flatMap((item, at) => differences(whole[at], item, `${path}[${at}]`))
      : [`${path} is a list`];
  if (typeof part === 'object' && part !== null) {
    if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return [`${path} is an object`];
    return Object.entries(part).flatMap(([name, value]) => differences(whole[name], value, `${path}.${name}`));
  }
  return Object.is(whole, part) ? [] : [`${path} is ${part}`];
}

function isBeginning(whole: string, part: string): boolean {
  return part === whole || (part.endsWith('…') && whole.startsWith(part.slice(0, -1)) && part.isWellFormed());
}

describe('JSON that was cut', () => {
  it('has cases', () => {
    expect(CASES.length).toBeGreaterThan(300);
  });

  it('fits, and contains only original values', () => {
    const check = ({ text, room, cut }: Case) => [
      ...(cut.text.length <= room ? [] : [`${cut.text.length} in ${room}`]),
      ...differences(JSON.parse(text) as Json, JSON.parse(cut.text) as Json),
    ];
    expect(faults(check)).toEqual([]);
  });

  it('counts the members of each list, and keeps the first', () => {
    const check = ({ text, cut }: Case) =>
      cut.lists.flatMap(({ kind, total, returned, next, members }) => {
        const all = members.map(({ at, to }) => text.slice(at, to));
        const isFirst = kind === 'object' || members.indexOf(next) === returned;
        return all.length === total && returned < total && isFirst ? [] : [`${kind} ${returned} of ${total}`];
      });
    expect(faults(check)).toEqual([]);
  });

  it('is stored with the same values, and the next member is on the named line', () => {
    const check = ({ text, cut }: Case) => {
      const stored = storedJson(text, cut.lists);
      const isSame = JSON.stringify(JSON.parse(stored.text)) === JSON.stringify(JSON.parse(text));
      const told = cut.lists.flatMap(({ path, next }, at) => {
        const line = stored.text.split('\n')[(stored.nextLines[at] ?? 0) - 1] ?? '';
        const member = text.slice(next.at, next.to).split('\n')[0] ?? '';
        return line.includes(member.slice(0, 10))
          ? []
          : [`${path}: ${member.slice(0, 20)} is not in ${line.slice(0, 40)}`];
      });
      return [...(isSame ? [] : ['stored as something else']), ...told];
    };
    expect(faults(check)).toEqual([]);
  });

  it('is stored with each member of a list on a new line', () => {
    const check = ({ text, cut }: Case) => {
      if (text.includes('\n')) return [];
      const stored = storedJson(text, cut.lists);
      return cut.lists.flatMap(({ next, path }, at) => {
        const line = stored.text.split('\n')[(stored.nextLines[at] ?? 0) - 1] ?? '';
        return line.startsWith(text.slice(next.at, next.at + 10).slice(0, line.length)) ? [] : [path];
      });
    };
    expect(faults(check)).toEqual([]);
  });
});

const cutOf = (text: string, room: number): CutJson => {
  const cut = cutJson(text, room);
  if (cut === undefined) throw new Error('not cut');
  return cut;
};

describe('the kept part', () => {
  it('is the beginning of a list, with the fields next to it', () => {
    const text = JSON.stringify({ page: 1, items: Array.from({ length: 900 }, (_, id) => ({ id })), more: true });
    const { page, items, more } = JSON.parse(cutOf(text, 400).text);
    expect({ page, more, first: items[0], second: items[1] }).toEqual({
      page: 1,
      more: true,
      first: { id: 0 },
      second: { id: 1 },
    });
    expect(cutOf(text, 400).lists).toMatchObject([
      { kind: 'array', path: '$.items', total: 900, returned: items.length },
    ]);
  });

  it('has all digits of a number', () => {
    const text = `[123456789012345678901234567890.10, 1E400, -0, ${'1,'.repeat(500)}1]`;
    expect(cutOf(text, 60).text).toMatch(/^\[123456789012345678901234567890\.10,1E400,-0,/);
  });

  it('has duplicate fields as they are', () => {
    expect(cutOf(`{"a":1,"a":2,"b":"${'x'.repeat(500)}"}`, 60).text).toMatch(/^\{"a":1,"a":2,"b":"x+…"\}$/);
  });

  it('is a part of a single item that is too large', () => {
    const cut = cutOf(JSON.stringify([{ id: 7, text: 'x'.repeat(900) }]), 100);
    expect(JSON.parse(cut.text)).toEqual([{ id: 7, text: expect.stringMatching(/^x+…$/) }]);
    expect(cut).toMatchObject({ lists: [], hasCutTexts: true });
  });

  it('names the first omitted field at any place', () => {
    const text = `{"id":1,"blob":${'1'.repeat(400)},"z":"${'x'.repeat(500)}","y":2}`;
    const cut = cutOf(text, 200);
    expect(Object.keys(JSON.parse(cut.text))).toEqual(['id', 'z', 'y']);
    expect(cut.lists).toMatchObject([{ kind: 'object', total: 4, returned: 3, next: { name: '"blob"' } }]);
    expect(storedJson(text, cut.lists).text.split('\n')[(storedJson(text, cut.lists).nextLines[0] ?? 0) - 1]).toMatch(
      /^"blob":1+,$/,
    );
  });

  it('has the first of many fields with long names', () => {
    const fields = Array.from({ length: 400 }, (_, at) => [
      `/home/dev/project/src/${'folder/'.repeat(6)}${at}.ts`,
      'x'.repeat(90),
    ]);
    const cut = cutOf(JSON.stringify(Object.fromEntries(fields)), 28_000);
    expect(Object.keys(JSON.parse(cut.text)).length).toBeGreaterThan(250);
    expect(cut.lists).toMatchObject([{ total: 400, returned: Object.keys(JSON.parse(cut.text)).length }]);
  });

  it('omits a field whose name alone is too long', () => {
    const text = JSON.stringify({ ['n'.repeat(300)]: 'x'.repeat(900), b: 1 });
    expect(cutOf(text, 120).text).toBe('{"b":1}');
  });
});

describe('a string', () => {
  const endOf = (inside: string, room: number) => JSON.parse(cutOf(`{"a":"${inside}"}`, room).text).a as string;

  it.each([
    { what: 'escapes', inside: '\\n\\"\\\\'.repeat(60) },
    { what: 'backslashes', inside: '\\\\'.repeat(200) },
    { what: 'escaped units', inside: '\\u00e4'.repeat(90) },
    { what: 'escaped pairs', inside: '\\ud83d\\ude00'.repeat(60) },
    { what: 'escaped pairs in capitals', inside: '\\uD83D\\uDE00'.repeat(60) },
    { what: 'backslashes before what looks like a pair', inside: '\\\\ud83d'.repeat(60) },
    { what: 'pairs', inside: '😀'.repeat(200) },
  ])('is cut between characters, and never in $what', ({ inside }) => {
    const whole = JSON.parse(`"${inside}"`) as string;
    for (let room = 30; room < 90; room++) {
      const end = endOf(inside, room);
      expect(end.isWellFormed()).toBe(true);
      expect(whole.startsWith(end.slice(0, -1))).toBe(true);
    }
  });
});

describe('text that cannot be cut as JSON', () => {
  it.each([
    { what: 'a text', text: '"x"' },
    { what: 'a number', text: '123' },
    { what: 'words', text: '[see below] and more' },
    { what: 'JSON lines', text: '{"a":1}\n{"a":2}\n' },
    { what: 'a byte order mark', text: '\ufeff{"a":1}' },
    { what: 'a space that JSON does not know', text: '\u00a0{"a":1}' },
    { what: 'broken JSON', text: '{"a":[1,2}' },
    { what: 'nothing', text: '' },
  ])('$what', ({ text }) => {
    expect(cutJson(text, 0)).toBeUndefined();
  });

  it.each([
    { what: 'lists', text: `${'['.repeat(60_000)}${']'.repeat(60_000)}` },
    { what: 'objects', text: `${'{"a":'.repeat(60_000)}1${'}'.repeat(60_000)}` },
  ])('$what nested without limit does not fail', ({ text }) => {
    const cut = cutJson(text, 1_000);
    expect(() => JSON.parse(cut?.text ?? '[]')).not.toThrow();
  });
});

describe('members of a list or an object', () => {
  it.each([
    { text: '[]', members: [] },
    { text: '[ 1 ,\r\n"a,]" , {"b":[2]} , null ]', members: ['1', '"a,]"', '{"b":[2]}', 'null'] },
    { text: '{"a" : 1 , "b\\"" : "}" , "c" : [ "]" ] }', members: ['"a" : 1', '"b\\"" : "}"', '"c" : [ "]" ]'] },
  ])('$text', ({ text, members }) => {
    expect(membersAt(text, 0).map(({ at, to }) => text.slice(at, to))).toEqual(members);
  });
});
