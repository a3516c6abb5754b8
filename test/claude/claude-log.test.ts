import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenTool, readSessionLog, type SessionLog } from '../../src/claude/claude-log.ts';
import { fixture, objectsOf } from '../support/recordings.ts';

type Row = Readonly<Record<string, unknown>>;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ctxb-log-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: string | Uint8Array): string {
  const path = join(root, name);
  writeFileSync(path, content);
  return path;
}

function read(rows: readonly Row[]): SessionLog {
  return readSessionLog(put('log.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join('')));
}

const prompt = (uuid: string, text = 'Go on.', more: Row = {}): Row => ({
  type: 'user',
  uuid,
  promptSource: 'sdk',
  message: { role: 'user', content: text },
  ...more,
});
const spoken = (uuid: string, text: string): Row => ({ type: 'user', uuid, message: { role: 'user', content: text } });
const said = (id: string, content: readonly Row[], stop: string | null, more: Row = {}): Row => ({
  type: 'assistant',
  uuid: `a-${id}`,
  message: { id, role: 'assistant', model: 'claude-standin', content, stop_reason: stop, ...more },
});
const answer = (id = 'm9') => said(id, [{ type: 'text', text: 'Done.' }], 'end_turn');
const call = (id: string, tool: string, input: Row, name = 'Bash') =>
  said(id, [{ type: 'tool_use', id: tool, name, input }], 'tool_use');
const result = (tool: string, more: Row = {}): Row => ({
  type: 'user',
  uuid: `r-${tool}`,
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: tool, content: 'ok', ...more }] },
});
const error = said('e', [{ type: 'text', text: 'Prompt is too long' }], 'stop_sequence', { model: '<synthetic>' });
const compacted: Row[] = [
  { type: 'system', subtype: 'compact_boundary', uuid: 'b', content: 'Conversation compacted' },
  { ...spoken('s', 'This session is being continued from a previous conversation'), isCompactSummary: true },
];
const commanded: Row[] = [
  { ...spoken('x1', '<local-command-caveat>Caveat: …</local-command-caveat>'), isMeta: true },
  spoken('x2', '<command-name>/compact</command-name>\n<command-message>compact</command-message>'),
  spoken('x3', '<local-command-stdout>Compacted </local-command-stdout>'),
];
const cost: Row = {
  type: 'system',
  subtype: 'local_command',
  content: '<local-command-stdout>Total cost: $0.10</local-command-stdout>',
};

describe('the last turn', () => {
  it.each<{ title: string; rows: readonly Row[]; finished: boolean; openTool?: OpenTool }>([
    { title: 'there is none', rows: [], finished: false },
    { title: 'a prompt without an answer', rows: [prompt('p')], finished: false },
    { title: 'an answer', rows: [prompt('p'), answer()], finished: true },
    {
      title: 'an answer, and what claude notes after it',
      rows: [prompt('p'), answer(), { type: 'last-prompt', lastPrompt: 'x' }, { type: 'cost-state' }],
      finished: true,
    },
    { title: 'a prompt after an answer', rows: [prompt('p'), answer(), prompt('q')], finished: false },
    {
      title: 'a call without a result',
      rows: [prompt('p'), call('m1', 't1', { command: 'make all\nmake test', description: 'Builds' })],
      finished: false,
      openTool: { name: 'Bash', title: 'make all' },
    },
    {
      title: 'one of two calls without a result',
      rows: [
        prompt('p'),
        call('m1', 't1', { file_path: '/a' }, 'Read'),
        result('t1'),
        call('m1', 't2', { file_path: '/b' }, 'Write'),
      ],
      finished: false,
      openTool: { name: 'Write', title: '/b' },
    },
    {
      title: 'a call whose input says nothing to us',
      rows: [prompt('p'), call('m1', 't1', { channel: 5 }, 'mcp__chat__send')],
      finished: false,
      openTool: { name: 'mcp__chat__send', title: '' },
    },
    { title: 'a result without an answer', rows: [prompt('p'), call('m1', 't1', {}), result('t1')], finished: false },
    {
      title: 'an answer after a call that 2.1.197 has left open in an earlier process',
      rows: [prompt('p'), call('m1', 't1', {}), prompt('q'), answer('m2')],
      finished: true,
    },
    {
      title: 'an answer in the form of a schema',
      rows: [prompt('p'), call('m1', 't1', { a: 'x' }, 'StructuredOutput'), result('t1')],
      finished: true,
    },
    {
      title: 'an answer that does not fit the schema',
      rows: [prompt('p'), call('m1', 't1', {}, 'StructuredOutput'), result('t1', { is_error: true })],
      finished: false,
    },
    { title: 'an answer that was cut off', rows: [prompt('p'), said('m1', [], 'max_tokens')], finished: false },
    { title: 'a refusal', rows: [prompt('p'), said('m1', [], 'refusal')], finished: true },
    { title: 'an error of the API', rows: [prompt('p'), error], finished: false },
    {
      title: 'an error of the API in a later turn',
      rows: [prompt('p'), answer(), prompt('q'), error],
      finished: false,
    },
    {
      title: 'an interruption',
      rows: [
        prompt('p'),
        call('m1', 't1', {}),
        result('t1', { is_error: true }),
        spoken('i', '[Request interrupted by user for tool use]'),
      ],
      finished: false,
    },
    { title: 'a compaction after it', rows: [prompt('p'), answer(), ...compacted, ...commanded], finished: true },
    {
      title: 'a compaction in the middle of it',
      rows: [prompt('p'), call('m1', 't1', {}), result('t1'), ...compacted],
      finished: false,
    },
    { title: 'a compaction after an error', rows: [prompt('p'), error, ...compacted, ...commanded], finished: false },
    {
      title: 'a command whose output is a row of another kind',
      rows: [prompt('p'), answer(), spoken('x', '<command-name>/usage</command-name>'), cost],
      finished: true,
    },
    {
      title: 'a command, and a prompt that an output has nothing to do with',
      rows: [prompt('p'), answer(), ...commanded, prompt('q'), cost],
      finished: false,
    },
    {
      title: 'a command that is a prompt',
      rows: [
        prompt('p'),
        answer(),
        spoken('x', '<command-message>review is running…</command-message>'),
        { ...spoken('y', 'Review the files.'), isMeta: true },
      ],
      finished: false,
    },
    {
      title: 'a prompt that 2.1.329 has marked as not the user’s',
      rows: [prompt('p'), answer(), prompt('q', 'x', { isMeta: true })],
      finished: false,
    },
    {
      title: 'a subagent of an old version in between',
      rows: [
        prompt('p'),
        answer(),
        { ...prompt('q'), isSidechain: true },
        { ...call('m2', 't2', {}), isSidechain: true },
      ],
      finished: true,
    },
    {
      title: 'rows of other shapes',
      rows: [prompt('p'), answer(), {}, { type: 'user' }, { type: 'assistant', message: null }, { type: 'attachment' }],
      finished: false,
    },
  ])('$title', ({ rows, finished, openTool }) => {
    expect(read(rows)).toMatchObject({ finished, openTool });
  });

  it('names an open tool on one line of 200 characters', () => {
    const { openTool } = read([prompt('p'), call('m1', 't1', { command: `  ${'😀'.repeat(300)}` })]);
    expect(openTool?.title).toBe('😀'.repeat(200));
  });
});

