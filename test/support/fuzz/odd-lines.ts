import { mutateLine } from '../mutate-line.ts';
import type { Random } from '../random.ts';
import { FIXTURE_RECORDINGS, linesOf } from '../recordings.ts';

/** What claude wrote in our own recordings; the session logs and dialogues of the same runs say it again. */
const RECORDED = FIXTURE_RECORDINGS.filter(({ name }) => !/dialogue|session/.test(name))
  .flatMap(({ path }) => linesOf(path))
  .map((line) => Buffer.from(line));

/** Lines of claude and of a caller with nothing in them but what is looked at. */
const SHORT = [
  '{"type":"system","subtype":"init","session_id":"s","model":"claude-sonnet-4-5","claude_code_version":"2.1.197"}',
  '{"type":"system","subtype":"status","status":"compacting","session_id":"s"}',
  '{"type":"system","subtype":"status","status":null,"compact_result":"failed","compact_error":"no","session_id":"s"}',
  '{"type":"system","subtype":"compact_boundary","compact_metadata":{"trigger":"auto","pre_tokens":9,"post_tokens":1}}',
  '{"type":"system","subtype":"task_started","task_id":"t1","tool_use_id":"u1","task_type":"local_agent"}',
  '{"type":"system","subtype":"task_notification","task_id":"t1","status":"completed"}',
  '{"type":"assistant","message":{"id":"m1","model":"x","content":[{"type":"text","text":"é"}],"usage":{"input_tokens":7}}}',
  '{"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"u1","name":"Bash","input":{"command":"ls"}}]}}',
  '{"type":"assistant","parent_tool_use_id":"u1","message":{"id":"m3","content":[],"usage":{"input_tokens":5}}}',
  '{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1","content":"ok"}]}}',
  '{"type":"user","message":{"role":"user","content":"go on"},"uuid":"p1","isReplay":true}',
  '{"type":"result","subtype":"success","is_error":false,"result":"done","total_cost_usd":0.1,"usage":{"input_tokens":9}}',
  '{"type":"result","subtype":"error_during_execution","is_error":true,"modelUsage":{"x":{"contextWindow":200000}}}',
  '{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":3}}}',
  '{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}',
  '{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{}}}',
  '{"type":"rate_limit_event"}',
  '{"type":"conversation_reset","session_id":"s"}',
];

/** Numbers that are none, too large, too exact, or not what they look like. */
const NUMBERS = ['1e999', '-1e999', '-0', '1E+308', '9007199254740993', '0.1e-400', '9'.repeat(400), '01', '+1', 'NaN'];

/** Names that mean something to an object. */
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '', '\\u0000', 'type'];

/** Lines that claude never writes. */
const SCRAPS = [
  '',
  ' ',
  '\r',
  '\0',
  '\0\0\0\0',
  '\ufeff',
  '\u2028',
  '\u001b[2J\u0007\u0085',
  'null',
  'true',
  '7',
  '"type"',
  '[]',
  '{"type":"assistant","mess',
  'Error: boom',
  '    at Object.<anonymous> (file.js:1:2)',
  '{"type":"user"}{"type":"result"}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
];

/** JSON that nobody writes, and that nobody may stumble over. */
const STRANGE = [
  '{}',
  '{"type":"tomorrow","x":1}',
  '{"type":"system","subtype":"tomorrow"}',
  '{"type":"rate_limit_event","type":"keep_alive"}',
  '{"type":"result","type":"assistant","type":"summary"}',
  ...NAMES.map((name) => `{"type":"${name}","subtype":"${name}","${name}":{"type":"result","usage":{}}}`),
  ...NAMES.map((name) => `{"type":"system","subtype":"${name}","${name}":["${name}"]}`),
  ...NAMES.map((name) => `{"type":"system","subtype":"task_started","task_id":"${name}","tool_use_id":"${name}"}`),
  // An empty name would make it a call of the main thread.
  ...NAMES.filter(Boolean).map((name) => `{"type":"assistant","parent_tool_use_id":"${name}","message":{"id":"m"}}`),
];

/** Figures that no gauge and no bill may take over. */
const FIGURES = [
  ...NUMBERS.map((number) => `{"type":"assistant","message":{"id":"n","usage":{"input_tokens":${number}}}}`),
  ...NUMBERS.map((number) => `{"type":"result","total_cost_usd":${number},"num_turns":${number}}`),
  ...NAMES.map((name) => `{"type":"result","modelUsage":{"${name}":{"contextWindow":1,"costUSD":1}}}`),
  '{"type":"result","is_error":true,"is_error":false,"usage":{},"usage":null}',
  '{"t\\u0079pe":"result","result":"\\ud83d","usage":{"input_tokens":"7"}}',
];

/** Lines to choose from, none with a terminator. */
export interface Pools {
  readonly recorded: readonly Buffer[];
  readonly short: readonly Buffer[];
  /** Of both, with things wrong in them. */
  readonly broken: readonly Buffer[];
  readonly brokenShort: readonly Buffer[];
  readonly scraps: readonly Buffer[];
  readonly strange: readonly Buffer[];
  readonly figures: readonly Buffer[];
}

const BROKEN = 1_500;
/** Breaking puts long texts into some. */
const LONGEST_SHORT = 300;

export function preparePools(random: Random): Pools {
  const short = SHORT.map((line) => Buffer.from(line));
  return {
    recorded: RECORDED,
    short,
    scraps: SCRAPS.map((line) => Buffer.from(line)),
    strange: STRANGE.map((line) => Buffer.from(line)),
    figures: FIGURES.map((line) => Buffer.from(line)),
    broken: broken(RECORDED, random, Number.POSITIVE_INFINITY),
    brokenShort: broken(short, random, LONGEST_SHORT),
  };
}

function broken(lines: readonly Buffer[], random: Random, longest: number): Buffer[] {
  const made: Buffer[] = [];
  while (made.length < BROKEN) {
    const line = mutateLine(random.pick(lines as readonly [Buffer, ...Buffer[]]), random);
    if (line.length <= longest) made.push(line);
  }
  return made;
}
