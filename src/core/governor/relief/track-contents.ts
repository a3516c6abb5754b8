import type { ToolResult, ToolUse } from '../../protocol/block.ts';
import { isUnchangedRead } from '../../protocol/blocks.ts';
import { fieldsOf, jsonText, stringOf, textOf } from '../../protocol/fields.ts';
import { putNewest } from '../../text/put-newest.ts';
import { sumOf } from '../../text/sum-of.ts';
import { type Calibration, estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import {
  type Content,
  type ContentKind,
  type Contents,
  filesByLastUse,
  hasNewWork,
  isFileKind,
  isStale,
  mapContents,
  NEW_CONTENT,
  pathOf,
  pathTail,
} from './content.ts';
import { fetchesRest, withCut, withFetchedRest } from './cut-savings.ts';

/** Maximum number of contents that are kept. */
const MAX_CONTENTS = 500;

/** Maximum length of a name, in UTF-16 units. */
const NAME_LENGTH = 300;

/** Maximum number of failures that are kept. A model that forgets more does not repeat all of them. */
const MAX_FAILED = 5;

/** Tools that do not fetch content. */
const NON_FETCHING_TOOLS = /^(?:TodoWrite|Agent|Task|Skill|ToolSearch)/;
const EDIT_TOOLS = /^(?:Edit|MultiEdit|NotebookEdit)$/;

/**
 * Figures that a result does not contain: the tokens that ctxb cut from it, and the cost of its subagent in
 * micro-dollars.
 */
interface HiddenCost {
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
  { cut = 0, cost = 0 }: HiddenCost = {},
): Contents {
  const { name: tool, input } = use;
  const size = estimateTokens(measureBlock(tool === 'Write' ? use : result), calibration);
  const more = {
    ...countSize(contents, size, cut),
    failed: failedAfter(contents.failed, nameOf(jsonText(input)), result.isError),
    cut: cut > 0 ? withCut(contents.cut, use.id, cut) : contents.cut,
  };
  // Only an agent whose answer a relief removed has such a name. Its report comes later.
  if (NON_FETCHING_TOOLS.test(tool) && cost === 0)
    return isMissed(more, identifyContent(more, tool, input).name) ? countRefetch(more, size) : more;
  const isEdit = EDIT_TOOLS.test(tool);
  if (isEdit && result.isError) return afterFailedEdit(more, pathOf(input), result.text, size);
  if (fetchesRest(contents.cut, input)) return countRefetch({ ...more, cut: withFetchedRest(more.cut, size) }, size);
  if (tool === 'Write') return addWrittenFile(more, use, size, now);
  if (isEdit) return withChangedFile(more, pathOf(input), now);
  if (isUnchangedRead(result.text)) return withUses(more, ({ path }) => path === pathOf(input), now);
  const named = tool === 'Bash' ? withNamedFiles(more, stringOf(fieldsOf(input).command), now) : more;
  const length = cut > 0 || fieldsOf(input).limit !== undefined ? 0 : result.text.length;
  return addFetchedContent(named, use, size, now, { cost, hasPicture: result.images > 0, length });
}

/** Tokens of a report, and the cost of its agent in micro-dollars. */
export interface Report {
  readonly size: number;
  readonly cost: number;
}

/** The contents after the report of an agent in the background. */
export function contentsAfterReport(contents: Contents, use: ToolUse, { size, cost }: Report, now: number): Contents {
  // The id is that of the launch. A relief can keep results of tools, but not reports.
  const withoutId = { ...use, id: '' };
  return addFetchedContent(countSize(contents, size), withoutId, size, now, { cost, hasPicture: false, length: 0 });
}

function countSize(contents: Contents, size: number, cut = 0): Contents {
  const { step } = contents;
  return {
    ...contents,
    step: { ...step, results: step.results + 1, size: step.size + size, cut: step.cut + cut },
  };
}

/** Handles a failed edit. @param text claude's reason for the failure */
function afterFailedEdit(contents: Contents, path: string | undefined, text: string, size: number) {
  const hasPath = (one: Content) => one.path === path;
  // The file has changed since it was read, so the baseline must read it again too.
  if (text.includes('modified since'))
    return mapContents(contents, (one) => (hasPath(one) ? { ...one, tokens: 0, baselineTokens: 0 } : one));
  const known = [...contents.byName.values()].filter(hasPath);
  // claude refuses to change a file that a relief removed from the context. Edits that fail for other reasons fail with
  // claude alone too.
  const isUnread = text.includes('not been read');
  return isUnread && known.length > 0 && known.every(wasRemoved) ? countRefetch(contents, size) : contents;
}

/** Counts a result that the baseline's context still has. */
function countRefetch(contents: Contents, size: number, more = 0): Contents {
  const { step } = contents;
  const { refetched, refetchedTokens, refetchCost } = step;
  return {
    ...contents,
    step: {
      ...step,
      refetched: refetched + 1,
      refetchedTokens: refetchedTokens + size,
      refetchCost: refetchCost + more,
    },
  };
}

function failedAfter(failed: readonly string[], name: string, isError: boolean): readonly string[] {
  const others = failed.filter((other) => other !== name);
  return isError ? [...others, name].slice(-MAX_FAILED) : others;
}

function addFetchedContent(
  before: Contents,
  { id, name: tool, input }: ToolUse,
  size: number,
  now: number,
  more: Pick<Content, 'cost' | 'hasPicture' | 'length'>,
): Contents {
  const { path, lines, name, pages } = identifyContent(before, tool, input);
  const command = stringOf(fieldsOf(input).command);
  const isFile = path !== undefined || SHOW_COMMANDS.test(command);
  const known = before.byName.get(name);
  const readInRow = isFile ? [...new Set([...before.readInRow, name])] : [];
  const contents = pages.length > 0 || PAGE_COMMANDS.test(command) ? before : { ...before, readInRow };
  const kind: ContentKind = isFile ? 'unused' : more.cost > 0 ? 'answered' : 'printed';
  const isSame = known === undefined || !isChangedElsewhere(known, lines, more.length);
  const next = known === undefined ? { ...NEW_CONTENT, path, lines, kind } : refetchedContent(known, isSame);
  const gaps = known === undefined ? contents.gaps : withGap(contents.gaps, known.kind, now - known.usedAt);
  const content = {
    ...next,
    ...more,
    id,
    tokens: size,
    baselineTokens: Math.max(next.baselineTokens, size),
    usedAt: now,
  };
  const after = withContent({ ...contents, gaps }, name, content);
  const wasMissing = isMissed(contents, name) || isMissed(contents, path ?? '');
  return wasMissing && isSame ? countRefetch(after, size, more.cost) : after;
}

/** First and last line of the part that the call reads; undefined if it reads from the first line. */
function linesOf(input: unknown): Content['lines'] {
  const { offset, limit = PAGE_LINES } = fieldsOf(input);
  return offset === undefined ? undefined : [Number(offset), Number(offset) + Number(limit) - 1];
}

/** Number of lines that claude's Read returns if the call has no `limit`. */
const PAGE_LINES = 2_000;

/**
 * The name of an item of content. A part of a file that overlaps a known part gets the name of that part. `pages`: the known
 * parts of the file.
 */
function identifyContent({ byName }: Contents, tool: string, input: unknown) {
  const path = pathOf(input);
  const lines = linesOf(input);
  const whole = nameOf(path ?? `${tool} ${textOf(fieldsOf(input).command) ?? jsonText(input)}`);
  if (lines === undefined) return { path, lines, name: whole, pages: [] };
  const pages = [...byName].filter(([, one]) => one.path === path);
  return { path, lines, name: nameOfPage(pages, lines) ?? `${whole} ${lines[0]}`, pages };
}

/** The name of the last part that contains the middle of these lines. */
function nameOfPage(pages: readonly (readonly [string, Content])[], [first, last]: readonly [number, number]) {
  const middle = (first + last) / 2;
  return pages.findLast(([, { lines: [from, to] = [0, 0] }]) => from <= middle && middle <= to)?.[0];
}

/** Whether a relief removed content that the baseline's context still has. */
function isMissed(contents: Contents, name: string): boolean {
  const one = contents.byName.get(name);
  return one !== undefined && !one.isRefetchedAnyway && !isStale(one, name, contents) && wasRemoved(one);
}

function wasRemoved({ tokens, baselineTokens, isWithoutSurroundings }: Content): boolean {
  return (tokens === 0 || isWithoutSurroundings) && baselineTokens > 0;
}

/** Whether another program has changed a file since the model read it, as a task does that prints to a file. */
function isChangedElsewhere(known: Content, lines: Content['lines'], length: number): boolean {
  const isWhole = known.path !== undefined && (known.lines ?? lines) === undefined && known.length > 0 && length > 0;
  return isWhole && known.changedAt === 0 && known.length !== length;
}

function refetchedContent(known: Content, isSame: boolean): Content {
  const isRefetchedAnyway = known.isRefetchedAnyway || (isSame && known.tokens > 0 && !known.isWithoutSurroundings);
  return {
    ...known,
    kind: isFileKind(known.kind) ? 'used' : known.kind,
    isRefetchedAnyway,
    isWithoutSurroundings: false,
  };
}

/** Commands that print files. */
const SHOW_COMMANDS = /^(?:cat|nl|head|tail|bat|sed -n) /;

/** Commands that print a part of a file. */
const PAGE_COMMANDS = /^(?:head|tail|sed -n) /;

function nameOf(what: string): string {
  return what.slice(0, NAME_LENGTH);
}

/** Adds a file that the model wrote: the call contains its text. */
function addWrittenFile(contents: Contents, { id, input }: ToolUse, size: number, now: number): Contents {
  const path = pathOf(input);
  if (path === undefined) return contents;
  const kind = 'used';
  const written = {
    ...NEW_CONTENT,
    id,
    path,
    kind,
    tokens: size,
    baselineTokens: size,
    usedAt: now,
    changedAt: now,
  } as const;
  // The files that were read before are the sources of the new file. Later changes of the new file do not need them.
  return withContent({ ...withChangedFile(contents, path, now), filesPerChange: 1 }, nameOf(path), written);
}

function withContent(before: Contents, name: string, content: Content): Contents {
  const byName = new Map(before.byName);
  putNewest(byName, name, content, MAX_CONTENTS);
  return { ...before, byName, step: { ...before.step, names: [...before.step.names, name] } };
}

/**
 * Marks the changed file as used, and the files that the change needs: as many as were read in a row before a change.
 * If the context lacks some of them, changes need fewer files. If a change needs one file only, that file is often not
 * used again.
 */
function withChangedFile(contents: Contents, path: string | undefined, now: number): Contents {
  const belongsToNewWork = hasNewWork(contents) && contents.readInRow.includes(nameOf(path ?? ''));
  const maxUses = Math.max(1, contents.readInRow.length, belongsToNewWork ? 0 : contents.filesPerChange);
  const others = filesByLastUse(contents).filter(([, content]) => content.path !== path);
  const present = others.slice(0, maxUses - 1).filter(([, { tokens }]) => tokens > 0);
  const group = new Set(present.map(([, content]) => content));
  const filesPerChange = 1 + present.length;
  const used = withUses(contents, (content) => content.path === path || group.has(content), now);
  const kind = filesPerChange > 1 ? 'used' : 'changed';
  const after = mapContents(used, (content) =>
    content.path === path ? { ...content, kind, changedAt: now } : content,
  );
  return { ...after, changed: now, filesPerChange, readInRow: [] };
}

/** Marks the files whose last two path parts occur in a command. */
function withNamedFiles(contents: Contents, command: string, now: number): Contents {
  return withUses(contents, ({ path }) => path !== undefined && command.includes(pathTail(path)), now);
}

function withUses(contents: Contents, matches: (content: Content) => boolean, now: number): Contents {
  const matching = [...contents.byName.values()].filter(matches);
  if (matching.length === 0) return contents;
  const removedContents = matching.filter(({ baselineTokens, tokens }) => baselineTokens === 0 && tokens > 0);
  const { calls, tokens } = contents.step.baselineFetches;
  const baselineFetches = {
    calls: calls + removedContents.length,
    tokens: tokens + sumOf(removedContents, (one) => one.tokens),
  };
  const used = mapContents(contents, (one) =>
    matches(one)
      ? { ...one, baselineTokens: Math.max(one.baselineTokens, one.tokens), usedAt: now, kind: 'used' }
      : one,
  );
  return {
    ...used,
    gaps: matching.reduce((gaps, one) => withGap(gaps, one.kind, now - one.usedAt), contents.gaps),
    step: { ...contents.step, baselineFetches },
  };
}

function withGap(gaps: Contents['gaps'], kind: ContentKind, gap: number): Contents['gaps'] {
  const length = 2 ** Math.round(Math.log2(Math.max(1, gap)));
  return { ...gaps, [kind]: { ...gaps[kind], [length]: (gaps[kind][length] ?? 0) + 1 } };
}
