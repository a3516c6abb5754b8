import { describe, expect, it } from 'vitest';
import { redact } from '../../../../src/store/masks/redact.ts';
import { randomNumbers, randomTexts, resultEntry } from '../../../support/notes.ts';
import { sized } from '../../../support/size.ts';

const CHARACTERS = sized(4_000, 1_000_000);

/** A tool with an input and a report that put `text` wherever a text is looked for. */
const TOOLS: readonly {
  readonly name: string;
  readonly input: (text: string) => object;
  readonly report?: (text: string) => unknown;
}[] = [
  {
    name: 'Read',
    input: (text) => ({ file_path: text }),
    report: (text) => ({ type: 'text', file: { content: text, numLines: 3 } }),
  },
  { name: 'Read', input: () => ({ file_path: '/w/a' }) },
  { name: 'Edit', input: (text) => ({ file_path: text, old_string: text, new_string: text }) },
  {
    name: 'Edit',
    input: () => ({ file_path: 'a' }),
    report: (text) => ({ structuredPatch: [{ lines: text.split('\n') }, text] }),
  },
  { name: 'Write', input: (text) => ({ file_path: text, content: text }) },
  {
    name: 'NotebookEdit',
    input: (text) => ({ notebook_path: text, cell_id: text, edit_mode: text, new_source: text }),
  },
  { name: 'Grep', input: (text) => ({ pattern: text, path: text, output_mode: 'content' }) },
  { name: 'Grep', input: () => ({ pattern: 'x', path: 'a.ts', output_mode: 'content', '-C': 1 }) },
  { name: 'Grep', input: () => ({ pattern: 'x', output_mode: 'count' }) },
  {
    name: 'Grep',
    input: () => ({ pattern: 'x' }),
    report: (text) => ({ filenames: [text, 1], mode: text, content: text }),
  },
  {
    name: 'Glob',
    input: (text) => ({ pattern: text }),
    report: (text) => ({ filenames: text.split('\n'), numFiles: text }),
  },
  {
    name: 'Agent',
    input: (text) => ({ subagent_type: text, description: text }),
    report: (text) => ({ content: [{ text }, text] }),
  },
  { name: 'Task', input: () => ({}), report: (text) => ({ isAsync: true, outputFile: text, agentType: text }) },
  {
    name: 'TaskOutput',
    input: (text) => ({ task_id: text }),
    report: (text) => ({ task: { task_type: text, status: text, output: text } }),
  },
  { name: 'WebFetch', input: (text) => ({ url: text }), report: (text) => ({ result: text, code: text, bytes: -1 }) },
  {
    name: 'WebSearch',
    input: (text) => ({ query: text }),
    report: (text) => ({ results: [text, { content: [{ title: text }, null] }] }),
  },
  { name: 'TodoWrite', input: (text) => ({ todos: [text, null] }) },
  { name: 'mcp__srv__tool', input: (text) => ({ [text]: text, id: 7 }) },
  ...[
    'git status',
    'git status -sb',
    'git diff',
    'git diff --stat',
    'git diff --name-status',
    'git show',
    'git log',
  ].map(bash),
  ...[
    'grep -rn x .',
    'grep -n -C 2 x a.ts',
    'rg x',
    'grep -rc x .',
    'grep -l x *',
    'find .',
    'ls',
    'ls -la',
    'make',
  ].map(bash),
];

function bash(command: string) {
  const report = (stdout: string) => ({ stdout, stderr: '' });
  return { name: 'Bash', input: () => ({ command }), report };
}

function isSound(gist: string): boolean {
  return [...gist].length <= 500 && !/[\r\n\v\f\u0085\u2028\u2029]/.test(gist) && gist.split('`').length % 2 === 1;
}

describe.each(TOOLS.map((tool, index) => ({ ...tool, title: `${index} ${tool.name}` })))(
  '$title',
  ({ name, input, report }) => {
    const gistOf = (text: string, failed = false) =>
      resultEntry(name, input(text), text, { failed, report: report?.(text), mask: redact }).gist ?? '';

    it('is one line of at most 500 code points and deterministic, for any texts', () => {
      const next = randomNumbers(7);
      for (const piece of randomTexts(41, sized(40, 120))) {
        const text = piece.repeat(1 + next(60));
        const failed = next(4) === 0;
        const gist = gistOf(text, failed);
        if (!isSound(gist)) expect(gist).toBe('sound');
        expect(gistOf(text, failed)).toBe(gist);
      }
    });

    it.each([
      '\n',
      ' ',
      'a',
      '`',
      '[',
      '(',
      '+',
      '-',
      ':',
      ' [',
      '\t',
      '|',
      '/',
      '* ',
      '\u{1d11e}',
      'a:1:',
      'diff --git a/',
      ' b/',
      '@@',
      '## ',
      '?? a\n',
      'commit ',
      'abc1234 (',
      'export ',
      'func (',
      '    ',
      '12→',
      'Error: result (',
      '<persisted-output>',
      'total 1\n',
      '-rw-r--r-- ',
      'grep: \n',
    ])(`is sound for ${CHARACTERS} characters of nothing but %j`, (piece) => {
      const text = piece.repeat(Math.ceil(CHARACTERS / piece.length));
      const gist = gistOf(text);
      expect(isSound(gist)).toBe(true);
    });
  },
);

describe('secrets', () => {
  // Made up, of the form that GitHub gives its tokens.
  const TOKEN = `ghp_${'A1b2C3d4E5f6'.repeat(3)}`;

  it.each(TOOLS.map((tool, index) => ({ ...tool, title: `${index} ${tool.name}` })))(
    '$title: the summary contains neither the secret nor a part',
    ({ name, input, report }) => {
      for (const room of [0, 20, 40, 60, 90, 140, 150, 480, 1_990]) {
        const text = `${'x'.repeat(room)} ${TOKEN}`;
        const { gist = '' } = resultEntry(name, input(text), text, { report: report?.(text), mask: redact });
        expect(gist).not.toContain('A1b2C3');
      }
    },
  );
});
