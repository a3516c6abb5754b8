import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fixture } from '../support/recordings.ts';
import { inSoak, sampled, sized } from '../support/size.ts';
import { createPlace, runFake, STREAM } from './fakes.ts';

const SESSION = '85324b67-e575-4ee8-9ad9-d915f0c95875';
const INIT = `{"type":"system","subtype":"init","model":"claude-sonnet-4-5","session_id":"${SESSION}"}`;
const RESULT = `{"is_error":false,"num_turns":1,"result":"done","session_id":"${SESSION}","subtype":"success","type":"result"}`;

function answer(text: string): string {
  const message = { id: 'msg_1', role: 'assistant', content: [{ type: 'text', text }] };
  return JSON.stringify({ type: 'assistant', message, parent_tool_use_id: null, session_id: SESSION });
}

interface BytesCase {
  readonly title: string;
  readonly bytes: string | Buffer;
  /** Bytes that are written at once. */
  readonly piece?: number;
}

const CASES: readonly BytesCase[] = [
  { title: 'a whole turn', bytes: readFileSync(fixture('tool-turn.ndjson')) },
  {
    title: 'a turn in pieces of 7 bytes',
    bytes: readFileSync(fixture('partial.ndjson')).subarray(0, 20_000),
    piece: 7,
  },
  { title: 'subagents', bytes: readFileSync(fixture('subagent.ndjson')) },
  { title: "a compaction that was the caller's own", bytes: readFileSync(fixture('compact.ndjson')) },
  { title: 'nothing at all', bytes: '' },
  { title: 'lines that end in CRLF', bytes: `${INIT}\r\n${answer('x')}\r\n${RESULT}\r\n` },
  { title: 'CR and LF in pieces of their own', bytes: `${INIT}\r\n${RESULT}\r\n`, piece: 1 },
  { title: 'no newline at the end', bytes: `${INIT}\n${RESULT}` },
  { title: 'a cut line at the end', bytes: `${INIT}\n${RESULT.slice(0, 40)}` },
  { title: 'blank lines', bytes: `\n\n${INIT}\n   \n\r\n${RESULT}\n\n` },
  {
    title: 'lines that are not JSON',
    bytes: `Warning: something\n${INIT}\n{"type":\n[1,2]\n42\nnull\n"text"\n${RESULT}\n`,
  },
  {
    title: 'lines that name ids like ours',
    bytes: `"ctxb:1 is no JSON\n${INIT}\n${answer('"ctxb:1')}\n{"a":"ctxb:1"}\n${RESULT}\n`,
  },
  {
    title: 'unknown types',
    bytes: `{"type":"brand_new","x":1}\n{"type":"system","subtype":"brand_new"}\n{}\n{"type":7}\n${RESULT}\n`,
  },
  {
    title: 'control characters',
    bytes: `${INIT}\n\u0007\u001b[31m\u0000\n${answer('\u001b]0;title\u0007')}\n${RESULT}\n`,
  },
  {
    // ctxb parses this result before it passes it on, as a turn may have failed.
    title: 'bytes that are not UTF-8, also in a result that names a failure',
    bytes: Buffer.from(
      `${INIT}\n{"type":"assistant","x":"\xff\xfe\xc3(\x80"}\n${RESULT.replace('done', 'prompt_too_long: \xff')}\n`,
      'latin1',
    ),
  },
  { title: 'line separators other than newline', bytes: `${answer('a\u2028b\u2029c\u0085d')}\n${RESULT}\n` },
  { title: 'characters of several bytes, byte by byte', bytes: `${answer('日本 🙂 é')}\n${RESULT}\n`, piece: 1 },
  { title: 'a lone carriage return', bytes: `${INIT}\ra\rb\n${RESULT}\n` },
  { title: 'a byte order mark', bytes: `\ufeff${INIT}\n${RESULT}\n` },
  { title: 'keys in another order, and repeated', bytes: `{"b":1,"a":2,"b":3,"type":"assistant"}\n${RESULT}\n` },
  {
    title: 'numbers that JSON.parse would change',
    bytes: `{"type":"x","n":1.0,"big":12345678901234567890,"e":1E5}\n${RESULT}\n`,
  },
  { title: 'a line of 20 MB', bytes: `${INIT}\n${answer('x'.repeat(20_000_000))}\n${RESULT}\n` },
  { title: 'a line of 20 MB that is not JSON', bytes: `${'x'.repeat(20_000_000)}\n${RESULT}\n` },
];

