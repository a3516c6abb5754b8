import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { oddLine } from '../../support/odd-line.ts';
import { createRandom } from '../../support/random.ts';
import { createReaders, meaningOf, readIn, readPacked } from '../../support/reading.ts';
import { FIXTURE_RECORDINGS, SHARED_RECORDINGS, TRANSCRIPTS } from '../../support/recordings.ts';
import { sized } from '../../support/size.ts';

const readers = createReaders();

/** Long enough to be cut, in every way a text can be spelled. */
const LONG = 'word '.repeat(200);
const result = (content: unknown) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] },
});
const raw = (bytes: readonly number[]) => String.fromCharCode(...bytes);

/** Lines byte for byte: characters up to U+00FF stand for themselves as bytes. */
const ODD_LINES: readonly { readonly name: string; readonly line: string; readonly kind: string }[] = [
  { name: 'empty', line: '', kind: 'blank' },
  { name: 'white space', line: ' \t \r', kind: 'blank' },
  { name: 'white space that JSON does not know', line: raw([0xc2, 0xa0, 0xe3, 0x80, 0x80]), kind: 'blank' },
  { name: 'a NUL', line: '\0', kind: 'malformed' },
  { name: 'a NUL behind', line: '{}\0', kind: 'malformed' },
  { name: 'a byte order mark', line: `${raw([0xef, 0xbb, 0xbf])}{"type":"user"}`, kind: 'malformed' },
  { name: 'a carriage return', line: '{"type":"user"}\r', kind: 'value' },
  { name: 'a list', line: '[{"type":"user"}]', kind: 'malformed' },
  { name: 'two values', line: '{"type":"user"}{"type":"user"}', kind: 'malformed' },
  { name: 'cut off in a text', line: `{"type":"user","message":{"content":"${LONG}`, kind: 'malformed' },
  { name: 'cut off in a name', line: '{"type":"user","mess', kind: 'malformed' },
  { name: 'a comma too many', line: '{"type":"user","dropped":1,}', kind: 'malformed' },
  { name: 'a comma too few', line: '{"type":"user" "dropped":1}', kind: 'malformed' },
  { name: 'a control character in what is dropped', line: `{"type":"user","dropped":"\t"}`, kind: 'malformed' },
  {
    name: 'a control character in a long text',
    line: JSON.stringify(result(`${LONG}#`)).replace('#', '\u0001'),
    kind: 'malformed',
  },
  { name: 'a bad escape in what is dropped', line: '{"type":"user","dropped":["\\x"]}', kind: 'malformed' },
  {
    name: 'a bad escape in a long text',
    line: JSON.stringify(result(`${LONG}#${LONG}`)).replace('#', '\\u12g4'),
    kind: 'malformed',
  },
  ...['-01', '-', '+1', '.5', '1.', '1e', '1e+', '1.e5', '', '0x1', 'NaN'].map((number) => ({
    name: `the number "${number}" in what is dropped`,
    line: `{"type":"user","dropped":${number}}`,
    kind: 'malformed',
  })),
  { name: 'a bad word in what is dropped', line: '{"type":"user","dropped":nul}', kind: 'malformed' },
  { name: 'numbers', line: '{"type":"user","t":-0,"dropped":[1e5,-1.5E-7,0.0,1E+400]}', kind: 'value' },
  {
    name: 'deep nesting in what is dropped',
    line: `{"type":"user","dropped":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    kind: 'value',
  },
  {
    name: 'a nested type',
    line: '{"dropped":{"type":"result"},"message":{"type":"result"},"type":"user"}',
    kind: 'value',
  },
  {
    name: 'a type in a text',
    line: JSON.stringify({ type: 'user', message: { content: '","type":"result' } }),
    kind: 'value',
  },
  { name: 'a type that comes last', line: JSON.stringify({ message: { content: LONG }, type: 'user' }), kind: 'value' },
  { name: 'a type twice', line: `{"type":"user","result":"${LONG}","type":"result"}`, kind: 'value' },
  {
    name: 'a type that is spelled with an escape',
    line: '{"type":"user","t\\u0079pe":"result","result":"r"}',
    kind: 'value',
  },
  { name: 'no type', line: `{"uuid":"u","dropped":"${LONG}"}`, kind: 'value' },
  { name: 'a type that nobody knows', line: `{"type":"new","message":{"content":"${LONG}"}}`, kind: 'value' },
  { name: 'a type that is no text', line: `{"type":{"type":"user"},"message":{"content":"${LONG}"}}`, kind: 'value' },
  {
    name: 'content twice',
    line: `{"type":"user","message":{"content":"${LONG}","content":"${LONG}!"}}`,
    kind: 'value',
  },
  {
    name: 'a message twice',
    line: `{"type":"user","message":{"content":"${LONG}"},"message":{"content":[]}}`,
    kind: 'value',
  },
  { name: 'a message that is a list', line: `{"type":"user","message":[{"content":"${LONG}"}]}`, kind: 'value' },
  { name: 'a message that is a text', line: `{"type":"user","message":"${LONG}"}`, kind: 'value' },
  {
    name: 'a prototype',
    line: `{"type":"user","__proto__":{"uuid":"x"},"message":{"__proto__":[],"content":[{"__proto__":"${LONG}"}]}}`,
    kind: 'value',
  },
  {
    name: 'a long name',
    line: JSON.stringify({
      type: 'user',
      [LONG]: 1,
      message: { content: [{ type: 'tool_use', input: { [LONG]: LONG } }] },
    }),
    kind: 'value',
  },
  {
    name: 'white space everywhere',
    line: ` { "type" : "user" ,\t"message" : { "content" : [ { "type" : "text" , "text" : "${LONG}" } ] } , "dropped" : [ ] } `,
    kind: 'value',
  },
  {
    name: 'escapes of every kind',
    line: JSON.stringify(result(`${LONG}${'\n\r\t\b\f"\\/\u0000\u000b\u001f\u007f\u2028é中😀'.repeat(60)}`)),
    kind: 'value',
  },
  {
    name: 'a slash that is escaped',
    line: JSON.stringify(result(`${LONG}/${LONG}`)).replaceAll('/', '\\/'),
    kind: 'value',
  },
  {
    name: 'letters that are escaped',
    line: JSON.stringify(result(`${LONG}#${LONG}`)).replace('#', '\\u00e9\\u0022\\u005C'),
    kind: 'value',
  },
  {
    name: 'lone surrogates that are escaped',
    line: JSON.stringify(result(`${LONG}\ud83d${LONG}\ude00`)),
    kind: 'value',
  },
  {
    name: 'a pair that is escaped',
    line: JSON.stringify(result(`${LONG}#`.repeat(2))).replaceAll('#', '\\ud83d\\ude00'),
    kind: 'value',
  },
  {
    name: 'an escape at each place about the cut',
    line: JSON.stringify(
      result([...Array(40).keys()].map((n) => ({ type: 'text', text: `${'x'.repeat(280 + n)}\n"${LONG}` }))),
    ),
    kind: 'value',
  },
  {
    name: 'backslashes at each place of a block',
    line: JSON.stringify(
      result(
        [...Array(70).keys()].map((n) => ({ type: 'text', text: `${LONG}${'x'.repeat(n)}\\\\"\\${LONG}\n${LONG}` })),
      ),
    ),
    kind: 'value',
  },
  {
    name: 'escapes right behind a cut',
    line: JSON.stringify(
      result(
        [...Array(70).keys()].flatMap((n) => [LONG + 'x'.repeat(n), '\n\t"'].map((text) => ({ type: 'text', text }))),
      ),
    ),
    kind: 'value',
  },
  {
    name: 'surrogates that are bytes',
    line: JSON.stringify(result(`${LONG}#${LONG}`)).replace('#', raw([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80])),
    kind: 'value',
  },
  ...[
    [0x80],
    [0xc3],
    [0xc0, 0xaf],
    [0xe2, 0x82],
    [0xf0, 0x9f, 0x98],
    [0xf4, 0x90, 0x80, 0x80],
    [0xf8, 0x88, 0x80, 0x80, 0x80],
    [0xff],
  ].flatMap((bytes) =>
    [0, 303, 304, 305, 700].map((at) => ({
      name: `the bytes ${bytes.map((byte) => byte.toString(16)).join(' ')} at ${at}`,
      line: JSON.stringify(result(`${'x'.repeat(at)}#${LONG}`)).replace('#', raw(bytes)),
      kind: 'value',
    })),
  ),
];

