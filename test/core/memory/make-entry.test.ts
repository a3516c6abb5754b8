import { describe, expect, it } from 'vitest';
import type { Entry, ToolEntry } from '../../../src/core/memory/entry.ts';
import type { Line } from '../../support/governor.ts';
import { entriesOf, type Heard } from '../../support/notes.ts';

interface Call {
  readonly name: string;
  readonly input: object;
  readonly result?: unknown;
  readonly failed?: boolean;
  readonly report?: unknown;
  readonly id?: string;
  readonly cwd?: string;
  readonly agentId?: string;
}

/** The rows of a session log that one call leaves. */
function rows({ id = 'toolu_1', name, input, result = 'ok', failed = false, report, cwd, agentId }: Call): Heard[] {
  const common = { isSidechain: agentId !== undefined, agentId, cwd, sessionId: 's1' };
  const use = { role: 'assistant', id: `m_${id}`, model: 'm', content: [{ type: 'tool_use', id, name, input }] };
  const block = { type: 'tool_result', tool_use_id: id, content: result, is_error: failed };
  const lines: Line[] = [
    { ...common, type: 'assistant', message: use },
    { ...common, type: 'user', message: { role: 'user', content: [block] }, toolUseResult: report },
  ];
  return lines.map((line) => ({ from: 'claude', line }));
}

function entryOf(call: Call): ToolEntry {
  const [entry] = tools(entriesOf(rows(call)));
  if (entry === undefined) throw new Error('there is no entry');
  return entry;
}

function tools(entries: readonly Entry[]): ToolEntry[] {
  return entries.filter((entry): entry is ToolEntry => entry.kind === 'tool');
}

describe('the title of a call', () => {
  it.each([
    { name: 'Bash', input: { command: 'npm\ntest', description: 'x' }, title: 'npm test' },
    { name: 'Read', input: { file_path: 'a.ts' }, title: 'a.ts' },
    { name: 'Read', input: { file_path: 'a.ts', offset: 10, limit: 5 }, title: 'a.ts lines 10-14' },
    { name: 'Read', input: { file_path: 'a.ts', offset: 10 }, title: 'a.ts from line 10' },
    { name: 'Grep', input: { pattern: 'x+', path: 'src' }, title: 'x+ src' },
    { name: 'Glob', input: { pattern: '**/*.ts' }, title: '**/*.ts' },
    { name: 'Agent', input: { description: 'Count', prompt: 'p', subagent_type: 'Explore' }, title: 'Explore Count' },
    { name: 'WebFetch', input: { prompt: 'p', url: 'https://example.org' }, title: 'https://example.org' },
    { name: 'mcp__db__get', input: { table: 'users', id: 7, deep: {} }, title: 'table=users id=7' },
    { name: 'TodoWrite', input: { todos: [] }, title: '' },
    { name: 'Bash', input: null, title: '' },
    { name: 'Bash', input: { command: 'x'.repeat(600) }, title: 'x'.repeat(500) },
  ])('$name $input', ({ name, input, title }) => {
    expect(entryOf({ name, input: input as object }).title).toBe(title);
  });
});

describe('the result of a call', () => {
  it.each([
    { name: 'the last line of a success', result: 'first\nlast\n\n', said: 'last' },
    { name: 'nothing', result: '', said: '' },
    { name: 'parts', result: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }], said: 'b' },
    { name: 'the error of a failure', result: 'Exit code 1\nTypeError: no\ndone', failed: true, said: 'TypeError: no' },
  ])('$name', ({ result, failed = false, said }) => {
    expect(entryOf({ name: 'Bash', input: { command: 'x' }, result, failed }).said).toBe(said);
  });
});

describe('the fingerprint of an input', () => {
  const of = (input: object, name = 'Bash') => entryOf({ name, input }).input;

  it.each([
    { name: 'the order of keys', one: { a: 1, b: { c: 2, d: 3 } }, other: { b: { d: 3, c: 2 }, a: 1 }, same: true },
    { name: 'the description', one: { command: 'x', description: 'a' }, other: { command: 'x' }, same: true },
    { name: 'the command', one: { command: 'x' }, other: { command: 'y' }, same: false },
    { name: 'a kind of value', one: { limit: 1 }, other: { limit: '1' }, same: false },
    { name: 'where a value stands', one: { a: ['x', ''] }, other: { a: ['', 'x'] }, same: false },
    { name: 'a key', one: { a: 'x' }, other: { b: 'x' }, same: false },
  ])('$name', ({ one, other, same }) => {
    expect(of(one) === of(other)).toBe(same);
  });

  it('supports any depth', () => {
    let deep: object = {};
    for (let depth = 0; depth < 5_000; depth++) deep = { deep };
    expect(of(deep)).toMatch(/^\w+$/);
  });
});

