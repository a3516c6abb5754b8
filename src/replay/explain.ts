import { isMessage } from '../core/governor/facts.ts';
import {
  type Content,
  droppedThoughts,
  hiddenTokens,
  measureBlock,
  scaleOf,
} from '../core/governor/gauge/estimator.ts';
import { callOutput, type Gauge, predictedTokens } from '../core/governor/gauge/gauge.ts';
import type { AssistantEvent, UserEvent } from '../core/protocol/events.ts';
import { createToolUses, type ObservedLine } from './observers/observer.ts';
import type { RecordedCall } from './recorded-items.ts';

/** How the figures of one call were computed. Figures are in tokens. */
export type Explanation = NonNullable<ReturnType<ReturnType<typeof createExplainer>['found']>>;

export type Prediction = Readonly<ReturnType<typeof predictionOf>>;

interface Piece {
  readonly line: number;
  /** `answer`, `prompt`, `notice`, a tool's name, or `forgotten thoughts`. */
  readonly source: string;
  readonly block: string;
  /** Length of its texts in UTF-16 code units. */
  readonly chars: number;
  readonly content: Content;
  /** Whether it is part of the previous call's output, not of the additions since. */
  readonly inOutput: boolean;
}

/** Collects the parts of one call's prediction. @param wanted number of the call, from 1, or its message id */
export function createExplainer(wanted: string) {
  const tools = createToolUses(({ name }) => name);
  let pieces: Piece[] = [];
  let number: number | undefined;
  let prediction: Prediction | null = null;

  function seeCall({ before, after }: ObservedLine): void {
    const { calls, call, lastPrediction } = after.gauge;
    if (wanted === String(calls) || wanted === call?.messageId) {
      number = calls;
      prediction = lastPrediction === undefined ? null : predictionOf(before.gauge, pieces);
    }
    pieces = [];
  }

  function seeMessage({ line, input: { event }, before, after }: ObservedLine): void {
    if ('blocks' in event) event.blocks.forEach(tools.see);
    if (!isInContext(event, after.gauge)) return;
    if (before.gauge.thoughts > 0 && after.gauge.thoughts === 0) leave(line, before.gauge);
    const inOutput = event.kind === 'assistant';
    const role = event.kind === 'user' ? event.role : 'answer';
    for (const block of event.blocks) {
      const source = block.type === 'tool_result' ? (tools.of(block) ?? 'other tools') : role;
      const content = measureBlock(block);
      pieces.push({ line, source, block: block.type, chars: content.chars, content, inOutput });
    }
  }

  function leave(line: number, { call, thoughts }: Gauge): void {
    const content = droppedThoughts(call?.model, thoughts);
    if (content.tokens >= 0) return;
    pieces.push({ line, source: 'forgotten thoughts', block: 'thinking', chars: 0, content, inOutput: false });
  }

  return {
    see(seen: ObservedLine): void {
      if (number !== undefined) return;
      if (seen.after.facts.call) seeCall(seen);
      seeMessage(seen);
    },
    /**
     * The explanation; null if the call was not found. The first call, and the first one after a compaction, have no
     * prediction.
     */
    found(calls: readonly RecordedCall[]) {
      const call = calls.find((each) => each.number === number);
      if (call === undefined) return null;
      if (prediction === null) return { call, prediction, error: null };
      const tokens = prediction.total - call.context;
      return { call, prediction, error: { tokens, percent: (tokens / call.context) * 100 } };
    },
  };
}

/** Excludes summaries, which the preceding boundary counts, and echoes of earlier lines. */
function isInContext(event: ObservedLine['input']['event'], { call }: Gauge): event is AssistantEvent | UserEvent {
  if (!isMessage(event)) return false;
  return event.kind === 'assistant' ? event.messageId === call?.messageId : !event.isReplay && event.role !== 'summary';
}

/** `total` = `used` + `output` + `added`; `added` is the sum of `parts` that are not in the output, rounded up. */
function predictionOf(gauge: Gauge, pieces: readonly Piece[]) {
  const { calibration, used, call } = gauge;
  const output = callOutput(gauge);
  const total = predictedTokens(gauge);
  const tokensOf = (content: Content) =>
    Math.round((hiddenTokens(content, calibration) + content.tokens * scaleOf(calibration)) * 10) / 10;
  return {
    total,
    used,
    output,
    /** Whether claude reported the output; otherwise it is estimated from the parts of the answer. */
    outputKnown: call?.outputKnown ?? false,
    added: total - used - output,
    /** `tokens`: to a tenth; negative for removed content. */
    parts: pieces.map(({ content, ...part }) => ({ ...part, tokens: tokensOf(content) })),
  };
}