describe('stream-json passes through byte for byte', () => {
  it.each(sampled(CASES, 2))('$title', async ({ bytes, piece = 65_536 }) => {
    await using place = await createPlace();
    const file = await place.file('said', bytes);
    const run = await runFake(place, {
      fake: 'writes-file',
      flags: ['--prompt', 'go'],
      claude: STREAM,
      env: { PLAY_FILE: file, PLAY_PIECE: String(piece) },
    });
    // Without a result the prompt has no answer.
    const code = Buffer.from(bytes).includes('"type":"result"') ? 0 : 7;
    expect(run).toMatchObject({ code, stderr: expect.not.stringContaining('bug') });
    expect(run.stdout.equals(Buffer.from(bytes))).toBe(true);
  });

  it('keeps many lines in order', async () => {
    await using place = await createPlace();
    const lines = Array.from({ length: sized(30_000, 100_000) }, (_, number) => answer(`line ${number}`));
    const file = await place.file('said', `${lines.join('\n')}\n`);
    const run = await runFake(place, {
      fake: 'writes-file',
      flags: ['--prompt', 'go'],
      claude: STREAM,
      env: { PLAY_FILE: file, PLAY_PIECE: '10007' },
    });
    expect(run.stdout.equals(readFileSync(file))).toBe(true);
  });

  inSoak('passes the same with --observe', async () => {
    await using place = await createPlace();
    const run = await runFake(place, {
      fake: 'writes-file',
      flags: ['--observe', '--prompt', 'go'],
      claude: STREAM,
      env: { PLAY_FILE: fixture('compact.ndjson') },
    });
    expect(run.stdout.equals(readFileSync(fixture('compact.ndjson')))).toBe(true);
  });
});

describe('the other formats', () => {
  const said = `${INIT}\r\n${answer('not printed')}\r\n${RESULT}\r\n`;

  it.each([
    { title: 'text by default', claude: [], stdout: 'done\n' },
    { title: 'text when asked for', claude: ['--output-format', 'text'], stdout: 'done\n' },
    { title: 'json: the bytes of the result line', claude: ['--output-format', 'json'], stdout: `${RESULT}\n` },
    {
      title: 'json --verbose: all lines as an array',
      claude: ['--output-format', 'json', '--verbose'],
      stdout: `[${INIT},${answer('not printed')},${RESULT}]\n`,
    },
  ])('$title', async ({ claude, stdout }) => {
    await using place = await createPlace();
    const file = await place.file('said', said);
    const run = await runFake(place, {
      fake: 'writes-file',
      flags: ['--prompt', 'go'],
      claude,
      env: { PLAY_FILE: file },
    });
    expect({ code: run.code, stdout: run.stdout.toString() }).toEqual({ code: 0, stdout });
  });

  it('json --verbose is valid JSON, even if claude writes lines that are not', async () => {
    await using place = await createPlace();
    const file = await place.file('said', `${INIT}\n\nWarning: something\n${RESULT}\n`);
    const run = await runFake(place, {
      fake: 'writes-file',
      flags: ['--prompt', 'go'],
      claude: ['--output-format', 'json', '--verbose'],
      env: { PLAY_FILE: file },
    });
    expect(JSON.parse(run.stdout.toString())).toEqual([JSON.parse(INIT), JSON.parse(RESULT)]);
  });

  it('text prints the answer to each of several prompts', async () => {
    await using place = await createPlace();
    const run = await runFake(place, { fake: 'answers', flags: ['--prompt', 'one', '--prompt', 'two'] });
    expect(run.stdout.toString()).toBe('answer to one\nanswer to two\n');
  });
});
