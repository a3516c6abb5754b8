import type { ToolResult, ToolUse } from '../../protocol/block.ts';
import { resultsIn, usesIn } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import type { Calibration } from '../gauge/estimator.ts';
import { type Contents, endTurn, mapContents, NO_CONTENTS, pathOf } from './content.ts';
import { contentsAfter, type HiddenCost } from './track-contents.ts';

/** claude's tool calls, and their results in the context of the main thread. */
export type Tools = Readonly<typeof NO_TOOLS>;

export const NO_TOOLS = {
  /** Running tools, oldest first, including those of subagents if their calls are on the stream. */
  open: [] as readonly OpenTool[],
  /** Characters of the results since the last relief, by label; the last result is last. */
  results: new Map() as ReadonlyMap<string, number>,
  contents: NO_CONTENTS,
};

interface OpenTool {
  readonly use: ToolUse;
  readonly agent: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Whether its long duration was announced. */
  readonly isAnnounced: boolean;
}

/** Maximum number of tools and results that are tracked one by one. The oldest are dropped. */
const LIMIT = 100;

/** The circumstances of an event. */
interface ToolsAt {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Number of measured calls of the main thread. */
  readonly calls: number;
  /** Ids of the tool calls whose results a relief keeps whole. */
  readonly kept: readonly string[];
  readonly calibration: Calibration;
  /** Whether contents are tracked. */
  readonly tracksContents: boolean;
  readonly hiddenCostOf: (result: ToolResult) => HiddenCost;
}

export function toolsAfter(tools: Tools, event: Event, at: ToolsAt): Tools {
  if (event.kind === 'assistant') return withCalls(tools, event, at.now);
  if (event.kind === 'user' && event.role === 'tool-result') return withResults(tools, event, at);
  if (event.kind === 'boundary' || event.kind === 'reset') {
    const kept = new Set(event.kind === 'boundary' ? at.kept : []);
    return {
      ...tools,
      ...(at.tracksContents && { contents: contentsAfterRelief(tools.contents, kept) }),
      results: NO_TOOLS.results,
    };
  }
  const isEnd = event.kind === 'task' && event.change !== 'progress' && event.change !== 'started';
  if (!isEnd && event.kind !== 'result') return tools;
  const ended = isEnd ? event.toolUseId : null;
  const contents = isEnd ? tools.contents : endTurn(tools.contents);
  return { ...tools, open: tools.open.filter(({ agent }) => agent !== ended), contents };
}

function withCalls(tools: Tools, { blocks, subagent: agent }: AssistantEvent, since: number): Tools {
  const uses = usesIn(blocks);
  if (uses.length === 0) return tools;
  const others = tools.open.filter(({ use }) => !uses.some(({ id }) => id === use.id));
  return {
    ...tools,
    open: [...others, ...uses.map((use) => ({ use, agent, since, isAnnounced: false }))].slice(-LIMIT),
  };
}

function withResults(before: Tools, { blocks, subagent }: UserEvent, at: ToolsAt): Tools {
  let tools = before;
  for (const block of resultsIn(blocks)) {
    const tool = tools.open.find(({ use }) => use.id === block.toolUseId);
    if (tool === undefined) continue;
    tools = { ...tools, open: tools.open.filter((other) => other !== tool) };
    if (subagent === null && tool.agent === null) tools = addResult(tools, tool.use, block, at);
  }
  return tools;
}

function addResult(before: Tools, use: ToolUse, result: ToolResult, at: ToolsAt): Tools {
  const { tracksContents, calls, calibration, hiddenCostOf } = at;
  const label = labelOf(use);
  const all = new Map(before.results);
  all.delete(label);
  all.set(label, (before.results.get(label) ?? 0) + result.text.length);
  const tools = { ...before, results: new Map([...all].slice(-LIMIT)) };
  return tracksContents
    ? { ...tools, contents: contentsAfter(tools.contents, use, result, calls, calibration, hiddenCostOf(result)) }
    : tools;
}

/** Maximum length of a title, in UTF-16 units. */
const TITLE_LENGTH = 300;

function labelOf({ name, input }: ToolUse): string {
  const file = pathOf(input) ?? textOf(fieldsOf(input).path);
  return file === undefined ? name : `${name} ${file}`;
}

/** A short title of a tool call: the tool, and its file or command. */
export function titleOf(block: ToolUse): string {
  return `${labelOf(block)} ${stringOf(fieldsOf(block.input).command)}`.trim().slice(0, TITLE_LENGTH);
}

/** Titles of the main thread's running tools. */
export function runningToolTitles({ open }: Tools): string {
  return open.flatMap(({ use, agent }) => (agent === null ? [titleOf(use)] : [])).join('; ');
}

/** The three largest results, with their sizes. */
export function largestResultsText({ results }: Tools): string {
  const largest = [...results].sort(([, one], [, other]) => other - one).slice(0, 3);
  return largest.map(([label, chars]) => `${label} (${chars} characters)`).join(', ');
}

/**
 * Removes contents from the context after a relief.
 * @param keptIds ids of the tool calls whose results the relief keeps whole
 */
export function contentsAfterRelief(contents: Contents, keptIds = new Set<string>()): Contents {
  return mapContents(contents, (content) =>
    keptIds.has(content.id) ? { ...content, isWithoutSurroundings: true } : { ...content, tokens: 0 },
  );
}
