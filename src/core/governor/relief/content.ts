import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { NO_CUTS } from './cut-results.ts';

/**
 * Kinds of contents, each with its own pattern of use: a file that was neither changed nor named since it was fetched, a
 * file that was used, one whose last use is its own change, the output of a command, and the answer of a subagent.
 */
export const KINDS = ['unused', 'used', 'changed', 'printed', 'answered'] as const;
export type Kind = (typeof KINDS)[number];

/** Counts of gaps by length in calls, rounded to a power of two, because smaller differences mean nothing. */
export type Gaps = Readonly<Record<number, number>>;

/**
 * A file or the output of a command, as the main thread last fetched it. Times are counted in calls of the main thread.
 */
export type Content = Readonly<typeof NEW_CONTENT>;

export const NEW_CONTENT = {
  /** Id of the tool call that last fetched it; empty if claude showed it after a summary. */
  id: '',
  /** Path of the file as given to the tool; undefined for the output of a command. */
  path: undefined as string | undefined,
  /** The first and the last line of a page that was read on its own; undefined for a whole file. */
  lines: undefined as readonly [number, number] | undefined,
  /** Its tokens in the context; 0 after a compaction removed it. */
  tokens: 0,
  /** Its tokens in the context of claude alone. */
  had: 0,
  /** Micro-dollars that the subagent has cost whose answer it is. */
  cost: 0,
  /** A compaction cannot keep a picture. */
  hasPicture: false,
  /** When it was last fetched, changed or named. */
  used: 0,
  /** When the model last changed or wrote it; 0: never. */
  changed: 0,
  kind: 'unused' as Kind,
  /** Whether it was fetched again while the context had it. A further fetch then does not show a loss by a relief. */
  isHabit: false,
  /** Whether a relief kept it whole without its surroundings: a further fetch then shows that those are missing. */
  isLeft: false,
};

export type Contents = Readonly<typeof NO_CONTENTS>;

export const NO_CONTENTS = {
  byName: new Map() as ReadonlyMap<string, Content>,
  /** Counts of the gaps between two uses of a content, in calls, by its kind before the later use. */
  gaps: { unused: {}, used: {}, changed: {}, printed: {}, answered: {} } as Readonly<Record<Kind, Gaps>>,
  /** When a file was last changed. */
  changed: 0,
  cut: NO_CUTS,
  /** The last tool calls that failed, and did not succeed since. */
  failed: [] as readonly string[],
  /**
   * `row`: files that were read in a row, without another tool between. A page that a command shows, or a further page of
   * a known file, does not count: it is read to look something up. `together`: files that a change needs.
   */
  row: [] as readonly string[],
  together: 0,
  /**
   * Results since the last call, with their estimated tokens, and the part that claude alone would still have (`again`,
   * `tokens`), and what its subagents have cost, in micro-dollars. `cut`: tokens that were cut from them. `owed`: used
   * contents that claude alone would have had to fetch. `names`: contents that were fetched or written.
   */
  step: {
    results: 0,
    size: 0,
    again: 0,
    tokens: 0,
    cost: 0,
    cut: 0,
    owed: { calls: 0, tokens: 0 },
    names: [] as readonly string[],
  },
};

export function mapContents(contents: Contents, change: (content: Content, name: string) => Content): Contents {
  const byName = new Map<string, Content>();
  for (const [name, content] of contents.byName) byName.set(name, change(content, name));
  return { ...contents, byName };
}

/**
 * Files by their last use, newest first. Among equal ones, the one that was changed comes last, because a change often
 * ends the use of its file; then the last fetched come first.
 */
export function lastFiles({ byName }: Contents): (readonly [name: string, content: Content])[] {
  const files = [...byName].filter(([, { kind }]) => isFileKind(kind));
  const afterUse = ({ used, changed }: Content) => used - Number(used === changed) / 2;
  return files.reverse().sort(([, one], [, other]) => afterUse(other) - afterUse(one));
}

export function isFileKind(kind: Kind): boolean {
  return kind !== 'printed' && kind !== 'answered';
}

/** Tools whose output a change of a file does not change. */
const EXTERNAL_TOOLS = /^(?:Web|mcp__|Agent|Task)/;

/** Whether a content is the output of a command from before the last change: the same command then prints new content. */
export function isStale({ byName, changed }: Contents, name: string): boolean {
  const { path, used = 0 } = byName.get(name) ?? {};
  return path === undefined && used <= changed && !EXTERNAL_TOOLS.test(name);
}

export function pathOf(input: unknown): string | undefined {
  const { file_path, notebook_path } = fieldsOf(input);
  return textOf(file_path) ?? textOf(notebook_path);
}

/** The last two parts of a path: the folder and the file. */
export function tailOf(path: string): string {
  const last = path.lastIndexOf('/');
  return last > 0 ? path.slice(path.lastIndexOf('/', last - 1) + 1) : path;
}

/**
 * Whether new work has begun: several new files were read in a row. The last change then belongs to the work before.
 */
export function hasNewWork({ row, byName }: Contents): boolean {
  return row.filter((name) => byName.get(name)?.kind === 'unused').length > 1;
}
