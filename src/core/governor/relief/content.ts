import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { NO_CUTS } from './cut-savings.ts';

/**
 * Kinds of contents. Their uses follow different patterns.
 * - `unused`: a file that was not changed or named since it was fetched.
 * - `used`: a file that was used.
 * - `changed`: a file whose last use is its own change.
 * - `printed`: the output of a command.
 * - `answered`: the answer of a subagent.
 */
export const KINDS = ['unused', 'used', 'changed', 'printed', 'answered'] as const;
export type ContentKind = (typeof KINDS)[number];

/** Number of gaps by their length in calls, rounded to a power of two. */
export type Gaps = Readonly<Record<number, number>>;

/**
 * One item of content: a file or the output of a command that the model has fetched. Times are numbers of calls of the main
 * thread.
 */
export type Content = Readonly<typeof NEW_CONTENT>;

export const NEW_CONTENT = {
  /** Id of the tool call that last fetched it; empty if claude showed it after a summary. */
  id: '',
  /** Path of the file, as the tool call has it; undefined for the output of a command. */
  path: undefined as string | undefined,
  /** First and last line if the model read a part of the file; undefined for a whole file. */
  lines: undefined as readonly [number, number] | undefined,
  /** Tokens in the context; 0 after a compaction removed it. */
  tokens: 0,
  /** Tokens in the baseline's context. */
  baselineTokens: 0,
  /** Length of a whole result in UTF-16 units, else 0. Another length shows that another program has changed the file. */
  length: 0,
  /** Cost of the subagent that answered, in micro-dollars. */
  cost: 0,
  /** Whether it has a picture, which no compaction can keep. */
  hasPicture: false,
  /** Call that last fetched, changed or named it. */
  usedAt: 0,
  /** Call that last changed or wrote it; 0: none. */
  changedAt: 0,
  kind: 'unused' as ContentKind,
  /**
   * Whether the model fetched it again although the context had it. The next fetch then does not count as a loss by a
   * relief.
   */
  isRefetchedAnyway: false,
  /**
   * Whether a relief kept only this content, without the messages around it. A further fetch then shows that those are
   * missing.
   */
  isWithoutSurroundings: false,
};

export type Contents = Readonly<typeof NO_CONTENTS>;

export const NO_CONTENTS = {
  byName: new Map() as ReadonlyMap<string, Content>,
  /** Gaps between two uses, by the kind that the content had before the second use. */
  gaps: { unused: {}, used: {}, changed: {}, printed: {}, answered: {} } as Readonly<Record<ContentKind, Gaps>>,
  /** Call that last changed a file. */
  changed: 0,
  cut: NO_CUTS,
  /** The last failed tool calls that have not succeeded since. */
  failed: [] as readonly string[],
  /**
   * `readInRow`: files that were read one after the other, with no other tool call between. Excludes parts of files: a
   * command that prints a part, or a further part of a known file.
   * `filesPerChange`: number of files that a change needs.
   */
  readInRow: [] as readonly string[],
  filesPerChange: 0,
  /**
   * Results since the last call.
   * - `size`: estimated tokens of all results; `cut`: tokens that ctxb cut from them.
   * - `refetched`, `refetchedTokens`: results that the baseline's context still has; `refetchCost`: micro-dollars of
   * their subagents.
   * - `baselineFetches`: used contents that only the baseline must fetch again.
   * - `names`: contents that were fetched or written.
   */
  step: {
    results: 0,
    size: 0,
    refetched: 0,
    refetchedTokens: 0,
    refetchCost: 0,
    cut: 0,
    baselineFetches: { calls: 0, tokens: 0 },
    names: [] as readonly string[],
  },
};

export function mapContents(contents: Contents, change: (content: Content, name: string) => Content): Contents {
  const byName = new Map<string, Content>();
  for (const [name, content] of contents.byName) byName.set(name, change(content, name));
  return { ...contents, byName };
}

/**
 * Files by their last use, newest first. A file that was only changed comes after others of the same call, because a
 * change often ends the use. Equal ones: the last fetched first.
 */
export function filesByLastUse({ byName }: Contents): (readonly [name: string, content: Content])[] {
  const files = [...byName].filter(([, { kind }]) => isFileKind(kind));
  const useOrder = ({ usedAt, changedAt }: Content) => usedAt - Number(usedAt === changedAt) / 2;
  return files.reverse().sort(([, one], [, other]) => useOrder(other) - useOrder(one));
}

export function isFileKind(kind: ContentKind): boolean {
  return kind !== 'printed' && kind !== 'answered';
}

/** Tools whose output does not depend on the project's files. */
const EXTERNAL_TOOLS = /^(?:Web|mcp__|Agent|Task)/;

/**
 * Whether content is the output of a command that ran before the last change. The same command may print something else
 * now.
 */
export function isStale({ path, usedAt }: Content, name: string, { changed }: Contents): boolean {
  return path === undefined && usedAt <= changed && !EXTERNAL_TOOLS.test(name);
}

export function pathOf(input: unknown): string | undefined {
  const { file_path, notebook_path } = fieldsOf(input);
  return textOf(file_path) ?? textOf(notebook_path);
}

/** The last two parts of a path: the folder and the file. */
export function pathTail(path: string): string {
  const last = path.lastIndexOf('/');
  return last > 0 ? path.slice(path.lastIndexOf('/', last - 1) + 1) : path;
}

/** Whether new work has begun: several new files were read one after the other since the last change. */
export function hasNewWork({ readInRow, byName }: Contents): boolean {
  return readInRow.filter((name) => byName.get(name)?.kind === 'unused').length > 1;
}

/**
 * Corrects the sizes of new contents after the next call.
 * @param factor real growth of the context divided by its estimate
 */
export function withMeasuredSizes(contents: Contents, factor: number): Contents {
  const { names } = contents.step;
  const isPlausible = factor < PLAUSIBLE_FACTOR && factor * PLAUSIBLE_FACTOR > 1;
  if (!isPlausible || names.length === 0) return contents;
  return mapContents(contents, (one, name) =>
    names.includes(name) ? { ...one, tokens: one.tokens * factor, baselineTokens: one.baselineTokens * factor } : one,
  );
}

/** A larger difference has another cause, such as a reminder that claude added. */
const PLAUSIBLE_FACTOR = 2;

/** Clears the step after a measured call. */
export function endStep(contents: Contents): Contents {
  return contents.step.results === 0 ? contents : { ...contents, step: NO_CONTENTS.step };
}

/**
 * Ends the row of files that were read (`readInRow`) at the end of a turn. New files stay in the row, because the next
 * turn may need them.
 */
export function endTurn(contents: Contents): Contents {
  return { ...contents, readInRow: contents.readInRow.filter((name) => contents.byName.get(name)?.kind === 'unused') };
}

/**
 * Removes contents from the baseline's context after a summary.
 *
 * @param names contents that claude shows again after the summary
 */
export function forgetContents(contents: Contents, names: readonly string[]): Contents {
  const stays = new Set([...contents.step.names, ...names]);
  return mapContents(contents, (content, name) => (stays.has(name) ? content : { ...content, baselineTokens: 0 }));
}
