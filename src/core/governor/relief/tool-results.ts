import type { Block, Event } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { estimateTokens, measureBlock, UNCALIBRATED } from '../gauge/estimator.ts';
import type { Missed } from './economic-moment.ts';

type ToolUse = Extract<Block, { readonly type: 'tool_use' }>;
type ToolResult = Extract<Block, { readonly type: 'tool_result' }>;

/** What follows from the calls and the results of the main thread's tools in a line. */
function afterTools<T>(
  event: Event,
  before: T,
  begun: (so: T, block: ToolUse) => T,
  ended: (so: T, block: ToolResult) => T,
): T {
  const hasTools = event.kind === 'assistant' || (event.kind === 'user' && event.role === 'tool-result');
  if (!hasTools || event.subagent !== null) return before;
  return event.blocks.reduce((so, block) => {
    if (block.type === 'tool_use') return begun(so, block);
    return block.type === 'tool_result' ? ended(so, block) : so;
  }, before);
}

/** What has come into the context since it was last relieved, by tool and file, in UTF-16 units. */
export type Refill = Readonly<typeof NO_REFILL>;

export const NO_REFILL = {
  /** Tool calls under way: what they are counted under, and what each does. */
  open: [] as readonly { readonly id: string; readonly label: string; readonly title: string }[],
  /** The results, each by itself until there are many. */
  results: [] as readonly { readonly label: string; readonly chars: number }[],
};

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

const TITLE_LENGTH = 300;

export function refillAfter(refill: Refill, event: Event): Refill {
  if (event.kind === 'result') return { ...refill, open: [] };
  if (event.kind === 'boundary' || event.kind === 'reset') return NO_REFILL;
  return afterTools(event, refill, opened, filled);
}

function opened(refill: Refill, block: ToolUse): Refill {
  const call = { id: block.id, label: labelOf(block), title: titleOf(block) };
  const open = [...refill.open.filter(({ id }) => id !== block.id), call];
  return { open: open.slice(-LIMIT), results: refill.results };
}

function labelOf({ name, input }: ToolUse): string {
  const { file_path, path, notebook_path } = fieldsOf(input);
  const file = textOf(file_path) ?? textOf(path) ?? textOf(notebook_path);
  return file === undefined ? name : `${name} ${file}`;
}

/** A tool call in a few words: the tool, and the file or the command that it is about. */
export function titleOf(block: ToolUse): string {
  return `${labelOf(block)} ${textOf(fieldsOf(block.input).command) ?? ''}`.trim().slice(0, TITLE_LENGTH);
}

function filled(refill: Refill, { toolUseId, text }: ToolResult): Refill {
  const call = refill.open.find(({ id }) => id === toolUseId);
  if (call === undefined) return refill;
  const results = [...refill.results, { label: call.label, chars: text.length }];
  return {
    open: refill.open.filter((other) => other !== call),
    results: results.length < 2 * LIMIT ? results : summed(results).slice(-LIMIT),
  };
}

/** One share for each label, in the order they were last seen in. */
function summed(results: Refill['results']): Refill['results'] {
  const sums = new Map<string, number>();
  for (const { label, chars } of results) {
    const sum = (sums.get(label) ?? 0) + chars;
    sums.delete(label);
    sums.set(label, sum);
  }
  return [...sums].map(([label, chars]) => ({ label, chars }));
}

export function openTools({ open }: Refill): string {
  return open.map(({ title }) => title).join('; ');
}

/** The three largest, with their sizes. */
export function refillText({ results }: Refill): string {
  const largest = summed(results)
    .toSorted((a, b) => b.chars - a.chars)
    .slice(0, 3);
  return largest.map(({ label, chars }) => `${label} (${chars} characters)`).join(', ');
}

/**
 * What was fetched, and what of it had to be fetched again because a relief took it away. Files and commands go by the
 * names of their calls.
 */
export type Fetches = Readonly<typeof NO_FETCHES>;

const NOTHING: Missed = { calls: 0, tokens: 0 };

