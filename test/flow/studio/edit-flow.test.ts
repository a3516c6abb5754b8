import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkFlow } from '../../../src/flow/file/read-flow.ts';
import { type Edit, editFlow } from '../../../src/flow/studio/edit-flow.ts';

const lines = (...all: string[]) => `${all.join('\n')}\n`;

/** The lines that `after` has in addition, which must stand together. */
function addedLines(before: string, after: string): string[] {
  const [old, all] = [before.split('\n'), after.split('\n')];
  const at = all.findIndex((line, index) => line !== old[index]);
  const added = all.splice(at, all.length - old.length);
  expect(all).toEqual(old);
  return added;
}

const edit = (step: string | null, key: Edit['key'], value: string): Edit => ({ step, key, value });

/** Two steps in block style, the first one with budgets. */
const BLOCK = lines(
  '# A job.',
  'name: job # its folder',
  'budgets:',
  '  # The whole.',
  '  preset: lean # small',
  'steps:',
  '  - id: one',
  '    agent: fixer',
  '    budgets:',
  '      # here',
  '      contextBudgetChars: 150000 # much',
  '      historyRecentChars: 40000',
  '    objective: "First"',
  '',
  '  # The second.',
  '  - id: two',
  '    objective: |-',
  '      Second,',
  '      in two lines',
);

const FLOW = lines(
  'name: job',
  'steps:',
  '  - { id: one, objective: first, budgets: { preset: lean, contextBudgetChars: 50000 } }',
  '  - { id: two, objective: second }',
);

const JSON_FILE = `${JSON.stringify(
  {
    name: 'job',
    steps: [
      { id: 'one', objective: 'first', budgets: { preset: 'lean', historyOlderChars: 900 } },
      { id: 'two', objective: 'second' },
    ],
  },
  null,
  2,
)}\n`;

interface Case {
  readonly name: string;
  readonly text: string;
  readonly file?: string;
  readonly edits: readonly Edit[];
  /** What is another one in the text, as [before, after]. */
  readonly changes: readonly (readonly [string, string])[];
}

