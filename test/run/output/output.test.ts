import { describe, expect, it } from 'vitest';
import { decodeLine } from '../../../src/core/protocol/decode.ts';
import type { Outlet } from '../../../src/run/output/outlet.ts';
import { createOutput, type OutputFormat } from '../../../src/run/output/output.ts';

/** An outlet that keeps what was written. */
function collector() {
  let written = '';
  const outlet: Outlet = {
    write: (bytes) => {
      written += String(bytes);
    },
    whenDrained: (resume) => resume(),
    isBlocked: false,
    isGone: false,
    giveUp() {},
    finish: () => Promise.resolve(),
  };
  return { outlet, written: () => written };
}

const INIT = '{"type":"system","subtype":"init"}';

function result(text: string, more: object = {}): string {
  return JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, ...more });
}

/** As 2.1.332 writes it; its result has no origin. */
const WOKEN = '{"type":"command_lifecycle","command_uuid":"u","state":"started","wakeup_source":"loop_wakeup"}';

const TASK = { origin: { kind: 'task-notification' } };

/** `pending`: a background task can still bring another answer. */
type Part = { readonly line: string; readonly pending?: true } | 'prompt';

async function write(format: OutputFormat, parts: readonly Part[]) {
  const { outlet, written } = collector();
  const output = createOutput(format, outlet);
  for (const part of parts) {
    if (part === 'prompt') output.promptSent();
    else {
      const bytes = Buffer.from(part.line);
      output.bytes(bytes);
      output.event(decodeLine(part.line), bytes, !part.pending);
    }
  }
  const before = written();
  let given: string | undefined;
  output.whenGiven(() => {
    given = written();
  });
  const isGivenBefore = given !== undefined;
  await output.finish();
  return { before, isGivenBefore, given, after: written(), lastResult: output.lastResult, isUnsaved: output.isUnsaved };
}

interface OutputCase {
  readonly title: string;
  readonly format: OutputFormat;
  readonly parts: readonly Part[];
  readonly before?: string;
  readonly after: string;
}

const TEXT: OutputFormat = { format: 'text', verbose: false };
const JSON_FORMAT: OutputFormat = { format: 'json', verbose: false };
const ARRAY: OutputFormat = { format: 'json', verbose: true };
const STREAM: OutputFormat = { format: 'stream-json', verbose: true };

