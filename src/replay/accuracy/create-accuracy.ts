import { estimateTokens, measureBlock, nativeTokens } from '../../core/governor/gauge/estimator.ts';
import { type Gauge, predicted } from '../../core/governor/gauge/gauge.ts';
import { wasReplaced } from '../../core/governor/steps.ts';
import type { AssistantEvent, Block, UserEvent, UserRole } from '../../core/protocol/events.ts';
import { contextOf, saysNothing, type Usage } from '../../core/protocol/usage.ts';
import { droppedTokens } from '../observers/oddities.ts';
import { createToolUses, type Observer, type Seen } from '../observers/seen.ts';
import {
  type Accuracy,
  CONTENT_SOURCES,
  type ContentSource,
  type Counter,
  createCounter,
  type Errors,
  type Estimator,
} from './accuracy.ts';

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

/** What came in since the last call. */
function createAdded() {
  const tools = createToolUses(({ name }) => name);
  let tokens: Partial<Record<ContentSource, number>> = {};
  let pictures = false;

  function add(block: Block, role: UserRole | 'answer', { after }: Seen): void {
    tools.see(block);
    if (hasPicture(block)) pictures = true;
    const source = sourceOf(block, role, tools.of(block));
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

/** @param tool whose result it is */
function sourceOf(block: Block, role: UserRole | 'answer', tool: string | undefined): ContentSource {
  if (hasPicture(block)) return 'picture';
  if (block.type === 'tool_result') return CONTENT_SOURCES.find((name) => name === tool) ?? 'other tools';
  return role === 'answer' || role === 'prompt' ? role : 'notice';
}

/** What the estimator that counts characters of everything takes system prompt and tools for, in tokens. */
const SYSTEM_TOKENS = 8_000;
const CHARS_PER_TOKEN = 3.5;

const OVERHEAD = 1.3;
const OVERHEAD_CHARS_PER_TOKEN = 4;

type Predictions = Readonly<Partial<Record<Estimator, number>>>;

/** Follows a recording and says, at any line, what each estimator takes the next call for. */
function createPredictor() {
  let [characters, overhead, turnSum] = [0, 0, 0];
  let summed: number | undefined;

  /** Session logs have no result: there the sum is made of the turn's calls. */
  function endTurn(usage: Usage | undefined): void {
    const sum = usage === undefined || saysNothing(usage) ? turnSum : contextOf(usage);
    if (sum > 0) summed = sum;
    turnSum = 0;
  }

  function count(blocks: readonly Block[], byModel: boolean): void {
    for (const block of blocks) {
      const { chars } = measureBlock(block);
      characters += Math.ceil(chars / CHARS_PER_TOKEN);
      if (!byModel) overhead += Math.max(1, Math.floor(chars / OVERHEAD_CHARS_PER_TOKEN));
    }
  }

  function seeMessage(event: AssistantEvent | UserEvent): void {
    if (event.subagent !== null || (event.kind === 'user' && event.replay)) return;
    if (event.kind === 'user' && event.role === 'prompt') endTurn(undefined);
    count(event.blocks, event.kind === 'assistant');
  }

  return {
    see({ input, before, after }: Seen): void {
      const { event } = input;
      if (wasReplaced(before, after, event)) {
        characters = 0;
        overhead = 0;
      }
      if (after.gauge.calls > before.gauge.calls) turnSum += after.gauge.used;
      if (event.kind === 'result') endTurn(event.usage);
      if (event.kind === 'assistant' || event.kind === 'user') seeMessage(event);
    },
    predictions(gauge: Gauge): Predictions {
      const { used, call, added } = gauge;
      const output = used + (call?.output ?? 0);
      return {
        ctxb: predicted(gauge),
        last: used,
        output,
        quarter: output + nativeTokens(added),
        characters: SYSTEM_TOKENS + characters,
        overhead: Math.trunc(overhead * OVERHEAD),
        ...(summed === undefined ? {} : { summed }),
      };
    },
  };
}