const CASES: readonly Case[] = [
  {
    name: 'changes a value and keeps the comment next to it',
    text: BLOCK,
    edits: [edit('one', 'contextBudgetChars', '120,000')],
    changes: [['contextBudgetChars: 150000 # much', 'contextBudgetChars: 120000 # much']],
  },
  {
    name: 'changes the preset of the flow',
    text: BLOCK,
    edits: [edit(null, 'preset', 'heavy')],
    changes: [['preset: lean # small', 'preset: heavy # small']],
  },
  {
    name: 'adds a value behind the others',
    text: BLOCK,
    edits: [edit('one', 'historyOlderChars', '7000')],
    changes: [['40000\n', '40000\n      historyOlderChars: 7000\n']],
  },
  {
    name: 'adds budgets to a step that has none',
    text: BLOCK,
    edits: [edit('two', 'contextBudgetChars', '20000')],
    changes: [['two lines\n', 'two lines\n    budgets:\n      contextBudgetChars: 20000\n']],
  },
  {
    name: 'takes one of two values out',
    text: BLOCK,
    edits: [edit('one', 'contextBudgetChars', '')],
    changes: [['      contextBudgetChars: 150000 # much\n', '']],
  },
  {
    name: 'takes the last value out together with its object, and keeps the comment above it',
    text: BLOCK,
    edits: [edit(null, 'preset', ' ')],
    changes: [['budgets:\n  # The whole.\n  preset: lean # small\n', '# The whole.\n']],
  },
  {
    name: 'keeps the comments above, between and below the values it takes out',
    text: lines(
      'name: job',
      'steps:',
      '  - id: one',
      '    objective: first',
      '    # Above.',
      '    budgets: # Beside.',
      '      # In front.',
      '      preset: lean',
      '      # Between.',
      '      historyOlderChars: 900',
      '      # Below.',
      '    outputs: [a.md]',
    ),
    edits: [edit('one', 'historyOlderChars', ''), edit('one', 'preset', '')],
    changes: [
      [
        '    budgets: # Beside.\n      # In front.\n      preset: lean\n      # Between.\n      historyOlderChars: 900\n      # Below.\n',
        '    # Beside.\n    # In front.\n    # Between.\n    # Below.\n',
      ],
    ],
  },
  {
    name: 'keeps a comment above a value that it takes out from between braces',
    text: lines(
      'name: job',
      'steps:',
      '  - id: one',
      '    objective: first',
      '    budgets:',
      '      {',
      '        # why',
      '        preset: lean,',
      '        # old',
      '        historyOlderChars: 900',
      '      }',
    ),
    edits: [edit('one', 'historyOlderChars', '')],
    changes: [['lean,\n        # old\n        historyOlderChars: 900\n      }', 'lean\n      } # old']],
  },
  {
    name: 'makes several edits',
    text: BLOCK,
    edits: [
      edit('one', 'contextBudgetChars', ''),
      edit('one', 'historyRecentChars', ''),
      edit('two', 'preset', 'lean'),
    ],
    changes: [
      [
        '    budgets:\n      # here\n      contextBudgetChars: 150000 # much\n      historyRecentChars: 40000\n',
        '    # here\n',
      ],
      ['two lines\n', 'two lines\n    budgets:\n      preset: lean\n'],
    ],
  },
  {
    name: 'says nothing where nothing changes',
    text: BLOCK,
    edits: [edit('one', 'contextBudgetChars', '150000'), edit('two', 'preset', '')],
    changes: [],
  },
  {
    name: 'keeps what is typed and no number as a text, for the check to refuse',
    text: BLOCK,
    edits: [edit('one', 'contextBudgetChars', 'a: [lot')],
    changes: [['150000', '"a: [lot"']],
  },
  {
    name: 'changes a value between braces',
    text: FLOW,
    edits: [edit('one', 'preset', 'heavy')],
    changes: [['preset: lean', 'preset: heavy']],
  },
  {
    name: 'adds a value between braces, in lines of their own where the line becomes the longest',
    text: FLOW,
    edits: [edit('one', 'historyRecentChars', '9000')],
    changes: [
      ['{ id: one, objective: first, budgets', '{\n      id: one,\n      objective: first,\n      budgets'],
      ['contextBudgetChars: 50000 } }', 'contextBudgetChars: 50000, historyRecentChars: 9000 }\n    }'],
    ],
  },
  {
    name: 'adds budgets between braces',
    text: FLOW,
    edits: [edit('two', 'historyRecentChars', '9000')],
    changes: [['objective: second }', 'objective: second, budgets: { historyRecentChars: 9000 } }']],
  },
  {
    name: 'adds a value between braces without blanks, and leaves other brackets alone',
    text: 'name: job # with a budget for its one step, and an output\nsteps:\n  - id: one\n    objective: first\n    outputs: [a.md]\n    budgets: {preset: lean}\n',
    edits: [edit('one', 'historyRecentChars', '9000')],
    changes: [['{preset: lean}', '{preset: lean, historyRecentChars: 9000}']],
  },
  {
    name: 'takes the first value between braces out',
    text: FLOW,
    edits: [edit('one', 'preset', '')],
    changes: [['preset: lean, ', '']],
  },
  {
    name: 'takes the last value between braces out',
    text: FLOW,
    edits: [edit('one', 'contextBudgetChars', '')],
    changes: [[', contextBudgetChars: 50000', '']],
  },
  {
    name: 'takes all values between braces out',
    text: FLOW,
    edits: [edit('one', 'contextBudgetChars', ''), edit('one', 'preset', '')],
    changes: [[', budgets: { preset: lean, contextBudgetChars: 50000 }', '']],
  },
  {
    name: 'adds to JSON in lines of its own, with quotes',
    text: JSON_FILE,
    file: 'f.json',
    edits: [edit('one', 'contextBudgetChars', '25000'), edit(null, 'preset', 'heavy')],
    changes: [
      ['"historyOlderChars": 900', '"historyOlderChars": 900,\n        "contextBudgetChars": 25000'],
      ['\n  ]\n', '\n  ],\n  "budgets": {\n    "preset": "heavy"\n  }\n'],
    ],
  },
  {
    name: 'takes out of JSON',
    text: JSON_FILE,
    file: 'f.json',
    edits: [edit('one', 'preset', '')],
    changes: [['"preset": "lean",\n        ', '']],
  },
  {
    name: 'takes budgets out that stand behind the dash',
    text: lines('name: job', 'steps:', '  - budgets:', '      preset: lean', '    id: one', '    objective: first'),
    edits: [edit('one', 'preset', '')],
    changes: [['budgets:\n      preset: lean\n    id', 'id']],
  },
  {
    name: 'loses no comment between braces',
    text: lines(
      'name:   job',
      'steps:',
      '  - id: one',
      '    objective: first',
      '    budgets: { # why',
      '      preset: lean, # small',
      '      historyOlderChars: 900 }',
    ),
    edits: [edit('one', 'historyOlderChars', '')],
    changes: [
      ['name:   job', 'name: job'],
      [
        ' { # why\n      preset: lean, # small\n      historyOlderChars: 900 }',
        '\n      {\n        # why\n        preset: lean # small\n      }',
      ],
    ],
  },
  {
    name: 'adds to a last line without an end',
    text: 'name: job\nsteps: [{id: one, objective: first}]\nbudgets:\n  preset: lean',
    edits: [edit(null, 'historyOlderChars', '900')],
    changes: [['preset: lean', 'preset: lean\n  historyOlderChars: 900\n']],
  },
  {
    name: 'keeps lists that are not indented, an indent of four, and the width of folded text',
    text: lines(
      'name: job',
      'steps:',
      '- id: one',
      '  budgets:',
      '      preset: lean',
      '  objective: >-',
      '      A text that was folded by hand',
      '      at some width, in two lines.',
    ).replaceAll('      ', '    '),
    edits: [edit('one', 'preset', 'heavy')],
    changes: [['lean', 'heavy']],
  },
];

