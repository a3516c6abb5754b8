import { createDeadEnds } from '../../src/core/memory/dead-ends.ts';
import type { CommandFacts, Entry, FileChange, ToolEntry } from '../../src/core/memory/entry.ts';

/** An entry before it has its place: `calls` gives it an id and a time. */
export type Draft = Entry | Call;

export type Call = Partial<Omit<ToolEntry, 'kind'>> & { readonly kind?: never };

export const PROMPT: Entry = { kind: 'prompt', t: 0, text: 'go on', pictures: 0 };

/** A command that succeeded, unless `more` says otherwise. */
export function ran(text: string, more: Call = {}, facts: Partial<CommandFacts> = {}): Call {
  const command = { text, exit: 0, background: false, ms: 10, tail: '', ...facts };
  return { name: 'Bash', title: text, input: text, said: 'done', command, ...more };
}

/** A command that failed with `error`. */
export function failed(text: string, error = 'Error: boom', facts: Partial<CommandFacts> = {}): Call {
  return ran(text, { outcome: 'failed', said: error }, { exit: 1, tail: error, ...facts });
}

export function changed(path: string, change: FileChange['change'] = 'edited'): Call {
  const name = change === 'created' ? 'Write' : 'Edit';
  return { name, title: path, input: `${name} ${path}`, change: { path, change } };
}

export function swapped(path: string, before: string, after: string): Call {
  return { ...changed(path), input: `${path} ${before} ${after}`, reverse: `${path} ${after} ${before}` };
}

export function looked(name: string, title: string): Call {
  return { name, title, input: title, said: `of ${title}` };
}

/** Of the drafts entries: a second apart, with the ids `c1`, `c2`, … */
export function calls(drafts: readonly Draft[]): Entry[] {
  return drafts.map((draft, index) => {
    const t = (index + 1) * 1_000;
    if (draft.kind !== undefined) return { ...draft, t };
    const id = `c${index + 1}`;
    const rest = { name: 'Bash', agent: null, outcome: 'ok', title: '', said: 'done', input: id } as const;
    return { ...rest, ...draft, kind: 'tool', t, id };
  });
}

/** Changes of dead ends, one per line: the change, its entry (from 1) and the dead end. */
export function storyOf(drafts: readonly Draft[]): string[] {
  const deadEnds = createDeadEnds();
  return calls(drafts).flatMap((entry, index) => {
    return deadEnds.add(entry).map(({ what, deadEnd }) => `${index + 1} ${what}: ${deadEnd.cause}`);
  });
}

/** The dead ends that hold in the end. */
export function deadEndsOf(drafts: readonly Draft[]) {
  const deadEnds = createDeadEnds();
  for (const entry of calls(drafts)) deadEnds.add(entry);
  return deadEnds.current();
}