export const NO_FETCHES = {
  open: {} as Readonly<Record<string, { readonly name: string; readonly isPage: boolean }>>,
  /**
   * - `sight`: its result is in the context.
   * - `gone`: the last relief took it away. What earlier ones took would be missed without the last one too.
   * - `habit`: it was fetched again while it was in the context, so no relief is the cause.
   */
  known: {} as Readonly<Record<string, 'sight' | 'gone' | 'habit'>>,
  /**
   * After each of the last reliefs, newest last; the first is what came before any. What is fetched again although it is
   * in sight counts against it: as much would have been fetched again in any case.
   */
  missed: [NOTHING] as readonly Missed[],
};

const REMEMBERED_RELIEFS = 8;

/**
 * Names that are remembered, at most: they are copied with each result whose name is new, which takes 0.1 ms for as many
 * and 1.6 ms for twice as many. The older half of them is forgotten at a time.
 */
const NAMES = 500;

const NAME_LENGTH = 300;

/** These tools change something, or do work of their own. */
const NOT_FETCHING = /^(?:Edit|Write|MultiEdit|NotebookEdit|TodoWrite|Agent|Task|Skill)/;

/** An assumption until reliefs were seen; near what follows exact compactions in `npm run outcome`. */
export const USUALLY_MISSED: Missed = { calls: 1, tokens: 2_000 };

/** What is to be expected after the next relief; what is usual counts as one that was seen. */
export function missedAfterRelief({ missed }: Fetches): Missed {
  const seen = [USUALLY_MISSED, ...missed.slice(1)];
  const mean = (of: keyof Missed) => Math.max(0, seen.reduce((sum, one) => sum + one[of], 0) / seen.length);
  return { calls: mean('calls'), tokens: mean('tokens') };
}

export function fetchesAfter(fetches: Fetches, event: Event): Fetches {
  if (event.kind === 'reset') return NO_FETCHES;
  return event.kind === 'boundary' ? fetchesAfterRelief(fetches) : afterTools(event, fetches, fetching, fetched);
}

export function fetchesAfterRelief({ known, missed }: Fetches): Fetches {
  const still = Object.entries(known)
    .filter(([, where]) => where !== 'gone')
    .map(([name, where]) => [name, where === 'sight' ? 'gone' : where] as const);
  return { open: {}, known: Object.fromEntries(still), missed: [...missed, NOTHING].slice(-REMEMBERED_RELIEFS) };
}

function fetching(fetches: Fetches, block: ToolUse): Fetches {
  if (NOT_FETCHING.test(block.name)) return fetches;
  const { file_path, notebook_path, command, offset } = fieldsOf(block.input);
  const of = textOf(file_path) ?? textOf(notebook_path) ?? textOf(command) ?? JSON.stringify(block.input);
  const call = { name: `${block.name} ${of}`.slice(0, NAME_LENGTH), isPage: offset !== undefined };
  return { ...fetches, open: { ...fetches.open, [block.id]: call } };
}

function fetched(fetches: Fetches, block: ToolResult): Fetches {
  const { [block.toolUseId]: call, ...open } = fetches.open;
  if (call === undefined) return fetches;
  const { name, isPage } = call;
  const where = fetches.known[name];
  // The next page of a file is not the file once more.
  if (where === 'habit' || (where === 'sight' && isPage)) return { ...fetches, open };
  const known = withName(fetches.known, name, where === 'sight' ? 'habit' : 'sight');
  if (where === undefined) return { ...fetches, open, known };
  return { open, known, missed: withMiss(fetches.missed, where === 'gone' ? 1 : -1, block) };
}

function withName(known: Fetches['known'], name: string, where: 'sight' | 'habit'): Fetches['known'] {
  const more = { ...known, [name]: where };
  return Object.keys(more).length <= NAMES ? more : Object.fromEntries(Object.entries(more).slice(-NAMES / 2));
}

function withMiss(missed: readonly Missed[], sign: 1 | -1, block: Block): readonly Missed[] {
  const { calls, tokens } = missed.at(-1) ?? NOTHING;
  const size = estimateTokens(measureBlock(block), UNCALIBRATED);
  return [...missed.slice(0, -1), { calls: calls + sign, tokens: tokens + sign * size }];
}