const changed = ({ text, changes }: Case, lineBreak = '\n') =>
  changes
    .reduce((edited, [was, is]) => {
      expect(edited).toContain(was);
      return edited.replace(was, is);
    }, text)
    .replaceAll('\n', lineBreak);

describe('editFlow', () => {
  it.each(CASES)('$name', (each) => {
    const { text, file = 'f.yaml', edits } = each;
    checkFlow(file, text);
    expect(editFlow(file, text, edits)).toBe(changed(each));
  });

  it.each(CASES)('$name, with lines that end in CR LF', (each) => {
    const { text, file = 'f.yaml', edits } = each;
    expect(editFlow(file, text.replaceAll('\n', '\r\n'), edits)).toBe(changed(each, '\r\n'));
  });

  it.each(['small.yaml', '25-steps.yaml'])('restores %s byte for byte after a value was set and cleared', (name) => {
    const path = fileURLToPath(new URL(`../../../fixtures/flows/${name}`, import.meta.url));
    const text = readFileSync(path, 'utf8');
    const flow = checkFlow(path, text);
    const levels = [{ id: null, budgets: flow.budgets }, ...flow.steps];
    for (const [index, { id: step, budgets }] of levels.entries()) {
      const key = (['contextBudgetChars', 'historyRecentChars'] as const)[index % 2] ?? 'preset';
      if (budgets?.[key] !== undefined) continue;
      const set = editFlow(path, text, [edit(step, key, '12000')]);
      expect(addedLines(text, set).map((line) => line.trim())).toEqual([
        ...(budgets === undefined || Object.keys(budgets).length === 0 ? ['budgets:'] : []),
        `${key}: 12000`,
      ]);
      expect(editFlow(path, set, [edit(step, key, '')])).toBe(text);
    }
  });

  it('refuses a file of which the library would change another value', () => {
    const text = lines(
      'name: job',
      'steps:',
      '    - id: one',
      '      objective: >1- # indented less than its first line',
      '        a text',
      '              with a line behind it',
    );
    checkFlow('f.yaml', text);
    expect(() => editFlow('f.yaml', text, [edit('one', 'preset', 'lean')])).toThrow(
      'the budgets of f.yaml cannot be changed here; change them by hand',
    );
  });

  it('edits a text of very many lines', () => {
    const text = `name: job\nsteps:\n  - id: one\n    objective: |\n      a\n${'\n'.repeat(200_000)}      b\n`;
    const edited = editFlow('f.yaml', text, [edit('one', 'preset', 'lean')]);
    expect(edited === `${text}    budgets:\n      preset: lean\n`).toBe(true);
  });

  it('refuses an unknown step', () => {
    expect(() => editFlow('f.yaml', BLOCK, [edit('three', 'preset', 'lean')])).toThrow('there is no step "three"');
  });
});

it('a file that is empty after a removal is an empty object', () => {
  expect(editFlow('f.yaml', 'budgets:\n  preset: lean\n', [edit(null, 'preset', '')])).toBe('{}\n');
});