const CASES: readonly OutputCase[] = [
  {
    title: 'stream: every byte, at once',
    format: STREAM,
    parts: [{ line: `${INIT}\r\n` }, { line: 'x' }],
    before: `${INIT}\r\nx`,
    after: `${INIT}\r\nx`,
  },
  { title: 'text: nothing without a result', format: TEXT, parts: ['prompt', { line: `${INIT}\n` }], after: '' },
  { title: 'text: a result', format: TEXT, parts: ['prompt', { line: `${result('a')}\n` }], after: 'a\n' },
  {
    title: 'text: a result goes out at once',
    format: TEXT,
    parts: ['prompt', { line: `${result('a')}\n` }],
    before: 'a\n',
    after: 'a\n',
  },
  {
    title: 'text: the answer to a background task follows, and nothing waits',
    format: TEXT,
    parts: [{ line: INIT }, { line: result('a'), pending: true }, { line: result('b', TASK), pending: true }],
    before: 'a\n\nb\n',
    after: 'a\n\nb\n',
  },
  {
    title: 'text: what an agent says that was woken stands behind its answer',
    format: TEXT,
    parts: [{ line: INIT }, { line: result('a'), pending: true }, { line: WOKEN }, { line: result('b') }],
    before: 'a\n\nb\n',
    after: 'a\n\nb\n',
  },
  {
    title: 'json: what an agent says that was woken takes the place of its answer',
    format: JSON_FORMAT,
    parts: ['prompt', { line: result('a'), pending: true }, { line: WOKEN }, { line: result('b') }],
    after: `${result('b')}\n`,
  },
  ...[TEXT, JSON_FORMAT, ARRAY].map((format) => ({
    title: `${format.format}${format.verbose ? ', verbose' : ''}: nothing of a session that claude does not know`,
    format,
    parts: [{ line: result('x', { subtype: 'error_during_execution' }) }],
    after: '',
  })),
  ...[TEXT, JSON_FORMAT].map((format) => ({
    title: `${format.format}: nothing of a turn that was broken off`,
    format,
    parts: [
      { line: INIT },
      { line: result('x', { subtype: 'error_during_execution', terminal_reason: 'aborted_streaming' }) },
    ],
    after: '',
  })),
  {
    title: 'text: the answer behind an error begins on a line of its own',
    format: TEXT,
    parts: [
      'prompt',
      { line: result('', { subtype: 'error_max_turns', errors: ['Reached maximum number of turns (3)'] }) },
      'prompt',
      { line: result('b') },
    ],
    before: 'Error: Reached max turns (3)\nb\n',
    after: 'Error: Reached max turns (3)\nb\n',
  },
  {
    title: 'text: an error at the end is as claude prints it',
    format: TEXT,
    parts: [
      'prompt',
      { line: result('a') },
      'prompt',
      { line: INIT },
      { line: result('', { subtype: 'error_during_execution' }) },
    ],
    after: 'a\nExecution error',
  },
  {
    title: 'text: two prompts',
    format: TEXT,
    parts: ['prompt', { line: `${result('a')}\n` }, 'prompt', { line: `${result('b')}\n` }],
    after: 'a\nb\n',
  },
  {
    title: "text: a background task's result stands below the one before",
    format: TEXT,
    parts: [
      'prompt',
      { line: `${result('a')}\n` },
      'prompt',
      { line: `${result('b', TASK)}\n` },
      { line: `${result('c')}\n` },
    ],
    after: 'a\n\nb\nc\n',
  },
  {
    title: 'json: the bytes of the result',
    format: JSON_FORMAT,
    parts: [{ line: `${INIT}\n` }, { line: `${result('a')}\r\n` }],
    after: `${result('a')}\n`,
  },
  {
    title: "json: a background task's result before the first answer gives way to it",
    format: JSON_FORMAT,
    parts: ['prompt', { line: result('', TASK) }, 'prompt', { line: result('a') }],
    before: `${result('a')}\n`,
    after: `${result('a')}\n`,
  },
  {
    title: 'json: a result that may be replaced waits',
    format: JSON_FORMAT,
    parts: [{ line: INIT }, { line: result('a'), pending: true }],
    before: '',
    after: `${result('a')}\n`,
  },
  {
    title: 'json: no newline at the end',
    format: JSON_FORMAT,
    parts: [{ line: result('a') }],
    after: `${result('a')}\n`,
  },
  { title: 'array: nothing', format: ARRAY, parts: [], after: '' },
  { title: 'array: one line', format: ARRAY, parts: [{ line: `${INIT}\n` }], before: `[${INIT}`, after: `[${INIT}]\n` },
  {
    title: 'array: two lines',
    format: ARRAY,
    parts: [{ line: `${INIT}\r\n` }, { line: result('a') }],
    after: `[${INIT},${result('a')}]\n`,
  },
];

describe('the output', () => {
  it.each(CASES)('$title', async ({ format, parts, before, after }) => {
    const written = await write(format, parts);
    expect(written.after).toBe(after);
    if (before !== undefined) expect(written.before).toBe(before);
  });

  it.each([{ pending: true }, {}] as const)(
    'says when an answer is given, which is when it is out ($pending)',
    async (more) => {
      const { isGivenBefore, given } = await write(JSON_FORMAT, [{ line: result('a'), ...more }]);
      expect({ isGivenBefore, given }).toEqual({ isGivenBefore: !('pending' in more), given: `${result('a')}\n` });
    },
  );

  it('remembers the last result, which decides the exit code', async () => {
    const { lastResult } = await write(TEXT, [{ line: result('a') }, { line: result('b', { is_error: true }) }]);
    expect(lastResult).toMatchObject({ text: 'b', isError: true });
  });

  it.each([TEXT, JSON_FORMAT, ARRAY, STREAM])('recognizes that the log was not written: $format', async (format) => {
    const lost = { line: '{"type":"system","subtype":"session_writes_lost","lost":["transcript"]}' };
    const parts = [{ line: INIT }, { line: result('a') }];
    expect((await write(format, parts)).isUnsaved).toBe(false);
    const { isUnsaved, after } = await write(format, [...parts, lost]);
    expect(isUnsaved).toBe(format !== STREAM);
    expect(after.includes('session_writes_lost')).toBe(format === STREAM);
  });

  it('reports the state of the outlet', () => {
    const { outlet } = collector();
    const output = createOutput(STREAM, { ...outlet, isBlocked: true });
    expect(output.isBlocked).toBe(true);
    let called = false;
    output.whenDrained(() => {
      called = true;
    });
    expect(called).toBe(true);
  });
});