describe.each(ODD_LINES)('a line with $name', ({ line, kind }) => {
  // JSON.stringify gives characters, which are written as UTF-8; the others are bytes already.
  const isText = /[\u0100-\uffff]/.test(line);
  const recording = Buffer.concat([
    Buffer.from('{}\n'),
    Buffer.from(line, isText ? 'utf8' : 'latin1'),
    Buffer.from('\n{}\n'),
  ]);

  it('is read as JSON.parse reads it', () => {
    const plain = readIn(readers.plain, recording);
    expect(plain.map((found) => found.kind)).toEqual(['value', kind, 'value']);
    expect(meaningOf(readIn(readers.fast, recording))).toEqual(meaningOf(plain));
    expect(meaningOf(readPacked(readers.packer, recording))).toEqual(meaningOf(plain));
  });

  it('is the same where the recording begins with it', () => {
    const beginning = recording.subarray(3);
    const plain = meaningOf(readIn(readers.plain, beginning));
    expect(meaningOf(readIn(readers.fast, beginning))).toEqual(plain);
    expect(meaningOf(readPacked(readers.packer, beginning))).toEqual(plain);
  });
});

describe('recordings', () => {
  it.each([...FIXTURE_RECORDINGS, ...SHARED_RECORDINGS, ...TRANSCRIPTS])('$name means the same', ({ path }) => {
    const recording = readFileSync(path);
    const expected = meaningOf(readIn(readers.plain, recording));
    expect(meaningOf(readIn(readers.fast, recording))).toEqual(expected);
    expect(meaningOf(readPacked(readers.packer, recording))).toEqual(expected);
  });

  it('mean the same wherever a chunk ends', () => {
    const lines = ODD_LINES.filter(({ line }) => line.length < 3_000).map(({ line }) =>
      Buffer.from(`${line}\n`, 'latin1'),
    );
    const recording = Buffer.concat([...lines, Buffer.from('{"type":"user","uuid":"last"}')]);
    const expected = meaningOf(readIn(readers.plain, recording));
    for (const chunk of [1, 2, 3, 5, 7, 16, 63, 64, 65, 255, 1_000, 4_096]) {
      expect(meaningOf(readIn(readers.fast, recording, { chunk })), `chunks of ${chunk}`).toEqual(expected);
      expect(meaningOf(readPacked(readers.packer, recording, { chunk })), `chunks of ${chunk}`).toEqual(expected);
    }
  });
});

describe('lines with things wrong or odd in them', () => {
  it.each([...Array(sized(10, 40)).keys()])('mean the same, seed %i', (seed) => {
    const random = createRandom(seed);
    const recording = Buffer.concat(Array.from({ length: 100 }, () => oddLine(random)));
    const chunk = random.whole(100, 100_000);
    const expected = meaningOf(readIn(readers.plain, recording));
    expect(meaningOf(readIn(readers.fast, recording, { chunk }))).toEqual(expected);
    expect(meaningOf(readPacked(readers.packer, recording, { chunk }))).toEqual(expected);
  });
});
