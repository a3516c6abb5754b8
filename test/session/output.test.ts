import { describe, expect, it } from 'vitest';
import type { Outlet } from '../../src/session/outlet.ts';
import { createOutput, type OutputFormat } from '../../src/session/output.ts';
import { decodeLine } from '../../src/stream/decode.ts';

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
    finish: () => Promise.resolve(),
  };
  return { outlet, written: () => written };
}

const INIT = '{"type":"system","subtype":"init"}';

function result(text: string, more: object = {}): string {
  return JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: text, ...more });
}

const TASK = { origin: { kind: 'task-notification' } };

type Part = { readonly line: string } | 'prompt';

async function write(format: OutputFormat, parts: readonly Part[]) {
  const { outlet, written } = collector();
  const output = createOutput(format, outlet);
  for (const part of parts) {
    if (part === 'prompt') output.promptSent();
    else {
      const bytes = Buffer.from(part.line);
      output.bytes(bytes);
      output.event(decodeLine(part.line), bytes);
    }
  }
  const before = written();
  await output.finish();
  return { before, after: written(), lastResult: output.lastResult };
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
    title: 'text: a result goes out when the next prompt is sent',
    format: TEXT,
    parts: ['prompt', { line: `${result('a')}\n` }, 'prompt'],
    before: 'a\n',
    after: 'a\n',
  },
  {
    title: 'text: two prompts',
    format: TEXT,
    parts: ['prompt', { line: `${result('a')}\n` }, 'prompt', { line: `${result('b')}\n` }],
    after: 'a\nb\n',
  },
  {
    title: "text: a background task's result takes the place of the one before",
    format: TEXT,
    parts: ['prompt', { line: `${result('a')}\n` }, { line: `${result('b', TASK)}\n` }],
    after: 'b\n',
  },
  {
    title: "text: a background task's result behind the next prompt stands alone",
    format: TEXT,
    parts: [
      'prompt',
      { line: `${result('a')}\n` },
      'prompt',
      { line: `${result('b', TASK)}\n` },
      { line: `${result('c')}\n` },
    ],
    after: 'a\nb\nc\n',
  },
  {
    title: 'json: the bytes of the result',
    format: JSON_FORMAT,
    parts: [{ line: `${INIT}\n` }, { line: `${result('a')}\r\n` }],
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

  it('remembers the last result, which decides the exit code', async () => {
    const { lastResult } = await write(TEXT, [{ line: result('a') }, { line: result('b', { is_error: true }) }]);
    expect(lastResult).toMatchObject({ text: 'b', isError: true });
  });

  it('passes on how the outlet is', () => {
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
