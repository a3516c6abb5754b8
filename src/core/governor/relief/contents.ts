import { isSeenBefore } from '../../protocol/blocks.ts';
import type { ToolResult, ToolUse } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { type Calibration, estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';

/**
 * Each kind is used again in its own way: a file that was neither changed nor named since it was fetched, another file,
 * and what a command printed.
 */
export const KINDS = ['unused', 'used', 'printed'] as const;
export type Kind = (typeof KINDS)[number];

/** A file or what a command printed, as the main thread fetched it last. Times are counted in calls of the main thread. */
export interface Content {
  /** The tool call that fetched it last. */
  readonly id: string;
  /** The file as the tool was given it; undefined: it is no file. */
  readonly path: string | undefined;
  /** Tokens that the context holds of it; 0: a relief took it away. */
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
  /** Calls between two uses of a content, newest last, by its kind before the later use. */
  gaps: { unused: [], used: [], printed: [] } as Readonly<Record<Kind, readonly number[]>>,
  /** When a file was changed last. */
  changed: 0,
  /** Files that were read since then, and the most that were read before a change. */
  ahead: 0,
  together: 0,
  /**
   * Results since the last call, and what of them claude alone would still have had, in results and in tokens. `owed`:
   * what claude alone would have had to fetch for what was used. `names`: contents that were fetched or written.
   */
  step: { results: 0, again: 0, tokens: 0, owed: { calls: 0, tokens: 0 }, names: [] as readonly string[] },
};

/** Names that are remembered, at most; the older half is forgotten at a time. */
const NAMES = 500;

/** UTF-16 units of a name. */
const NAME_LENGTH = 300;

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
  if (NOT_FETCHING.test(tool)) return counted(contents, 0);
  if (tool === 'Write') return counted(written(contents, use, estimateTokens(measureBlock(use), calibration), now), 0);
  if (CHANGING.test(tool)) return counted(changedFile(contents, pathOf(input), now), 0);
  if (isSeenBefore(result.text)) return counted(usedFile(contents, pathOf(input), now), 0);
  const named = tool === 'Bash' ? withNamed(contents, textOf(fieldsOf(input).command) ?? '', now) : contents;
  return fetched(named, use, estimateTokens(measureBlock(result), calibration), now);
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

function counted(contents: Contents, again: number): Contents {
  const { step } = contents;
  const more = {
    ...step,
    results: step.results + 1,
    again: step.again + (again > 0 ? 1 : 0),
    tokens: step.tokens + again,
  };
  return { ...contents, step: more };
}

function fetched(before: Contents, { id, name: tool, input }: ToolUse, size: number, now: number): Contents {
  const { command, offset } = fieldsOf(input);
  const path = pathOf(input);
  const isPage = offset !== undefined;
  const contents = isFile(tool, path, command) && !isPage ? { ...before, ahead: before.ahead + 1 } : before;
  const name = nameOf(path ?? `${tool} ${textOf(command) ?? JSON.stringify(input)}`);
  const known = contents.byName[name];
  if (known === undefined) {
    const kind = isFile(tool, path, command) ? 'unused' : 'printed';
    return counted(withContent(contents, name, newContent(id, path, kind, size, now)), 0);
  }
  // What a command prints after a change is new.
  const isStale = path === undefined && known.used <= contents.changed;
  const isMissed = !known.isHabit && !isStale && isGone(known, isPage, size);
  const next = isPage ? withPage(known, size) : seenWhole(known, size);
  const content = { ...next, id, used: now };
  return counted(withContent(withGap(contents, known, now), name, content), isMissed ? size : 0);
}

/** The run lacks what claude alone would still have. */
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
  return tool === 'Bash' ? SHOWS.test(textOf(command) ?? '') : path !== undefined;
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

function changedFile(contents: Contents, path: string | undefined, now: number): Contents {
  const { ahead, together } = contents;
  return { ...usedFile(contents, path, now), changed: now, ahead: 0, together: Math.max(ahead, together) };
}

function usedFile(contents: Contents, path: string | undefined, now: number): Contents {
  return used(contents, (content) => content.path === path, now);
}

/** A command names a file by the end of its path. */
function withNamed(contents: Contents, command: string, now: number): Contents {
  return used(contents, ({ path }) => path !== undefined && command.includes(tailOf(path)), now);
}

/** The file and its folder. */
function tailOf(path: string): string {
  return path.split('/').slice(-2).join('/');
}

function used(contents: Contents, isMeant: (content: Content) => boolean, now: number): Contents {
  return Object.entries(contents.byName).reduce((so, [name, content]) => {
    if (!isMeant(content)) return so;
    const { calls, tokens } = so.step.owed;
    const isLacking = content.had === 0 && content.tokens > 0;
    const owed = isLacking ? { calls: calls + 1, tokens: tokens + content.tokens } : so.step.owed;
    const next = { ...content, had: Math.max(content.had, content.tokens), used: now, kind: 'used' } as const;
    const step = { ...so.step, owed };
    return { ...withGap(so, content, now), step, byName: { ...so.byName, [name]: next } };
  }, contents);
}

function withGap(contents: Contents, content: Content, now: number): Contents {
  const gaps = [...contents.gaps[content.kind], Math.max(0, now - content.used)].slice(-REMEMBERED_GAPS);
  return { ...contents, gaps: { ...contents.gaps, [content.kind]: gaps } };
}

const REMEMBERED_GAPS = 64;

/** Tokens that the context holds of all contents. */
export function heldTokens({ byName }: Contents): number {
  return Object.values(byName).reduce((sum, { tokens }) => sum + tokens, 0);
}
