import { resultsIn, usesIn } from '../../protocol/blocks.ts';
import type { AssistantEvent, Event, ToolResult, ToolUse, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, stringOf, textOf } from '../../protocol/fields.ts';
import type { Calibration } from '../gauge/estimator.ts';
import { contentsAfter, contentsAfterRelief, NO_CONTENTS } from './contents.ts';

/** The tools that claude has called, and what they have brought into the main thread's context. */
export type Tools = Readonly<typeof NO_TOOLS>;

export const NO_TOOLS = {
  /** Under way, the oldest first, also those of subagents whose calls are on the stream. */
  open: [] as readonly OpenTool[],
  /** What has come in since the context was last relieved, each result by itself until there are many. */
  results: [] as readonly { readonly label: string; readonly chars: number }[],
  /** The same by names, for what is used again. */
  contents: NO_CONTENTS,
};

interface OpenTool {
  readonly use: ToolUse;
  readonly agent: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** The long run was reported. */
  readonly said: boolean;
}

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

/** Where and when an event finds the tools. */
interface ToolsAt {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Calls of the main thread that were measured. */
  readonly calls: number;
  /** Tool calls whose results stay whole, where the event tells of a relief. */
  readonly kept: readonly string[];
  readonly calibration: Calibration;
  /** Contents are followed. */
  readonly weighs: boolean;
}

export function toolsAfter(tools: Tools, event: Event, at: ToolsAt): Tools {
  if (event.kind === 'assistant') return withCalls(tools, event, at.now);
  if (event.kind === 'user' && event.role === 'tool-result') return withResults(tools, event, at);
  if (event.kind === 'boundary' || event.kind === 'reset') {
    const kept = event.kind === 'boundary' ? at.kept : [];
    return { ...(at.weighs ? toolsAfterRelief(tools, kept) : tools), results: [] };
  }
  const isEnd = event.kind === 'task' && event.change !== 'progress' && event.change !== 'started';
  if (tools.open.length === 0 || (!isEnd && event.kind !== 'result')) return tools;
  const ended = isEnd ? event.toolUseId : null;
  return { ...tools, open: tools.open.filter(({ agent }) => agent !== ended) };
}

function withCalls(tools: Tools, { blocks, subagent: agent }: AssistantEvent, since: number): Tools {
  const uses = usesIn(blocks);
  if (uses.length === 0) return tools;
  const others = tools.open.filter(({ use }) => !uses.some(({ id }) => id === use.id));
  return { ...tools, open: [...others, ...uses.map((use) => ({ use, agent, since, said: false }))].slice(-LIMIT) };
}

function withResults(before: Tools, { blocks, subagent }: UserEvent, at: ToolsAt): Tools {
  let tools = before;
  for (const block of resultsIn(blocks)) {
    const tool = tools.open.find(({ use }) => use.id === block.toolUseId);
    if (tool === undefined) continue;
    tools = { ...tools, open: tools.open.filter((other) => other !== tool) };
    if (subagent === null && tool.agent === null) tools = filled(tools, tool.use, block, at);
  }
  return tools;
}

function filled(before: Tools, use: ToolUse, result: ToolResult, { weighs, calls, calibration }: ToolsAt): Tools {
  const all = [...before.results, { label: labelOf(use), chars: result.text.length }];
  const tools = { ...before, results: all.length < 2 * LIMIT ? all : summed(all).slice(-LIMIT) };
  return weighs ? { ...tools, contents: contentsAfter(tools.contents, use, result, calls, calibration) } : tools;
}

/** UTF-16 units. */
const TITLE_LENGTH = 300;

function labelOf({ name, input }: ToolUse): string {
  const { file_path, path, notebook_path } = fieldsOf(input);
  const file = textOf(file_path) ?? textOf(path) ?? textOf(notebook_path);
  return file === undefined ? name : `${name} ${file}`;
}

/** A tool call in a few words: the tool, and the file or the command that it is about. */
export function titleOf(block: ToolUse): string {
  return `${labelOf(block)} ${stringOf(fieldsOf(block.input).command)}`.trim().slice(0, TITLE_LENGTH);
}

/** One share for each label, in the order they were last seen in. */
function summed(results: Tools['results']): Tools['results'] {
  const sums = new Map<string, number>();
  for (const { label, chars } of results) {
    const sum = (sums.get(label) ?? 0) + chars;
    sums.delete(label);
    sums.set(label, sum);
  }
  return [...sums].map(([label, chars]) => ({ label, chars }));
}

/** The main thread's tools under way, in a few words. */
export function openTools({ open }: Tools): string {
  return open.flatMap(({ use, agent }) => (agent === null ? [titleOf(use)] : [])).join('; ');
}

/** The three largest, with their sizes. */
export function refillText({ results }: Tools): string {
  const largest = summed(results)
    .toSorted((a, b) => b.chars - a.chars)
    .slice(0, 3);
  return largest.map(({ label, chars }) => `${label} (${chars} characters)`).join(', ');
}

export function toolsAfterRelief(tools: Tools, kept: readonly string[]): Tools {
  return { ...tools, contents: contentsAfterRelief(tools.contents, new Set(kept)) };
}
