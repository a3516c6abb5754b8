import { describe, expect, it } from 'vitest';
import { exactAnswer } from '../../../src/core/exact/exact-answer.ts';
import type { Message } from '../../../src/core/exact/message.ts';
import { filesRead } from '../../../src/core/exact/newest-files.ts';

const PATH = '/work/a.ts';
const OLD = ['let limit = 3;', '// unchanged', 'export { limit };', ''];
const NEW = ['let limit = 40;', 'let other = 1;', '// unchanged', 'export { limit, other };', ''];

interface Reading {
  readonly input?: object;
  readonly text?: string;
  readonly tool?: string;
  readonly file?: object;
}

function numbered(lines: readonly string[], first = 1): string {
  return lines.map((line, at) => `${first + at}\t${line}`).join('\n');
}

/** A file is read; then other steps follow, and a prompt. */
function talk({ input = {}, text = numbered(OLD), tool = 'Read', file = { totalLines: 4 } }: Reading): Message[] {
  const row = { text: '', toolUses: [] };
  const step = (id: string, use: { tool: string; input: object }, result: object): Message[] => [
    { role: 'assistant', ...row, toolUses: [{ tool_use_id: id, ...use }] },
    { role: 'user', ...row, toolResults: [{ tool_use_id: id, text: '', ...result }] },
  ];
  const others = ['one', 'two', 'three'].flatMap((name) =>
    step(name, { tool: 'Bash', input: { command: name } }, { text: 'many words\n'.repeat(400) }),
  );
  const rows: Message[] = [
    { role: 'user', text: 'raise the limit', toolUses: [] },
    ...step('read', { tool, input: { file_path: PATH, ...input } }, { text, result: { file } }),
    ...others,
    { role: 'assistant', ...row, text: 'Done.' },
    { role: 'user', ...row, text: 'and now?' },
  ];
  return rows.map((each, at) => ({ ...each, handle: `row-${at}` }));
}

/** What the model sees of the file after a compaction. */
function seen(reading: Reading, now = NEW.join('\n'), keep = ['read']): string | undefined {
  const plan = { version: 1, note: 'a note', budget: 9_000, keep } as const;
  const { messages = [] } = exactAnswer(talk(reading), plan, { files: new Map([[PATH, now]]) });
  return messages.flatMap(({ toolResults = [] }) => toolResults).find(({ tool_use_id: id }) => id === 'read')?.text;
}

describe('a kept file', () => {
  it('has its current text', () => {
    expect(seen({})).toBe(numbered(NEW));
  });

  it('stays unchanged if the file has not changed', () => {
    expect(seen({}, OLD.join('\n'))).toBe(numbered(OLD));
  });

  it('keeps its number of lines if only a part was read', () => {
    const part = { input: { offset: 2, limit: 2 }, text: numbered(OLD.slice(1, 3), 2) };
    expect(seen(part)).toBe(numbered(NEW.slice(1, 3), 2));
    // ctxb has set a limit, which the call does not show.
    expect(seen({ text: numbered(OLD.slice(0, 2)) })).toBe(numbered(NEW.slice(0, 2)));
  });

  it.each([
    { name: 'a result that is no lines', reading: { text: 'The file is empty.' } },
    { name: 'lines with a word of claude behind them', reading: { text: `${numbered(OLD)}\n[more lines follow]` } },
    { name: 'what another tool gave', reading: { tool: 'Grep' } },
    { name: 'lines that the file no longer has', reading: { text: numbered(['x'], 90), input: { offset: 90 } } },
  ])('$name stays unchanged', ({ reading }) => {
    expect(seen(reading)).toBe(reading.text ?? numbered(OLD));
  });
});

it('is dropped if nothing else could be omitted', () => {
  const note = 'a long note '.repeat(100);
  const plan = { version: 1, note, budget: 24_000, keep: ['read', 'one', 'two', 'three'] } as const;
  expect(exactAnswer(talk({}), plan).outcome).toMatchObject({ answered: true, steps: { whole: 2 } });
});

it('requests each kept file once', () => {
  const rows = [...talk({}), ...talk({})];
  expect(filesRead(rows, ['read', 'one'])).toEqual([PATH]);
  expect(filesRead(rows, ['one'])).toEqual([]);
});
