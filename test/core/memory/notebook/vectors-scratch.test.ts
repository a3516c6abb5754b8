import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../src/core/memory/entry.ts';
import { createNotebook, type Notebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { renderIndex } from '../../../../src/core/memory/notebook/render-index.ts';
import { entriesOf } from '../../../support/notes.ts';
import { vectorsOf } from '../../../support/recordings.ts';

type List = readonly (string | { readonly $seq: { readonly template: unknown; from: number; to: number } } | Long)[];
type Long = { readonly $concat: readonly (string | Repeat)[] } | Repeat;
type Repeat = { readonly $repeat: string; readonly count: number };

interface Scratch {
  readonly human_inputs?: List;
  readonly state_changes?: List;
  readonly dead_ends?: List;
  readonly artifacts?: List;
}

interface Rendered {
  readonly line_count: number;
  readonly lines?: readonly string[];
  readonly sections?: Readonly<
    Record<string, { readonly items: number; readonly first: string; readonly last: string }>
  >;
}

/** The compact lists of the vectors, written out. */
function expand(list: List = []): unknown[] {
  return list.flatMap((item) => {
    if (typeof item === 'string') return [item];
    if (!('$seq' in item)) return [long(item)];
    const { template, from, to } = item.$seq;
    return Array.from({ length: to - from }, (_, i): unknown =>
      JSON.parse(JSON.stringify(template).replaceAll('{i}', String(from + i))),
    );
  });
}

function long(text: Long): string {
  if ('$repeat' in text) return text.$repeat.repeat(text.count);
  return text.$concat.map((part) => (typeof part === 'string' ? part : part.$repeat.repeat(part.count))).join('');
}

function entries({ human_inputs, state_changes, dead_ends, artifacts }: Scratch): Entry[] {
  return [
    ...expand(human_inputs).map((text): Entry => ({ kind: 'prompt', t: 0, text: String(text), pictures: 0 })),
    ...expand(state_changes).map((change): Entry => {
      const [from = '', to = ''] = change as readonly string[];
      return { kind: 'state', t: 0, what: 'state', from, to };
    }),
    ...expand(dead_ends).map((text): Entry => ({ kind: 'remark', t: 0, text: String(text) })),
    ...expand(artifacts).map((path, index): Entry => written(String(path), index)),
  ];
}

function written(path: string, index: number): Entry {
  const change = { path, change: 'created' } as const;
  const common = { kind: 'tool', t: 0, name: 'Write', agent: null, outcome: 'ok', said: '', output: '' } as const;
  return { ...common, id: `toolu_${index}`, title: path, input: `${index}`, change };
}

function notebookOf(scratch: Scratch): Notebook {
  const notebook = createNotebook();
  for (const entry of entries(scratch)) notebook.add(entry);
  return notebook;
}

function linesOf(scratch: Scratch): string[] {
  const head = { session: 's', task: undefined, state: undefined, updated: 0, folder: '.context' };
  return renderIndex(notebookOf(scratch), head).slice(0, -1).split('\n');
}

function section(lines: readonly string[], title: string): string[] {
  const from = lines.indexOf(title) + 1;
  return lines.slice(from, lines.indexOf('', from)).map((line) => line.replace(/ \[L\d+-\d+\]$/, ''));
}

const RENDERING = vectorsOf<Scratch, Rendered>('scratch-rendering');
const vector = (id: string) => RENDERING.find((one) => one.id === id)?.input ?? {};

describe('rendering', () => {
  it.each(RENDERING.filter(({ expected }) => expected.lines !== undefined))('$id: $name', ({ input, expected }) => {
    const title = expected.lines?.find((line) => line.startsWith('## ')) ?? '';
    const items = expected.lines?.filter((line) => line.startsWith('- ')) ?? [];
    expect(section(linesOf(input), title).slice(0, -1)).toEqual(items);
  });

  it('tp-083: gives a single section all the lines it needs, with the numbers of the detail file', () => {
    const lines = section(linesOf(vector('tp-083')), '## Human Input');
    expect(lines).toHaveLength(49);
    expect(lines[0]).toBe('- #1: Message 0');
    expect(lines.at(-2)).toBe('- #48: Message 47');
    expect(lines.at(-1)).toBe('48 prompts → .context/human-input.md');
  });

  it('tp-087: four full sections share 200 lines, keep their newest, and count omitted lines', () => {
    const lines = linesOf(vector('tp-087'));
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(lines.length).toBeGreaterThan(195);
    const titles = ['## Human Input', '## State Changes', '## Dead Ends', '## Artifacts'];
    const sections = titles.map((title) => section(lines, title));
    const sizes = sections.map(({ length }) => length);
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect(sections.map((part) => part.at(-2))).toEqual([
      '- #100: Message 99',
      '- #100: state: S99 → T99',
      '- #100: Dead end 99',
      '- #100: src/file_99.py: created',
    ]);
    for (const part of sections)
      expect(part.at(-1)).toMatch(/^100 [a-z ]+, the newest \d+ here → \.context\/[a-z-]+\.md$/);
  });
});

const EXTRACTION = vectorsOf<
  { readonly events?: readonly Record<string, unknown>[] },
  { readonly human_inputs?: readonly string[]; readonly artifacts?: readonly string[] }
>('scratch-extraction');

/** What the caller says comes in as his lines; everything else is what claude writes. */
function found(events: readonly Record<string, unknown>[]): Entry[] {
  return entriesOf(events.map((line) => ({ from: line.type === 'user' ? 'caller' : 'claude', line })));
}

describe('extraction', () => {
  it.each(EXTRACTION.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    const all = found(input.events ?? []);
    expect(all.flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : []))).toEqual(expected.human_inputs);
    expect(all.filter(({ kind }) => kind === 'tool')).toEqual([]);
  });

  it('tp-071: accepts a tool call without an input', () => {
    const use = { type: 'tool_use', id: 't1', name: 'Write', input: null };
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'File created successfully at: x' };
    const all = entriesOf([
      { from: 'claude', line: { type: 'assistant', message: { id: 'm1', content: [use] } } },
      { from: 'claude', line: { type: 'user', message: { content: [result] } } },
    ]);
    expect(all).toMatchObject([{ kind: 'tool', name: 'Write', outcome: 'ok' }]);
    expect(all[0]).not.toHaveProperty('changes');
  });
});
