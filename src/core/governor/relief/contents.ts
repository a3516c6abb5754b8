import { isSeenBefore } from '../../protocol/blocks.ts';
import type { ToolResult, ToolUse } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { type Calibration, estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import { fetchesRest, NO_CUTS, withCut, withRest } from './cut-results.ts';

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
  /** Id of the tool call that last fetched it. */
  id: '',
  /** Path of the file as given to the tool; undefined for the output of a command. */
  path: undefined as string | undefined,
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
  byName: {} as Readonly<Record<string, Content>>,
  /** Counts of the gaps between two uses of a content, in calls, by its kind before the later use. */
  gaps: { unused: {}, used: {}, changed: {}, printed: {}, answered: {} } as Readonly<Record<Kind, Gaps>>,
  /** When a file was last changed. */
  changed: 0,
  cut: NO_CUTS,
  /** The last tool calls that failed, and did not succeed since. */
  failed: [] as readonly string[],
  /**
   * `row`: files that were read in a row, without another tool between. A further page of a known file does not count: it
   * is read to look something up. `together`: most files in a row before a change.
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

/** Most names that are remembered. */
const NAMES = 500;

/** Longest name, in UTF-16 units. */
const NAME_LENGTH = 300;

/** Most failures that are remembered: a model that forgot more would not try all of them again. */
const MAX_FAILED = 5;

/** Tools that work instead of fetching content. */
const NOT_FETCHING = /^(?:TodoWrite|Agent|Task|Skill|ToolSearch)/;
const EDIT_TOOLS = /^(?:Edit|MultiEdit|NotebookEdit)$/;

/** What a result does not show: the tokens that were cut from it, and the micro-dollars that its subagent has cost. */
export interface Weight {
  readonly cut?: number;
  readonly cost?: number | undefined;
}

/** The contents after a result in the main thread. */
export function contentsAfter(
  contents: Contents,
  use: ToolUse,
  result: ToolResult,
  now: number,
  calibration: Calibration = UNCALIBRATED,
  { cut = 0, cost = 0 }: Weight = {},
): Contents {
  const { name: tool, input } = use;
  const size = estimateTokens(measureBlock(tool === 'Write' ? use : result), calibration);
  const more = countResult(contents, use, result, size, cut);
  if (NOT_FETCHING.test(tool) && cost === 0) return more;
  if (isRefused(contents, use, result)) return countAgain(more, size);
  if (fetchesRest(contents.cut, input)) return countAgain({ ...more, cut: withRest(more.cut, size) }, size);
  if (tool === 'Write') return addWritten(more, use, size, now);
  if (EDIT_TOOLS.test(tool)) return changedFile(more, pathOf(input), now);
  if (isSeenBefore(result.text)) return useContents(more, ({ path }) => path === pathOf(input), now);
  const named = tool === 'Bash' ? withNamed(more, stringOf(fieldsOf(input).command), now) : more;
  return addFetched(named, use, size, now, { cost, hasPicture: result.images > 0 });
}

function countResult(
  contents: Contents,
  { id, input }: ToolUse,
  result: ToolResult,
  size: number,
  cut: number,
): Contents {
  const { step, failed } = contents;
  return {
    ...contents,
    failed: failedAfter(failed, nameOf(JSON.stringify(input)), result.isError),
    cut: cut > 0 ? withCut(contents.cut, id, cut) : contents.cut,
    step: { ...step, results: step.results + 1, size: step.size + size, cut: step.cut + cut },
  };
}

/** Whether claude refused to change a file because a relief removed its contents. */
function isRefused({ byName }: Contents, { name: tool, input }: ToolUse, { isError }: ToolResult): boolean {
  const known = isError && EDIT_TOOLS.test(tool) ? byName[nameOf(pathOf(input) ?? '')] : undefined;
  return known !== undefined && isGone(known, false, 0);
}

/** Counts a result that claude alone would still have. */
function countAgain(contents: Contents, size: number, more = 0): Contents {
  const { step } = contents;
  const { again, tokens, cost } = step;
  return { ...contents, step: { ...step, again: again + 1, tokens: tokens + size, cost: cost + more } };
}

function failedAfter(failed: readonly string[], name: string, isError: boolean): readonly string[] {
  const others = failed.filter((other) => other !== name);
  return isError ? [...others, name].slice(-MAX_FAILED) : others;
}

/** Clears the step after a measured call has accounted for it. */
export function endStep(contents: Contents): Contents {
  return contents.step.results === 0 ? contents : { ...contents, step: NO_CONTENTS.step };
}

/**
 * Removes contents from the context of claude alone after a summary.
 *
 * @param names contents that claude would fetch again at once
 */
export function forgetContents(contents: Contents, names: readonly string[]): Contents {
  const stays = new Set([...contents.step.names, ...names]);
  return mapContents(contents, (content, name) => (stays.has(name) ? content : { ...content, had: 0 }));
}

export function mapContents(contents: Contents, change: (content: Content, name: string) => Content): Contents {
  const entries = Object.entries(contents.byName).map(([name, content]) => [name, change(content, name)]);
  return { ...contents, byName: Object.fromEntries(entries) };
}

export function pathOf(input: unknown): string | undefined {
  const { file_path, notebook_path } = fieldsOf(input);
  return textOf(file_path) ?? textOf(notebook_path);
}

function addFetched(
  before: Contents,
  { id, name: tool, input }: ToolUse,
  size: number,
  now: number,
  more: Pick<Content, 'cost' | 'hasPicture'>,
): Contents {
  const { command, offset } = fieldsOf(input);
  const path = pathOf(input);
  const isPage = offset !== undefined;
  const name = nameOf(path ?? `${tool} ${textOf(command) ?? JSON.stringify(input)}`);
  const isOfFile = isFile(tool, path, command);
  const known = before.byName[name];
  const row = isOfFile ? [...new Set([...before.row, name])] : [];
  const contents = isPage && known !== undefined ? before : { ...before, row };
  if (known === undefined) {
    const kind = isOfFile ? 'unused' : more.cost > 0 ? 'answered' : 'printed';
    return withContent(contents, name, { ...NEW_CONTENT, ...more, id, path, kind, tokens: size, had: size, used: now });
  }
  const isMissed = !known.isHabit && !isStale(contents, name) && isGone(known, isPage, size);
  const next = isPage ? withPage(known, size) : seenWhole(known, size);
  const content = { ...next, ...more, id, used: now };
  const gaps = withGap(contents.gaps, known.kind, now - known.used);
  const after = withContent({ ...contents, gaps }, name, content);
  return isMissed ? countAgain(after, size, more.cost) : after;
}

/** Tools whose output a change of a file does not change. */
const EXTERNAL_TOOLS = /^(?:Web|mcp__|Agent|Task)/;

/** Whether a content is the output of a command from before the last change: the same command then prints new content. */
export function isStale({ byName, changed }: Contents, name: string): boolean {
  const { path, used = 0 } = byName[name] ?? {};
  return path === undefined && used <= changed && !EXTERNAL_TOOLS.test(name);
}

/** Whether the run lacks a content that claude alone would still have. */
function isGone({ tokens, had, isLeft }: Content, isPage: boolean, size: number): boolean {
  return isPage ? tokens + size <= had : (tokens === 0 || isLeft) && had > 0;
}

function seenWhole(known: Content, size: number): Content {
  const isHabit = known.isHabit || (known.tokens > 0 && !known.isLeft);
  const kind = isFileKind(known.kind) ? 'used' : known.kind;
  return { ...known, tokens: size, had: Math.max(known.had, size), kind, isHabit, isLeft: false };
}

function withPage(known: Content, size: number): Content {
  const tokens = known.tokens + size;
  return { ...known, tokens, had: Math.max(known.had, tokens) };
}

function isFileKind(kind: Kind): boolean {
  return kind !== 'printed' && kind !== 'answered';
}

/** Commands that show files. */
const SHOW_COMMANDS = /^(?:cat|nl|head|tail|bat|sed -n) /;

function isFile(tool: string, path: string | undefined, command: unknown): boolean {
  return tool === 'Bash' ? SHOW_COMMANDS.test(stringOf(command)) : path !== undefined;
}

function nameOf(what: string): string {
  return what.slice(0, NAME_LENGTH);
}

/** Adds a file that the model wrote: its text is in the call. */
function addWritten(contents: Contents, { id, input }: ToolUse, size: number, now: number): Contents {
  const path = pathOf(input);
  if (path === undefined) return contents;
  const kind = 'used';
  const written = { ...NEW_CONTENT, id, path, kind, tokens: size, had: size, used: now, changed: now } as const;
  return withContent(changedFile(contents, path, now), nameOf(path), written);
}

function withContent(before: Contents, name: string, content: Content): Contents {
  const contents = { ...before, step: { ...before.step, names: [...before.step.names, name] } };
  const { [name]: _, ...others } = contents.byName;
  return { ...contents, byName: Object.fromEntries([...Object.entries(others).slice(1 - NAMES), [name, content]]) };
}

/**
 * Marks the last files as used with a change: as many as were ever read in a row before a change. Where a change needs
 * one file, it often ends the use of that file.
 */
function changedFile(contents: Contents, path: string | undefined, now: number): Contents {
  const together = Math.max(contents.together, contents.row.length);
  const others = lastFiles(contents).filter(([, content]) => content.path !== path);
  const group = new Set(others.slice(0, Math.max(0, together - 1)).map(([, { id }]) => id));
  const used = useContents(contents, (content) => content.path === path || group.has(content.id), now);
  const kind = together > 1 ? 'used' : 'changed';
  const after = mapContents(used, (content) => (content.path === path ? { ...content, kind, changed: now } : content));
  return { ...after, changed: now, together, row: [] };
}

/** Files by their last use, newest first; among equal ones, the last fetched first. */
export function lastFiles({ byName }: Contents): (readonly [name: string, content: Content])[] {
  const files = Object.entries(byName).filter(([, { kind }]) => isFileKind(kind));
  return files.reverse().sort(([, one], [, other]) => other.used - one.used);
}

/** Marks files as used if a command contains the end of their path. */
function withNamed(contents: Contents, command: string, now: number): Contents {
  return useContents(contents, ({ path }) => path !== undefined && command.includes(tailOf(path)), now);
}

/** The last two parts of a path: the folder and the file. */
export function tailOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function useContents(contents: Contents, isMeant: (content: Content) => boolean, now: number): Contents {
  const matching = Object.values(contents.byName).filter(isMeant);
  const removedContents = matching.filter(({ had, tokens }) => had === 0 && tokens > 0);
  const { calls, tokens } = contents.step.owed;
  const owed = {
    calls: calls + removedContents.length,
    tokens: tokens + sumOf(removedContents, (one) => one.tokens),
  };
  const used = mapContents(contents, (one) =>
    isMeant(one) ? { ...one, had: Math.max(one.had, one.tokens), used: now, kind: 'used' } : one,
  );
  return {
    ...used,
    gaps: matching.reduce((gaps, one) => withGap(gaps, one.kind, now - one.used), contents.gaps),
    step: { ...contents.step, owed },
  };
}

function withGap(gaps: Contents['gaps'], kind: Kind, gap: number): Contents['gaps'] {
  const length = 2 ** Math.round(Math.log2(Math.max(1, gap)));
  return { ...gaps, [kind]: { ...gaps[kind], [length]: (gaps[kind][length] ?? 0) + 1 } };
}
