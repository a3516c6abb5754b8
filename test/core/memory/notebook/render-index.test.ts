import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../src/core/memory/entry.ts';
import { createNotebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { type Head, renderIndex } from '../../../../src/core/memory/notebook/render-index.ts';
import { randomEntries, randomTexts } from '../../../support/notes.ts';

const HEAD: Head = { session: 's1', task: 'Build it.', state: 'testing', updated: 0, folder: '.context/sessions/s1' };

/** Every line that an index may have. */
const GRAMMAR = [
  /^# Working memory of session .*$/,
  /^(?:Task|State|Updated): .*$/,
  /^\[L12-17\] names lines of the file at the end of its section: .*$/,
  /^## (?:Human Input|State Changes|Dead Ends|Artifacts|Commands|Open Tasks)$/,
  /^- #\d+: .* \[L\d+-\d+\]$/,
  /^- \[[ ~]\] .*$/,
  /^[\d,]+ (?:prompt|change|dead end|command|open of|tool call).* → \.context\/sessions\/s1\/[a-z-]+\.md$/,
  /^$/,
];

function indexOf(entries: readonly Entry[], head: Head = HEAD): string {
  const notebook = createNotebook();
  for (const entry of entries) notebook.add(entry);
  return renderIndex(notebook, head);
}

describe('the index', () => {
  it('of no entries is its head', () => {
    expect(indexOf([], { ...HEAD, task: undefined, state: undefined })).toBe(
      '# Working memory of session s1\nUpdated: time not recorded\n\n',
    );
  });

  it.each([10, 100, 1_000, 5_000].map((count) => ({ count })))(
    'of $count entries is at most 200 lines',
    ({ count }) => {
      for (const seed of [41, 42, 43]) {
        expect(indexOf(randomEntries(seed, count)).slice(0, -1).split('\n').length).toBeLessThanOrEqual(200);
      }
    },
  );

  it('contains only its own lines, for any texts', () => {
    const [task = '', state = '', session = ''] = randomTexts(44, 3);
    const index = indexOf(randomEntries(45, 2_000), { ...HEAD, task, state, session });
    const lines = index.split(/[\n\r\v\f\u0085\u2028\u2029]/);
    expect(lines.filter((line) => !GRAMMAR.some((rule) => rule.test(line)))).toStrictEqual([]);
    expect(lines.filter((line) => line.startsWith('# '))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('State: '))).toHaveLength(1);
    expect(new Set(lines.filter((line) => line.startsWith('## '))).size).toBe(6);
  });

  it('has lines whose text is at most 120 whole code points', () => {
    for (const line of indexOf(randomEntries(46, 2_000)).split('\n')) {
      const text = /^- (?:#\d+: |\[.\] )(.*?)(?: \[L\d+-\d+\])?$/.exec(line)?.[1] ?? '';
      expect([...text].length).toBeLessThanOrEqual(130);
    }
  });

  it('gives the total and the file of every section', () => {
    const entries = Array.from({ length: 500 }, (_, t): Entry => ({ kind: 'prompt', t, text: `p${t}`, pictures: 0 }));
    const lines = indexOf(entries).split('\n');
    expect(lines).toContain('500 prompts, the newest 191 here → .context/sessions/s1/human-input.md');
    expect(lines.filter((line) => line.startsWith('- #')).at(-1)).toBe('- #500: p499 [L2498-2501]');
  });

  it('shows tasks in progress last in their section, and no completed tasks', () => {
    const tasks = [
      { id: '1', subject: 'first', status: 'in_progress' },
      { id: '2', subject: 'second', status: 'pending' },
      { id: '3', subject: 'third', status: 'completed' },
    ].map((task): Entry => ({ kind: 'task', t: 1, agent: null, ...task }));
    const index = indexOf(tasks);
    expect(index.slice(index.indexOf('## Open Tasks'))).toBe(
      '## Open Tasks\n- [ ] second\n- [~] first\n2 open of 3 tasks → .context/sessions/s1/state-changes.md\n\n',
    );
  });
});
