import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../../../src/core/governor/relief/handoff-request.ts';
import type { Entry, FileChange } from '../../../../src/core/memory/entry.ts';
import { RENDERED_LIMIT, renderHandoff } from '../../../../src/core/memory/handoff/render-handoff.ts';
import { createNotebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { command, edit } from '../../../support/notes.ts';
import { vectorsOf } from '../../../support/recordings.ts';

function handoffOf(entries: readonly Entry[]): string {
  const notebook = createNotebook();
  for (const entry of entries) notebook.add(entry);
  const { state } = notebook;
  const facts = { session: 's1', task: undefined, running: [], folder: '.context/sessions/s1', t: 0 };
  return renderHandoff(notebook, { ...facts, state });
}

/** Paths under `## Files`, in the order they came up. */
function filesIn(text: string): string[] {
  const part = text.slice(text.indexOf('## Files'), text.indexOf('## Commands to verify'));
  return [...part.matchAll(/^- `([^`]+)`/gm)].map(([, path = '']) => path).reverse();
}

function changed(path: string, change: FileChange['change']): Entry {
  return edit(path, { change: { path, change } });
}

interface Restart {
  readonly files?: readonly (string | { readonly $seq: { template: string; from: number; to: number } })[];
  readonly progress?: readonly string[];
}

const RESTART = vectorsOf<Restart, { readonly lines_before_instructions: readonly string[] }>('restart-context');

function pathsOf({ files = [] }: Restart): string[] {
  return files.flatMap((file) => {
    if (typeof file === 'string') return [file];
    const { template, from, to } = file.$seq;
    return Array.from({ length: to - from }, (_, n) => template.replace('{i}', String(from + n)));
  });
}

describe('the text for a fresh context', () => {
  it.each(RESTART.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    const paths = pathsOf(input);
    const text = handoffOf(paths.map((path) => edit(path)));
    const listed = expected.lines_before_instructions.filter((line) => line.startsWith('  - ')).map((l) => l.slice(4));
    // Where there are more than fit, all are counted, and the detail file has them.
    expect(filesIn(text)).toEqual(expect.arrayContaining(listed));
    expect(filesIn(text)).toStrictEqual(paths);
    expect(text).toContain(`${paths.length} changes of files were noted`);
    expect(text).toContain('\nMore: artifacts.md\n');
  });

  it('db-067, fixed: puts words over several lines on one line', () => {
    const [said = ''] = RESTART.find(({ id }) => id === 'db-067')?.input.progress ?? [];
    const text = handoffOf([{ kind: 'state', t: 0, what: 'state', to: said }]);
    expect(said).toBe('a\nb');
    expect(text).toContain('\nLatest state: `a b`\n');
  });
});

interface Tree {
  readonly committed?: readonly string[];
  readonly modified?: readonly string[];
  readonly untracked?: readonly string[];
  readonly staged?: readonly string[];
  readonly active_phase?: boolean;
}

const TREES = vectorsOf<Tree, { readonly modified_files?: readonly string[] }>('git-state-capture');

/** What the agent did to come to such a tree. */
function workOf({ modified = [], untracked = [], staged = [] }: Tree): Entry[] {
  return [
    ...modified.map((path) => changed(path, 'edited')),
    ...untracked.map((path) => changed(path, 'created')),
    ...staged.flatMap((path) => [changed(path, 'edited'), command(`git add ${path}`, 0)]),
  ];
}

const tree = (id: string) => TREES.find((one) => one.id === id)?.input ?? {};

describe('the listed files', () => {
  it.each(TREES.filter(({ kind, id }) => kind === 'conform' && id !== 'db-075'))(
    '$id: $name',
    ({ input, expected }) => {
      expect(filesIn(handoffOf(workOf(input)))).toStrictEqual(expected.modified_files);
    },
  );

  it('db-070, fixed: lists new untracked files', () => {
    expect(filesIn(handoffOf(workOf(tree('db-070'))))).toStrictEqual(['new.py']);
  });

  it('db-071, fixed: lists staged files', () => {
    expect(filesIn(handoffOf(workOf(tree('db-071'))))).toStrictEqual(['a.py']);
  });

  it('db-075: invents no facts without notes, but the document is complete', () => {
    expect(tree('db-075')).toEqual({ active_phase: false });
    const text = handoffOf([]);
    expect(filesIn(text)).toEqual([]);
    for (const section of HANDOFF_SECTIONS) expect(text).toContain(`\n## ${section}\n`);
  });

  it('a limit drops the oldest items, never the head and the task', () => {
    const prompt: Entry = { kind: 'prompt', t: 0, text: 'Mend the clock.', pictures: 0 };
    const text = handoffOf([
      prompt,
      ...Array.from({ length: 5_000 }, (_, n) => edit(`src/${'x'.repeat(300)}/${n}.ts`)),
    ]);
    expect(text.length).toBeLessThanOrEqual(RENDERED_LIMIT);
    expect(text).toMatch(/^# Handoff of session s1\n/);
    expect(text).toContain('Mend the clock.');
    expect(filesIn(text).at(-1)).toBe(`src/${'x'.repeat(300)}/4999.ts`);
  });
});
