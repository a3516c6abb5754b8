import type { ToolResult, ToolUse } from '../../protocol/block.ts';
import { resultsIn, usesIn } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, TaskEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import { putNewest } from '../../text/put-newest.ts';
import { type Calibration, estimateTokens, measureBlock } from '../gauge/estimator.ts';
import { type Contents, endTurn, mapContents, NO_CONTENTS, pathOf } from './content.ts';
import { contentsAfter, contentsAfterReport, type Report } from './track-contents.ts';

/** claude's tool calls, and their results in the context of the main thread. */
export type Tools = Readonly<typeof NO_TOOLS>;

export const NO_TOOLS = {
  /** Running tools, oldest first, including those of subagents if their calls are on the stream. */
  open: [] as readonly OpenTool[],
  /** Characters of the results since the last relief, by label; the last result is last. */
  results: new Map() as ReadonlyMap<string, number>,
  contents: NO_CONTENTS,
  /** Agents that the main thread has started, oldest first. */
  agents: [] as readonly StartedAgent[],
};

interface StartedAgent {
  readonly use: ToolUse;
  /** The report of an agent in the background, until the model gets it with other results or in a turn of its own. */
  readonly report?: Report;
}

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
  /** Tokens that ctxb cut from a result. */
  readonly cutOf: (result: ToolResult) => number;
  /** Cost of the agent that a tool call started, in micro-dollars. */
  readonly costOf: (toolUseId: string) => number | undefined;
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
  if (event.kind === 'init') return withReports(tools, at.calls);
  if (event.kind === 'task') return withTask(tools, event, at);
  return event.kind === 'result' ? withoutOpen({ ...tools, contents: endTurn(tools.contents) }, null) : tools;
}

function withoutOpen(tools: Tools, ended: string | null | undefined): Tools {
  return { ...tools, open: tools.open.filter(({ agent }) => agent !== ended) };
}

function withTask(tools: Tools, { change, type, toolUseId: id, report }: TaskEvent, at: ToolsAt): Tools {
  if (change === 'progress') return tools;
  if (change === 'started') {
    const started = tools.open.find(({ use, agent }) => use.id === id && agent === null && type === 'agent');
    return started === undefined ? tools : { ...tools, agents: [...tools.agents, { use: started.use }].slice(-LIMIT) };
  }
  const ended = withoutOpen(tools, id);
  if (report === undefined || id === undefined) return ended;
  const size = estimateTokens(measureBlock({ type: 'text', text: report }), at.calibration);
  const figures = { size, cost: at.costOf(id) ?? 0 };
  return { ...ended, agents: tools.agents.map((one) => (one.use.id === id ? { ...one, report: figures } : one)) };
}

/** Adds the reports that the model gets now. */
function withReports(tools: Tools, calls: number): Tools {
  const waiting = tools.agents.filter(({ report }) => report === undefined);
  if (waiting.length === tools.agents.length) return tools;
  const contents = tools.agents.reduce(
    (next, { use, report }) => (report === undefined ? next : contentsAfterReport(next, use, report, calls)),
    tools.contents,
  );
  return { ...tools, contents, agents: waiting };
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

function withResults(before: Tools, { blocks, subagent, toolReport }: UserEvent, at: ToolsAt): Tools {
  let tools = before;
  // An agent in the background answers later.
  const isLaunch = fieldsOf(toolReport).status === 'async_launched';
  for (const block of resultsIn(blocks)) {
    const tool = tools.open.find(({ use }) => use.id === block.toolUseId);
    if (tool === undefined) continue;
    tools = { ...tools, open: tools.open.filter((other) => other !== tool) };
    if (subagent === null && tool.agent === null) tools = addResult(tools, tool.use, block, at, isLaunch);
  }
  return subagent === null ? withReports(tools, at.calls) : tools;
}

function addResult(before: Tools, use: ToolUse, result: ToolResult, at: ToolsAt, isLaunch: boolean): Tools {
  const { tracksContents, calls, calibration, cutOf, costOf } = at;
  const label = labelOf(use);
  const results = new Map(before.results);
  putNewest(results, label, (results.get(label) ?? 0) + result.text.length, LIMIT);
  const tools = { ...before, results };
  if (!tracksContents) return tools;
  const hidden = { cut: cutOf(result), cost: isLaunch ? 0 : costOf(use.id) };
  return { ...tools, contents: contentsAfter(tools.contents, use, result, calls, calibration, hidden) };
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
