import { estimateTokens, measureBlock } from '../../core/governor/gauge/estimator.ts';
import type { Block, UserRole } from '../../core/protocol/events.ts';
import { droppedTokens } from '../observers/drops.ts';
import type { Observer, Seen } from '../observers/seen.ts';
import { createToolUses, type ToolUses } from '../observers/tool-uses.ts';
import { type Accuracy, CONTENT_SOURCES, type ContentSource, type Errors } from './accuracy.ts';
import { type Counter, createCounter } from './histogram.ts';
import { createPredictor, type Predictions } from './predictions.ts';

/** Compares what was foreseen for each call with what it was. */
export function createAccuracy(): Observer<Accuracy> {
  const predictor = createPredictor();
  const added = createAdded();
  const [calls, complete, sources, boundaries] = [createErrors(), createErrors(), createErrors(), createErrors()];
  const apart = { first: 0, dropped: 0 };
  const lacking = { output: 0, pictures: 0 };

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
function createErrors() {
  const counts = new Map<string, { readonly tokens: Counter; readonly percent: Counter }>();

  function add(name: string, prediction: number, measured: number): void {
    const { tokens, percent } = counts.get(name) ?? { tokens: createCounter(), percent: createCounter() };
    counts.set(name, { tokens, percent });
    const distance = Math.abs(prediction - measured);
    tokens.add(distance);
    percent.add((distance / measured) * 100);
  }

  return {
    add,
    addAll(predictions: Predictions, measured: number): void {
      for (const [name, prediction] of Object.entries(predictions)) add(name, prediction, measured);
    },
    found(): Readonly<Record<string, Errors>> {
      return Object.fromEntries(
        [...counts].map(([name, { tokens, percent }]) => [name, { tokens: tokens.found(), percent: percent.found() }]),
      );
    },
  };
}

const NAMED: ReadonlySet<string> = new Set(CONTENT_SOURCES);

/** What came in since the last call. */
function createAdded() {
  const tools = createToolUses(({ name }) => name);
  let tokens: Partial<Record<ContentSource, number>> = {};
  let pictures = false;

  function add(block: Block, role: UserRole | 'answer', { after }: Seen): void {
    tools.see(block);
    if (hasPicture(block)) pictures = true;
    const source = sourceOf(block, role, tools);
    const size = estimateTokens(measureBlock(block), after.gauge.calibration);
    tokens[source] = (tokens[source] ?? 0) + size;
  }

  return {
    see(seen: Seen): void {
      const { event } = seen.input;
      if ((event.kind !== 'user' && event.kind !== 'assistant') || event.subagent !== null) return;
      if (event.kind === 'user' && (event.replay || event.role === 'summary')) return;
      for (const block of event.blocks) add(block, event.kind === 'user' ? event.role : 'answer', seen);
    },
    clear(): void {
      tokens = {};
      pictures = false;
    },
    found(): { readonly source: ContentSource; readonly pictures: boolean } {
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
