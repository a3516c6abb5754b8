import { isSeenBefore } from '../../protocol/blocks.ts';
import type { ToolResult, ToolUse } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import { type Calibration, estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';

/**
 * Each kind is used again in its own way: a file that was neither changed nor named since it was fetched, another file,
 * and what a command printed.
 */
export const KINDS = ['unused', 'used', 'printed'] as const;
export type Kind = (typeof KINDS)[number];

/** Numbers of gaps by their length in calls: a power of two, as only what is twice as long tells something. */
export type Gaps = Readonly<Record<number, number>>;

/** A file or what a command printed, as the main thread fetched it last. Times are counted in calls of the main thread. */
export interface Content {
  /** The tool call that fetched it last. */
  readonly id: string;
  /** The file as the tool was given it; undefined: it is no file. */
  readonly path: string | undefined;
  /** Its tokens in the context; 0: a compaction took it. */
  readonly tokens: number;
  /** Tokens that the context of claude alone would hold of it. */
  readonly had: number;
  /** When it was fetched, changed or named last. */
  readonly used: number;
  readonly kind: Kind;
  /** It was fetched again while the context held it, so the next time says nothing of a relief. */
  readonly isHabit: boolean;
  /** A relief left it whole, without what stood around it: who fetches it again lacks that. */
  readonly isLeft: boolean;
}

export type Contents = Readonly<typeof NO_CONTENTS>;

export const NO_CONTENTS = {
  byName: {} as Readonly<Record<string, Content>>,
  /** Counts of the gaps between two uses of a content, in calls, by its kind before the later use. */
  gaps: { unused: {}, used: {}, printed: {} } as Readonly<Record<Kind, Gaps>>,
  /** When a file was changed last. */
  changed: 0,
  /** What failed last. */
  failed: [] as readonly string[],
  /** Files that were read in a row, without another tool between, and the most of them before a change. */
  row: [] as readonly string[],
  together: 0,
  /**
   * Results since the last call and their estimated tokens, and what of them claude alone would still have had. `owed`:
   * what claude alone would have had to fetch for what was used. `names`: contents that were fetched or written.
   */
  step: {
    ...{ results: 0, size: 0, again: 0, tokens: 0, owed: { calls: 0, tokens: 0 } },
    names: [] as readonly string[],
  },
};

/** Names that are remembered, at most; the older half is forgotten at a time. */
const NAMES = 500;

/** UTF-16 units of a name. */
const NAME_LENGTH = 300;

/** A summary loses more failures, but only some are tried again before the next; near those of `npm run outcome`. */
const MOST_FAILED = 3;

/** These tools do work of their own. */
const NOT_FETCHING = /^(?:TodoWrite|Agent|Task|Skill|ToolSearch)/;
const CHANGING = /^(?:Edit|MultiEdit|NotebookEdit)$/;

/** A result of the main thread has come in. */
export function contentsAfter(
  contents: Contents,
  use: ToolUse,
  result: ToolResult,
  now: number,
  calibration: Calibration = UNCALIBRATED,
): Contents {
  const { name: tool, input } = use;
  const size = estimateTokens(measureBlock(tool === 'Write' ? use : result), calibration);
  const more = counted(contents, use, result, size);
  if (NOT_FETCHING.test(tool)) return more;
  if (tool === 'Write') return written(more, use, size, now);
  if (CHANGING.test(tool)) return changedFile(more, pathOf(input), now);
  if (isSeenBefore(result.text)) return usedFile(more, pathOf(input), now);
  const named = tool === 'Bash' ? withNamed(more, stringOf(fieldsOf(input).command), now) : more;
  return fetched(named, use, size, now);
}

function counted(contents: Contents, { input }: ToolUse, { isError }: ToolResult, size: number): Contents {
  const { step, failed } = contents;
  return {
    ...contents,
    failed: isError ? [...new Set([...failed, nameOf(JSON.stringify(input))])].slice(-MOST_FAILED) : failed,
    step: { ...step, results: step.results + 1, size: step.size + size },
  };
}

/** A call was measured: what was fetched before it is accounted for. */
export function endStep(contents: Contents): Contents {
  return contents.step.results === 0 ? contents : { ...contents, step: NO_CONTENTS.step };
}

/** @param kept ids of tool calls whose results stay whole */
export function contentsAfterRelief(contents: Contents, kept: ReadonlySet<string>): Contents {
  return mapped(contents, (content) =>
    kept.has(content.id) ? { ...content, isLeft: true } : { ...content, tokens: 0 },
  );
}

/** Claude alone would have had its context summed up. @param names what it would fetch again at once */
export function forgetHad(contents: Contents, names: readonly string[]): Contents {
  const stays = new Set([...contents.step.names, ...names]);
  return mapped(contents, (content, name) => (stays.has(name) ? content : { ...content, had: 0 }));
}

function mapped(contents: Contents, change: (content: Content, name: string) => Content): Contents {
  const entries = Object.entries(contents.byName).map(([name, content]) => [name, change(content, name)]);
  return { ...contents, byName: Object.fromEntries(entries) };
}

function pathOf(input: unknown): string | undefined {
  const { file_path, notebook_path } = fieldsOf(input);
  return textOf(file_path) ?? textOf(notebook_path);
}

function fetched(before: Contents, { id, name: tool, input }: ToolUse, size: number, now: number): Contents {
  const { command, offset } = fieldsOf(input);
  const path = pathOf(input);
  const isPage = offset !== undefined;
  const name = nameOf(path ?? `${tool} ${textOf(command) ?? JSON.stringify(input)}`);
  const isOfFile = isFile(tool, path, command);
  const contents = { ...before, row: isOfFile ? [...new Set([...before.row, name])] : [] };
  const known = contents.byName[name];
  if (known === undefined) {
    const kind = isOfFile ? 'unused' : 'printed';
    return withContent(contents, name, newContent(id, path, kind, size, now));
  }
  // What a command prints after a change is new.
  const isStale = path === undefined && known.used <= contents.changed;
  const isMissed = !known.isHabit && !isStale && isGone(known, isPage, size);
  const next = isPage ? withPage(known, size) : seenWhole(known, size);
  const content = { ...next, id, used: now };
  const gaps = withGap(contents.gaps, known.kind, now - known.used);
  const { step, ...after } = withContent({ ...contents, gaps }, name, content);
  return isMissed
    ? { ...after, step: { ...step, again: step.again + 1, tokens: step.tokens + size } }
    : { ...after, step };
}

/** The run lacks a content that claude alone would still have. */
function isGone({ tokens, had, isLeft }: Content, isPage: boolean, size: number): boolean {
  return isPage ? tokens + size <= had : (tokens === 0 || isLeft) && had > 0;
}

function seenWhole(known: Content, size: number): Content {
  const isHabit = known.isHabit || (known.tokens > 0 && !known.isLeft);
  const kind = known.kind === 'printed' ? 'printed' : 'used';
  return { ...known, tokens: size, had: Math.max(known.had, size), kind, isHabit, isLeft: false };
}

function withPage(known: Content, size: number): Content {
  const tokens = known.tokens + size;
  return { ...known, tokens, had: Math.max(known.had, tokens) };
}

function newContent(id: string, path: string | undefined, kind: Kind, tokens: number, now: number): Content {
  return { id, path, tokens, had: tokens, used: now, kind, isHabit: false, isLeft: false };
}

/** Commands that show files. */
const SHOWS = /^(?:cat|nl|head|tail|bat|sed -n) /;

function isFile(tool: string, path: string | undefined, command: unknown): boolean {
  return tool === 'Bash' ? SHOWS.test(stringOf(command)) : path !== undefined;
}

function nameOf(what: string): string {
  return what.slice(0, NAME_LENGTH);
}

/** What the model writes to a file stands in its call. */
function written(contents: Contents, use: ToolUse, size: number, now: number): Contents {
  const path = pathOf(use.input);
  if (path === undefined) return contents;
  return withContent(changedFile(contents, path, now), nameOf(path), newContent(use.id, path, 'used', size, now));
}

function withContent(before: Contents, name: string, content: Content): Contents {
  const contents = { ...before, step: { ...before.step, names: [...before.step.names, name] } };
  const { [name]: _, ...others } = contents.byName;
  const kept = Object.entries(others);
  const rest = kept.length < NAMES ? others : Object.fromEntries(kept.slice(-NAMES / 2));
  return { ...contents, byName: { ...rest, [name]: content } };
}

/** As many of the last files as a change has needed are used with it. */
function changedFile(contents: Contents, path: string | undefined, now: number): Contents {
  const together = Math.max(contents.together, contents.row.length);
  const others = lastFiles(contents).flatMap(([, content]) => (content.path === path ? [] : [content.id]));
  const group = new Set(others.slice(0, Math.max(0, together - 1)));
  const after = used(contents, (content) => content.path === path || group.has(content.id), now);
  return { ...after, changed: now, together, row: [] };
}

/** Several files that were not there before, read in a row, begin something new: the change before them was the last. */
export function hasMovedOn({ row, byName }: Contents): boolean {
  return row.filter((name) => byName[name]?.kind === 'unused').length > 1;
}

/** Files by their last use, the newest first; of those that were used together, the one that was fetched last. */
export function lastFiles({ byName }: Contents): (readonly [name: string, content: Content])[] {
  const files = Object.entries(byName).filter(([, { kind }]) => kind !== 'printed');
  return files.reverse().sort(([, one], [, other]) => other.used - one.used);
}

function usedFile(contents: Contents, path: string | undefined, now: number): Contents {
  return used(contents, (content) => content.path === path, now);
}

/** A command names a file by the end of its path. */
function withNamed(contents: Contents, command: string, now: number): Contents {
  return used(contents, ({ path }) => path !== undefined && command.includes(tailOf(path)), now);
}

/** The file and its folder. */
export function tailOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function used(contents: Contents, isMeant: (content: Content) => boolean, now: number): Contents {
  const meant = Object.entries(contents.byName).filter(([, content]) => isMeant(content));
  const lacking = meant.filter(([, { had, tokens }]) => had === 0 && tokens > 0);
  const { calls, tokens } = contents.step.owed;
  const owed = { calls: calls + lacking.length, tokens: lacking.reduce((sum, [, one]) => sum + one.tokens, tokens) };
  const next = meant.map(([name, one]): [string, Content] => {
    return [name, { ...one, had: Math.max(one.had, one.tokens), used: now, kind: 'used' }];
  });
  return {
    ...contents,
    gaps: meant.reduce((gaps, [, one]) => withGap(gaps, one.kind, now - one.used), contents.gaps),
    step: { ...contents.step, owed },
    byName: { ...contents.byName, ...Object.fromEntries(next) },
  };
}

function withGap(gaps: Contents['gaps'], kind: Kind, gap: number): Contents['gaps'] {
  const length = 2 ** Math.round(Math.log2(Math.max(1, gap)));
  return { ...gaps, [kind]: { ...gaps[kind], [length]: (gaps[kind][length] ?? 0) + 1 } };
}

/** Tokens that the context holds of all contents. */
export function heldTokens({ byName }: Contents): number {
  return Object.values(byName).reduce((sum, { tokens }) => sum + tokens, 0);
}
