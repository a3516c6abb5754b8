import { isSeenBefore } from '../../protocol/blocks.ts';
import type { ToolResult, ToolUse } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import { sumOf } from '../../text/sum-of.ts';
import { type Calibration, estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import {
  type Content,
  type Contents,
  hasNewWork,
  isFileKind,
  isStale,
  type Kind,
  lastFiles,
  mapContents,
  NEW_CONTENT,
  NO_CONTENTS,
  pathOf,
  tailOf,
} from './content.ts';
import { fetchesRest, withCut, withRest } from './cut-results.ts';

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
  const isEdit = EDIT_TOOLS.test(tool);
  if (isEdit && result.isError) return afterFailedEdit(more, pathOf(input), result.text, size);
  if (fetchesRest(contents.cut, input)) return countAgain({ ...more, cut: withRest(more.cut, size) }, size);
  if (tool === 'Write') return addWritten(more, use, size, now);
  if (isEdit) return changedFile(more, pathOf(input), now);
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

/** @param text claude's reason */
function afterFailedEdit(contents: Contents, path: string | undefined, text: string, size: number) {
  const isOfFile = (one: Content) => one.path === path;
  // The file has changed since it was read, so claude alone has to read it again too.
  if (text.includes('modified since'))
    return mapContents(contents, (one) => (isOfFile(one) ? { ...one, tokens: 0, had: 0 } : one));
  const known = [...contents.byName.values()].filter(isOfFile);
  // claude refuses to change a file whose contents a relief removed.
  return known.length > 0 && known.every(isGone) ? countAgain(contents, size) : contents;
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

/** Sizes of new contents after the next call has shown how much the context grew. @param factor growth by its estimate */
export function measuredContents(contents: Contents, factor: number): Contents {
  const { names } = contents.step;
  const isPlausible = factor < PLAUSIBLE_FACTOR && factor * PLAUSIBLE_FACTOR > 1;
  if (!isPlausible || names.length === 0) return contents;
  return mapContents(contents, (one, name) =>
    names.includes(name) ? { ...one, tokens: one.tokens * factor, had: one.had * factor } : one,
  );
}

/** A larger difference has another cause, such as a reminder. */
const PLAUSIBLE_FACTOR = 2;

/** Clears the step after a measured call has accounted for it. */
export function endStep(contents: Contents): Contents {
  return contents.step.results === 0 ? contents : { ...contents, step: NO_CONTENTS.step };
}

/** Ends a row at the end of a turn, except for new files, which the next turn may need. */
export function endTurn(contents: Contents): Contents {
  return { ...contents, row: contents.row.filter((name) => contents.byName.get(name)?.kind === 'unused') };
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

function addFetched(
  before: Contents,
  { id, name: tool, input }: ToolUse,
  size: number,
  now: number,
  more: Pick<Content, 'cost' | 'hasPicture'>,
): Contents {
  const { path, lines, name, pages } = identify(before, tool, input);
  const command = stringOf(fieldsOf(input).command);
  const isOfFile = path !== undefined || SHOW_COMMANDS.test(command);
  const known = before.byName.get(name);
  const row = isOfFile ? [...new Set([...before.row, name])] : [];
  const contents = pages.length > 0 || PAGE_COMMANDS.test(command) ? before : { ...before, row };
  const kind: Kind = isOfFile ? 'unused' : more.cost > 0 ? 'answered' : 'printed';
  const next = known === undefined ? { ...NEW_CONTENT, path, lines, kind } : fetchedAgain(known);
  const gaps = known === undefined ? contents.gaps : withGap(contents.gaps, known.kind, now - known.used);
  const content = { ...next, ...more, id, tokens: size, had: Math.max(next.had, size), used: now };
  const after = withContent({ ...contents, gaps }, name, content);
  const isMissed = isMissing(contents, name) || isMissing(contents, path ?? '');
  return isMissed ? countAgain(after, size, more.cost) : after;
}

/** The lines of a page; undefined: a file from its first line on. */
function linesOf(input: unknown): Content['lines'] {
  const { offset, limit = PAGE_LINES } = fieldsOf(input);
  return offset === undefined ? undefined : [Number(offset), Number(offset) + Number(limit) - 1];
}

/** Lines that claude's Read returns if the call has no `limit`. */
const PAGE_LINES = 2_000;

/** The name of a content. `pages`: the known contents of the file whose page it is; a page has the name of one of them. */
function identify({ byName }: Contents, tool: string, input: unknown) {
  const path = pathOf(input);
  const lines = linesOf(input);
  const whole = nameOf(path ?? `${tool} ${textOf(fieldsOf(input).command) ?? JSON.stringify(input)}`);
  if (lines === undefined) return { path, lines, name: whole, pages: [] };
  const pages = [...byName].filter(([, one]) => one.path === path);
  return { path, lines, name: nameOfPage(pages, lines) ?? `${whole} ${lines[0]}`, pages };
}

/** The name of the last page that overlaps another one by half. */
function nameOfPage(pages: readonly (readonly [string, Content])[], [first, last]: readonly [number, number]) {
  const middle = (first + last) / 2;
  return pages.findLast(([, { lines: [from, to] = [0, 0] }]) => from <= middle && middle <= to)?.[0];
}

/** Whether a relief removed a content that claude alone would still have. */
function isMissing(contents: Contents, name: string): boolean {
  const one = contents.byName.get(name);
  return one !== undefined && !one.isHabit && !isStale(contents, name) && isGone(one);
}

function isGone({ tokens, had, isLeft }: Content): boolean {
  return (tokens === 0 || isLeft) && had > 0;
}

function fetchedAgain(known: Content): Content {
  const isHabit = known.isHabit || (known.tokens > 0 && !known.isLeft);
  return { ...known, kind: isFileKind(known.kind) ? 'used' : known.kind, isHabit, isLeft: false };
}

/** Commands that show files. */
const SHOW_COMMANDS = /^(?:cat|nl|head|tail|bat|sed -n) /;

/** Of these, those that show a part, to look something up. */
const PAGE_COMMANDS = /^(?:head|tail|sed -n) /;

function nameOf(what: string): string {
  return what.slice(0, NAME_LENGTH);
}

/** Adds a file that the model wrote: its text is in the call. */
function addWritten(contents: Contents, { id, input }: ToolUse, size: number, now: number): Contents {
  const path = pathOf(input);
  if (path === undefined) return contents;
  const kind = 'used';
  const written = { ...NEW_CONTENT, id, path, kind, tokens: size, had: size, used: now, changed: now } as const;
  // The files read before a new file was written were its sources; its later changes do not need them.
  return withContent({ ...changedFile(contents, path, now), together: 1 }, nameOf(path), written);
}

function withContent(before: Contents, name: string, content: Content): Contents {
  const byName = new Map(before.byName);
  byName.delete(name);
  const [oldest] = byName.keys();
  if (oldest !== undefined && byName.size >= NAMES) byName.delete(oldest);
  byName.set(name, content);
  return { ...before, byName, step: { ...before.step, names: [...before.step.names, name] } };
}

/**
 * Marks the last files as used with a change: as many as were read in a row before a change. A file that the context
 * lacks shows that changes need fewer files, and so does a change to a new file of new work. If a change needs a single
 * file, that file is often not used again.
 */
function changedFile(contents: Contents, path: string | undefined, now: number): Contents {
  const isOfNewWork = hasNewWork(contents) && contents.row.includes(nameOf(path ?? ''));
  const maxUses = Math.max(1, contents.row.length, isOfNewWork ? 0 : contents.together);
  const others = lastFiles(contents).filter(([, content]) => content.path !== path);
  const present = others.slice(0, maxUses - 1).filter(([, { tokens }]) => tokens > 0);
  const group = new Set(present.map(([, content]) => content));
  const together = 1 + present.length;
  const used = useContents(contents, (content) => content.path === path || group.has(content), now);
  const kind = together > 1 ? 'used' : 'changed';
  const after = mapContents(used, (content) => (content.path === path ? { ...content, kind, changed: now } : content));
  return { ...after, changed: now, together, row: [] };
}

/** Marks files as used if a command contains the end of their path. */
function withNamed(contents: Contents, command: string, now: number): Contents {
  return useContents(contents, ({ path }) => path !== undefined && command.includes(tailOf(path)), now);
}

function useContents(contents: Contents, isMeant: (content: Content) => boolean, now: number): Contents {
  const matching = [...contents.byName.values()].filter(isMeant);
  if (matching.length === 0) return contents;
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