describe('paths are relative to the project', () => {
  it.each([
    { name: 'a file in it', path: '/w/src/a.ts', expected: 'src/a.ts' },
    { name: 'a file outside', path: '/other/a.ts', expected: '/other/a.ts' },
    { name: 'a folder that only begins like it', path: '/wide/a.ts', expected: '/wide/a.ts' },
    { name: 'a relative one', path: './src/a.ts', expected: 'src/a.ts' },
  ])('$name', ({ path, expected }) => {
    const { change } = entryOf({ name: 'Edit', input: { file_path: path }, cwd: '/w' });
    expect(change?.path).toBe(expected);
  });

  it('keeps a relative path if no folder is known', () => {
    const { change } = entryOf({ name: 'Edit', input: { file_path: './src/a.ts' } });
    expect(change?.path).toBe('src/a.ts');
  });

  it('gives a file the same name in a subagent and in the main thread', () => {
    const entries = tools(
      entriesOf([
        ...rows({ id: 't0', name: 'Task', input: { description: 'Count' }, cwd: '/w' }).slice(0, 1),
        ...rows({ id: 't1', name: 'Write', input: { file_path: '/w/a.ts' }, cwd: '/w', agentId: 'a1' }),
        ...rows({ id: 't2', name: 'Edit', input: { file_path: '/w/a.ts' }, cwd: '/w' }),
      ]),
    );
    expect(entries.map(({ change }) => change?.path)).toStrictEqual(['a.ts', 'a.ts']);
  });
});

describe('bounds', () => {
  it('cuts texts', () => {
    const long = `${'x'.repeat(30_000)}\n`.repeat(20);
    const { title, said, command } = entryOf({
      name: 'Bash',
      input: { command: long },
      result: `Exit code 1\n${long}`,
      failed: true,
    });
    expect([title.length, said.length]).toStrictEqual([500, 500]);
    expect([...(command?.text ?? '')].length).toBeLessThanOrEqual(10_000);
    expect(command?.tail.length).toBeLessThanOrEqual(2_000);
  });

  it('keeps the last 20 lines of a failure', () => {
    const lines = Array.from({ length: 100 }, (_, n) => `line ${n}`);
    const { command } = entryOf({
      name: 'Bash',
      input: { command: 'x' },
      result: `Exit code 3\n${lines.join('\n')}`,
      failed: true,
    });
    expect(command).toMatchObject({ exit: 3, tail: lines.slice(-20).join('\n') });
  });

  it.each([
    { name: 'no call for the result', heard: rows({ name: 'Bash', input: {} }).slice(1) },
    { name: 'no result for the call', heard: rows({ name: 'Bash', input: {} }).slice(0, 1) },
    { name: 'no content', heard: [{ from: 'claude', line: { type: 'user', message: null } }] },
  ] satisfies readonly { name: string; heard: readonly Heard[] }[])('$name: no entry', ({ heard }) => {
    expect(entriesOf(heard)).toStrictEqual([]);
  });

  it('records a repeated result once', () => {
    const heard = rows({ name: 'Bash', input: { command: 'x' } });
    expect(entriesOf([...heard, ...heard.slice(1)])).toHaveLength(1);
  });
});

describe('the input that takes an edit back', () => {
  const editOf = (before: string, after: string) =>
    entryOf({ name: 'Edit', input: { file_path: 'a', old_string: before, new_string: after } });

  it.each([
    { name: 'an import', before: 'a();', after: "import { a } from './a.ts';\na();" },
    { name: 'a line of a list of imports', before: 'import (\n\t"os"\n)', after: 'import (\n\t"os"\n\t"time"\n)' },
    { name: 'an import with a name', before: '\t"os"', after: '\t"os"\n\tcfg "example.org/app/config"' },
    { name: 'an include', before: 'int x;', after: '#include <stdio.h>\nint x;' },
    { name: 'a comment', before: 'a();', after: '// Why.\na();' },
    { name: 'white space', before: 'if (x) {\n  a();\n}', after: 'if (x) {\n    a();\n}' },
    { name: 'nothing', before: 'a();', after: 'a();' },
    { name: 'another order', before: 'a();\nb();', after: 'b();\na();' },
  ])('does not matter for $name, in both directions', ({ before, after }) => {
    expect([editOf(before, after).reverse, editOf(after, before).reverse]).toEqual([undefined, undefined]);
  });

  it.each([
    { name: 'another word', before: 'x', after: 'y' },
    { name: 'another value', before: 'const limit = 5;', after: 'const limit = 50;' },
    { name: 'code with its import', before: 'a();', after: "import { b } from './b.ts';\na(b());" },
    { name: 'code with a comment', before: 'a();', after: '// Why.\nb();' },
  ])('is known for $name, in both directions', ({ before, after }) => {
    const [there, back] = [editOf(before, after), editOf(after, before)];
    expect(there.reverse).toBe(back.input);
    expect(back.reverse).toBe(there.input);
  });

  it('is unknown for a failed edit and for another tool', () => {
    const input = { file_path: 'a', old_string: 'x', new_string: 'y' };
    expect(entryOf({ name: 'Edit', input, failed: true }).reverse).toBeUndefined();
    expect(entryOf({ name: 'Write', input: { file_path: 'a', content: 'x' } }).reverse).toBeUndefined();
  });
});
