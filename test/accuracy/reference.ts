import { readFileSync } from 'node:fs';

/**
 * A second, plain reading of a session log, written from the log's format alone: nothing of `src` is used here, so that
 * a mistake there cannot hide here.
 */
export interface ReferenceSession {
  readonly file: string;
  /** Contexts of the main thread's calls, by message id, in order. */
  readonly contexts: ReadonlyMap<string, number>;
  /** `preTokens` of the compactions. */
  readonly boundaries: readonly number[];
  /** Of the main thread, from list prices; undefined where a model has none here. */
  readonly usd: number | undefined;
  /** Calls whose output count is not the true one: the lines were written before the answer ended. */
  readonly placeholders: number;
  /** Tokens written to the cache for an hour, which cost more than those for five minutes. */
  readonly hourTokens: number;
}

interface Row {
  readonly type?: string;
  readonly subtype?: string;
  readonly uuid?: string;
  readonly isSidechain?: boolean;
  readonly isApiErrorMessage?: boolean;
  readonly compactMetadata?: { readonly preTokens?: number };
  readonly message?: Message;
}

interface Message {
  readonly id?: string;
  readonly model?: string;
  readonly stop_reason?: string | null;
  readonly usage?: Usage;
}

interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
  readonly speed?: string;
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number };
}

/** Dollars for a million tokens of input and of output, from Anthropic's list of November 2026. */
const PRICES: readonly (readonly [RegExp, number, number])[] = [
  [/opus-4-[5-8]|opus-5/, 5, 25],
  [/sonnet-4/, 3, 15],
  [/haiku-4-5/, 1, 5],
  [/fable-5/, 10, 50],
];

/** What fast mode costs, in times of that. */
const FAST_TIMES: readonly (readonly [RegExp, number])[] = [
  [/opus-4-6/, 6],
  [/opus-4-[78]|opus-5/, 2],
];

interface Call {
  readonly model: string;
  readonly context: number;
  usage: Usage;
  isWhole: boolean;
}

export function readReference(file: string): ReferenceSession {
  const calls = new Map<string, Call>();
  const boundaries = new Map<string, number>();
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const row = rowIn(text);
    if (row?.type === 'system' && row.subtype === 'compact_boundary') {
      boundaries.set(row.uuid ?? text, row.compactMetadata?.preTokens ?? 0);
    }
    if (row?.type === 'assistant' && row.isSidechain !== true && row.isApiErrorMessage !== true) add(row, calls);
  }
  const all = [...calls.values()];
  const costs = all.map(usdOf);
  return {
    file,
    contexts: new Map([...calls].map(([id, { context }]) => [id, context])),
    boundaries: [...boundaries.values()],
    usd: costs.reduce(
      (sum: number | undefined, usd) => (sum === undefined || usd === undefined ? undefined : sum + usd),
      0,
    ),
    placeholders: all.filter(({ isWhole }) => !isWhole).length,
    hourTokens: all.reduce((sum, { usage }) => sum + hourOf(usage), 0),
  };
}

function rowIn(text: string): Row | undefined {
  try {
    return JSON.parse(text) as Row;
  } catch {
    return undefined;
  }
}

/** Each block of an answer is a line of its own, with the same id and the same input; the last one has the true output. */
function add({ message }: Row, calls: Map<string, Call>): void {
  const { id, model = '', usage, stop_reason } = message ?? {};
  if (id === undefined || usage === undefined || model === '<synthetic>') return;
  const context = contextOf(usage);
  if (context === 0) return;
  const call = calls.get(id) ?? { model, context, usage, isWhole: false };
  if ((usage.output_tokens ?? 0) >= (call.usage.output_tokens ?? 0)) call.usage = usage;
  if (typeof stop_reason === 'string') call.isWhole = true;
  calls.set(id, call);
}

function contextOf(usage: Usage): number {
  return (usage.input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
}

function hourOf({ cache_creation }: Usage): number {
  return cache_creation?.ephemeral_1h_input_tokens ?? 0;
}

function usdOf({ model, usage }: Call): number | undefined {
  const [, input, output] = PRICES.find(([name]) => name.test(model)) ?? [];
  if (input === undefined || output === undefined) return undefined;
  const written = usage.cache_creation_input_tokens ?? 0;
  const hour = hourOf(usage);
  const tokens =
    (usage.input_tokens ?? 0) + (written - hour) * 1.25 + hour * 2 + (usage.cache_read_input_tokens ?? 0) / 10;
  const [, times = 1] = (usage.speed === 'fast' && FAST_TIMES.find(([name]) => name.test(model))) || [];
  return (times * (tokens * input + (usage.output_tokens ?? 0) * output)) / 1e6;
}
