import { estimateTokens, measureBlock } from '../../core/governor/gauge/estimator.ts';
import type { Block, UserRole } from '../../core/protocol/events.ts';
import { droppedTokens } from '../observers/drops.ts';
import type { Observer, Seen } from '../observers/seen.ts';
import { createToolUses, type ToolUses } from '../observers/tool-uses.ts';
import { type Accuracy, CONTENT_SOURCES, type ContentSource, type Errors } from './accuracy.ts';
import { type Buckets, createCounter } from './histogram.ts';
import { createPredictor, type Predictions, type Sums } from './predictions.ts';

interface AccuracyState {
  readonly sums: Sums;
  readonly added: Added;
  readonly calls: ErrorCounts;
  readonly complete: ErrorCounts;
  readonly sources: ErrorCounts;
  readonly boundaries: ErrorCounts;
  readonly apart: { first: number; dropped: number };
  readonly lacking: { output: number; pictures: number };
}

function noState(): AccuracyState {
  return {
    sums: { characters: 0, overhead: 0, turnSum: 0, summed: undefined },
    added: { tokens: {}, pictures: false, tools: new Map() },
    calls: new Map(),
    complete: new Map(),
    sources: new Map(),
    boundaries: new Map(),
    apart: { first: 0, dropped: 0 },
    lacking: { output: 0, pictures: 0 },
  };
}

/** Compares what was foreseen for each call with what it was. */
export function createAccuracy(state = noState()): Observer<Accuracy, AccuracyState> {
  const { apart, lacking } = state;
  const predictor = createPredictor(state.sums);
  const added = createAdded(state.added);
  const calls = createErrors(state.calls);
  const complete = createErrors(state.complete);
  const sources = createErrors(state.sources);
  const boundaries = createErrors(state.boundaries);

  function compare({ before, after }: Seen): void {
    const measured = after.gauge.used;
    const predictions = predictor.predictions(before.gauge);
    const outputKnown = before.gauge.call?.outputKnown === true;
    const { source, pictures } = added.found();
    calls.addAll(predictions, measured);
    if (outputKnown && !pictures) complete.addAll(predictions, measured);
    sources.add(source, predictions.ctxb ?? 0, measured);
    if (!outputKnown) lacking.output++;
    if (pictures) lacking.pictures++;
  }

  function judge(seen: Seen): void {
    const { before, after } = seen;
    if (after.gauge.calls === before.gauge.calls) return;
    if (after.gauge.foreseen === undefined) apart.first++;
    else if (droppedTokens(before.gauge, after.gauge) > 0) apart.dropped++;
    else compare(seen);
    added.clear();
  }

  return {
    state,
    see(seen) {
      const { event } = seen.input;
      const { gauge } = seen.before;
      if (event.kind === 'boundary' && event.preTokens !== undefined && gauge.basis === 'measured') {
        boundaries.addAll(predictor.predictions(gauge), event.preTokens);
      }
      judge(seen);
      predictor.see(seen);
      added.see(seen);
    },
    found: () => ({
      calls: calls.found(),
      complete: complete.found(),
      sources: sources.found(),
      boundaries: boundaries.found(),
      apart: { ...apart },
      lacking: { ...lacking },
    }),
  };
}

/** By name; a name without any does not appear. */
type ErrorCounts = Map<string, { readonly tokens: Buckets; readonly percent: Buckets }>;

function createErrors(counts: ErrorCounts) {
  function add(name: string, prediction: number, measured: number): void {
    const { tokens, percent } = counts.get(name) ?? { tokens: new Map(), percent: new Map() };
    counts.set(name, { tokens, percent });
    const distance = Math.abs(prediction - measured);
    createCounter(tokens).add(distance);
    createCounter(percent).add((distance / measured) * 100);
  }

  return {
    add,
    addAll(predictions: Predictions, measured: number): void {
      for (const [name, prediction] of Object.entries(predictions)) add(name, prediction, measured);
    },
    found(): Readonly<Record<string, Errors>> {
      const found = [...counts].map(([name, { tokens, percent }]) => [
        name,
        { tokens: createCounter(tokens).found(), percent: createCounter(percent).found() },
      ]);
      return Object.fromEntries(found);
    },
  };
}

const NAMED: ReadonlySet<string> = new Set(CONTENT_SOURCES);

interface Added {
  tokens: Partial<Record<ContentSource, number>>;
  pictures: boolean;
  /** Names of tools, by the ids of their calls. */
  readonly tools: Map<string, string>;
}

/** What came in since the last call. */
function createAdded(own: Added) {
  const tools = createToolUses(({ name }) => name, own.tools);

  function add(block: Block, role: UserRole | 'answer', { after }: Seen): void {
    tools.see(block);
    if (hasPicture(block)) own.pictures = true;
    const source = sourceOf(block, role, tools);
    const size = estimateTokens(measureBlock(block), after.gauge.calibration);
    own.tokens[source] = (own.tokens[source] ?? 0) + size;
  }

  return {
    see(seen: Seen): void {
      const { event } = seen.input;
      if ((event.kind !== 'user' && event.kind !== 'assistant') || event.subagent !== null) return;
      if (event.kind === 'user' && (event.replay || event.role === 'summary')) return;
      for (const block of event.blocks) add(block, event.kind === 'user' ? event.role : 'answer', seen);
    },
    clear(): void {
      own.tokens = {};
      own.pictures = false;
    },
    found(): { readonly source: ContentSource; readonly pictures: boolean } {
      const { tokens, pictures } = own;
      const [largest] = CONTENT_SOURCES.toSorted((a, b) => (tokens[b] ?? 0) - (tokens[a] ?? 0));
      return { source: largest ?? 'answer', pictures };
    },
  };
}

function hasPicture(block: Block): boolean {
  if (block.type === 'tool_result') return block.images > 0;
  return block.type === 'image' || block.type === 'document';
}

function sourceOf(block: Block, role: UserRole | 'answer', tools: ToolUses<string>): ContentSource {
  if (hasPicture(block)) return 'picture';
  if (block.type === 'tool_result') {
    const name = tools.of(block.toolUseId) ?? '';
    return isSource(name) ? name : 'other tools';
  }
  return role === 'answer' || role === 'prompt' ? role : 'notice';
}

function isSource(name: string): name is ContentSource {
  return NAMED.has(name);
}