it('contains the uuids of delivered prompts', () => {
  const folded: Row = {
    type: 'attachment',
    uuid: 'other',
    attachment: { type: 'queued_command', prompt: 'Faster.', source_uuid: 'said', commandMode: 'prompt' },
  };
  const blocks = prompt('blocks', '', { message: { role: 'user', content: [{ type: 'image', source: {} }] } });
  const waiting: Row = { type: 'queue-operation', operation: 'enqueue', content: 'Later.' };
  const rows = [prompt('p'), call('m1', 't1', {}), folded, result('t1'), answer('m2'), blocks, ...compacted, waiting];
  expect([...read(rows).delivered]).toEqual(['p', 'said', 'blocks']);
});

describe('a real log', () => {
  it.each([
    { name: 'tool-turn', prompts: 1 },
    { name: 'native-mid-turn', prompts: 1 },
    { name: 'subagent', prompts: 1 },
  ])('of $name: finished only at its last row', ({ name, prompts }) => {
    const rows = objectsOf(fixture(`${name}.session.jsonl`));
    const last = rows.findLastIndex(({ type }) => type === 'assistant');
    const states = rows.map((_, index) => read(rows.slice(0, index + 1)));
    expect(states.map(({ finished }) => finished)).toEqual(rows.map((_, index) => index >= last));
    expect(states.at(-1)?.delivered.size).toBe(prompts);
    expect(states.at(-1)?.openTool).toBeUndefined();
  });

  it('has an open tool between the call and its result', () => {
    const rows = objectsOf(fixture('tool-turn.session.jsonl'));
    const titles = rows.map((_, index) => read(rows.slice(0, index + 1)).openTool?.title);
    expect(titles.filter((title) => title !== undefined)).toEqual(['echo step 1', 'echo step 2']);
  });

  it('torn at any byte is read up to its last complete line', () => {
    const log = readFileSync(fixture('tool-turn.session.jsonl'));
    for (let end = log.length; end > 0; end -= 97) {
      const whole = log.lastIndexOf(0x0a, end - 1) + 1;
      const torn = readSessionLog(put('torn.jsonl', log.subarray(0, end)));
      expect(torn).toEqual(readSessionLog(put('whole.jsonl', log.subarray(0, whole))));
    }
  });

  it('continues after a torn line', () => {
    const torn = JSON.stringify(answer()).slice(0, 50);
    const path = put('log.jsonl', `${torn}\n${JSON.stringify(prompt('p'))}\n${JSON.stringify(answer())}\n`);
    expect(readSessionLog(path)).toMatchObject({ finished: true, delivered: new Set(['p']) });
  });
});

it('is empty if the file does not exist', () => {
  expect(readSessionLog(join(root, 'none.jsonl'))).toEqual({
    hasMessages: false,
    delivered: new Set(),
    finished: false,
    openTool: undefined,
  });
});
