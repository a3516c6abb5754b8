import type { AssistantEvent, Block, Event, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import type { Missed } from './economic-moment.ts';

type ToolUse = Extract<Block, { readonly type: 'tool_use' }>;
type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

const NOTHING: Missed = { calls: 0, tokens: 0 };

/** The tools that claude has called, and what they have brought into the main thread's context. */
export type Tools = Readonly<typeof NO_TOOLS>;

export const NO_TOOLS = {
  /** Under way, the oldest first, also those of subagents whose calls are on the stream. */
  open: [] as readonly OpenTool[],
  /** What has come in since the context was last relieved, each result by itself until there are many. */
  results: [] as readonly { readonly label: string; readonly chars: number }[],
  /**
   * What was fetched. Files and commands go by the names of their calls.
   * - `sight`: its result is in the context.
   * - `gone`: the last relief took it away. What earlier ones took would be missed without the last one too.
   * - `habit`: it was fetched again while it was in the context, so no relief is the cause.
   */
  known: {} as Readonly<Record<string, 'sight' | 'gone' | 'habit'>>,
  /**
   * What had to be fetched again after each of the last reliefs, newest last; the first is what came before any. What is
   * fetched again although it is in sight counts against it: as much would have been fetched again in any case.
   */
  missed: [NOTHING] as readonly Missed[],
};

interface OpenTool {
  readonly use: ToolUse;
  readonly agent: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** It was told that it has run for long. */
  readonly said: boolean;
}

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

/** @param weighs what is fetched again counts too */
export function toolsAfter(tools: Tools, event: Event, now: number, weighs: boolean): Tools {
  if (event.kind === 'assistant') return withCalls(tools, event, now);
  if (event.kind === 'user' && event.role === 'tool-result') return withResults(tools, event, weighs);
  if (event.kind === 'boundary') return { ...(weighs ? toolsAfterRelief(tools) : tools), results: [] };
  if (event.kind === 'reset') return { ...(weighs ? NO_TOOLS : tools), open: tools.open, results: [] };
  const isEnd = event.kind === 'task' && event.change !== 'progress' && event.change !== 'started';
  if (tools.open.length === 0 || (!isEnd && event.kind !== 'result')) return tools;
  const ended = isEnd ? event.toolUseId : null;
  return { ...tools, open: tools.open.filter(({ agent }) => agent !== ended) };
}

function withCalls(tools: Tools, { blocks, subagent: agent }: AssistantEvent, since: number): Tools {
  const uses = blocks.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) return tools;
  const others = tools.open.filter(({ use }) => !uses.some(({ id }) => id === use.id));
  return { ...tools, open: [...others, ...uses.map((use) => ({ use, agent, since, said: false }))].slice(-LIMIT) };
}

function withResults(before: Tools, { blocks, subagent }: UserEvent, weighs: boolean): Tools {
  let tools = before;
  for (const block of blocks) {
    if (block.type !== 'tool_result') continue;
    const tool = tools.open.find(({ use }) => use.id === block.toolUseId);
    if (tool === undefined) continue;
    tools = { ...tools, open: tools.open.filter((other) => other !== tool) };
    if (subagent === null && tool.agent === null) tools = filled(tools, tool.use, block, weighs);
  }
  return tools;
}

function filled(before: Tools, use: ToolUse, result: ToolResult, weighs: boolean): Tools {
  const all = [...before.results, { label: labelOf(use), chars: result.text.length }];
  const tools = { ...before, results: all.length < 2 * LIMIT ? all : summed(all).slice(-LIMIT) };
  return weighs ? fetched(tools, use, result) : tools;
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
  return `${labelOf(block)} ${textOf(fieldsOf(block.input).command) ?? ''}`.trim().slice(0, TITLE_LENGTH);
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

const REMEMBERED_RELIEFS = 8;

/**
 * Names that are remembered, at most: they are copied with each result whose name is new, which takes 0.1 ms for as many
 * and 1.6 ms for twice as many. The older half of them is forgotten at a time.
 */
const NAMES = 500;

/** UTF-16 units of a name. */
const NAME_LENGTH = 300;

/** These tools change something, or do work of their own. */
const NOT_FETCHING = /^(?:Edit|Write|MultiEdit|NotebookEdit|TodoWrite|Agent|Task|Skill)/;

/** An assumption until reliefs were seen; near what follows exact compactions in `npm run outcome`. */
export const USUALLY_MISSED: Missed = { calls: 1, tokens: 2_000 };

/** What is to be expected after the next relief; what is usual counts as one that was seen. */
export function missedAfterRelief({ missed }: Tools): Missed {
  const seen = [USUALLY_MISSED, ...missed.slice(1)];
  const mean = (of: keyof Missed) => Math.max(0, seen.reduce((sum, one) => sum + one[of], 0) / seen.length);
  return { calls: mean('calls'), tokens: mean('tokens') };
}

export function toolsAfterRelief(tools: Tools): Tools {
  const still = Object.entries(tools.known)
    .filter(([, where]) => where !== 'gone')
    .map(([name, where]) => [name, where === 'sight' ? 'gone' : where] as const);
  const missed = [...tools.missed, NOTHING].slice(-REMEMBERED_RELIEFS);
  return { ...tools, known: Object.fromEntries(still), missed };
}

function fetched(tools: Tools, { name: tool, input }: ToolUse, result: ToolResult): Tools {
  if (NOT_FETCHING.test(tool)) return tools;
  const { file_path, notebook_path, command, offset } = fieldsOf(input);
  const of = textOf(file_path) ?? textOf(notebook_path) ?? textOf(command) ?? JSON.stringify(input);
  const name = `${tool} ${of}`.slice(0, NAME_LENGTH);
  const where = tools.known[name];
  // The next page of a file is not the file once more.
  if (where === 'habit' || (where === 'sight' && offset !== undefined)) return tools;
  const more = { ...tools.known, [name]: where === 'sight' ? 'habit' : 'sight' } as const;
  const known = Object.keys(more).length <= NAMES ? more : Object.fromEntries(Object.entries(more).slice(-NAMES / 2));
  if (where === undefined) return { ...tools, known };
  const sign = where === 'gone' ? 1 : -1;
  const { calls, tokens } = tools.missed.at(-1) ?? NOTHING;
  const size = estimateTokens(measureBlock(result), UNCALIBRATED);
  const again = { calls: calls + sign, tokens: tokens + sign * size };
  return { ...tools, known, missed: [...tools.missed.slice(0, -1), again] };
}
