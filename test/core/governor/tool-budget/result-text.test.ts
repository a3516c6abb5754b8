import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { resultText } from '../../../../src/core/governor/tool-budget/cut-result.ts';
import type { Line } from '../../../support/governor.ts';
import { answer, inTurn, played, toolLine } from '../../../support/tools.ts';

const FOLDER = fileURLToPath(new URL('../../../../fixtures/tool-hooks', import.meta.url));

interface HookInput extends Line {
  readonly hook_event_name: 'PostToolUse' | 'PostToolUseFailure';
  readonly tool_name: string;
  readonly tool_response?: unknown;
}

/** What claude's hooks were told about tools, shortened: long texts end early. */
function hookInput(name: string): HookInput {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8')) as HookInput;
}

const NAMES = readdirSync(FOLDER).map((file) => file.replace('.json', ''));

/** The response with the text `from`, wherever it stands, made `to`. */
function withText(response: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(response), (_, value) => (value === from ? to : value));
}

const LARGE = 'a line of output\n'.repeat(6_000).trimEnd();

/** Shapes with a text that can be replaced. */
const CUT = [
  { name: 'bash', text: 'hello\ntwo' },
  { name: 'bash-29k', text: undefined },
  { name: 'subagent-bash', text: undefined },
  { name: 'agent', text: 'The subagent is done.' },
  { name: 'mcp-json', text: undefined },
  { name: 'mcp-text', text: undefined },
  { name: 'mcp-structured', text: '{"a":1}' },
];

describe('cut results keep their shape', () => {
  it.each(CUT)('$name', ({ name, text }) => {
    const { tool_name, tool_response } = hookInput(name);
    const whole = resultText(tool_name, tool_response);
    if (text !== undefined) expect(whole?.text).toBe(text);
    const large = withText(tool_response, whole?.text ?? '', LARGE);
    const result = resultText(tool_name, large);
    expect(result?.text).toBe(LARGE);
    // A text with structured content is replaced by blocks; all else is the same but for the text.
    const expected =
      typeof tool_response === 'string' ? [{ type: 'text', text: 'CUT' }] : withText(large, LARGE, 'CUT');
    expect(result?.replaced('CUT')).toEqual(expected);
  });

  it('merges several blocks of an MCP tool, and keeps pictures in place', () => {
    const { tool_name, tool_response } = hookInput('mcp-blocks');
    const picture = { type: 'image', source: { type: 'base64', data: 'x', media_type: 'image/png' } };
    const result = resultText(tool_name, [picture, ...(tool_response as unknown[]), picture]);
    expect(result?.text).toBe('first block\nsecond block');
    expect(result?.replaced('CUT')).toEqual([picture, { type: 'text', text: 'CUT' }, picture]);
  });

  it('includes stderr, without repeating it', () => {
    const report = { stdout: 'out', stderr: 'err', interrupted: false, isImage: false };
    const result = resultText('Bash', report);
    expect(result?.text).toBe('out\nerr');
    expect(result?.replaced('CUT')).toEqual({ ...report, stdout: 'CUT', stderr: '' });
  });

  it('keeps a single line a single line', () => {
    const file = { filePath: '/f', content: 'x'.repeat(90_000), numLines: 1, startLine: 1, totalLines: 1 };
    const result = resultText('Read', { type: 'text', file });
    expect(result?.replaced('a\nb')).toEqual({ type: 'text', file: { ...file, content: 'a b' } });
  });
});

describe('results that are not cut', () => {
  const known = new Set(CUT.map(({ name }) => name));
  const others = NAMES.filter((name) => !known.has(name) && !name.endsWith('-fails'));

  it.each(others.filter((name) => !/^(?:bash-|mcp-|read-empty)/.test(name)))('%s', (name) => {
    const { tool_name, tool_response } = hookInput(name);
    expect(resultText(tool_name, tool_response)).toBeUndefined();
  });

  it.each(['mcp-empty', 'bash-image'])('%s', (name) => {
    const { tool_name, tool_response } = hookInput(name);
    expect(resultText(tool_name, tool_response)).toBeUndefined();
  });

  it.each([null, undefined, 1, true, [], {}, [null], [{ type: 'text' }], [{ type: 'text', text: 1 }], [['text']]])(
    'a response that is %j',
    (response) => {
      for (const tool of ['Bash', 'Read', 'Agent', 'Task', 'mcp__a__b', 'Grep', '__proto__'])
        expect(resultText(tool, response)).toBeUndefined();
    },
  );

  it('a Bash result without a field that claude requires', () => {
    expect(resultText('Bash', { stdout: 'x', stderr: '' })).toBeUndefined();
  });
});

describe('results that claude stored itself', () => {
  it.each(['bash-40k-stored', 'mcp-text-stored'])('%s stays as it is, without another text', (name) => {
    const { tool_name, tool_response } = hookInput(name);
    const driver = inTurn({ tools: { perCall: 100, minTokens: 1 } });
    const actions = played(driver, toolLine('PostToolUse', { tool: tool_name, response: tool_response }));
    expect(actions.map(({ kind }) => kind)).toEqual(['answer-hook']);
    expect(answer(actions).specific).toEqual({});
    expect(answer(actions).context).toBeUndefined();
  });

  it('does not include a text that only mentions such a result', () => {
    const { tool_name, tool_response } = hookInput('mcp-text-stored');
    expect(resultText(tool_name, tool_response)?.isStored).toBe(true);
    expect(resultText(tool_name, `The log says:\n${String(tool_response)}`)?.isStored).toBe(false);
  });
});

describe('every result shape', () => {
  it.each(NAMES)('%s is answered once, and never made longer in enforce mode', (name) => {
    const input = hookInput(name);
    const driver = inTurn({ tools: { perCall: 60, minTokens: 1 } });
    const line = toolLine(input.hook_event_name, { tool: input.tool_name }, input);
    const { specific } = answer(played(driver, line));
    if (specific?.updatedToolOutput === undefined) return;
    const length = (value: unknown) => resultText(input.tool_name, value)?.text.length ?? 0;
    expect(length(specific.updatedToolOutput)).toBeLessThan(length(input.tool_response));
  });
});
