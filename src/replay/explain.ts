import { isMessage } from '../core/governor/facts.ts';
import {
  type Calibration,
  type Content,
  type ContentKind,
  forgotten,
  measureBlock,
  scaleOf,
  spokenTokens,
  UNCALIBRATED,
  unspokenTokens,
} from '../core/governor/gauge/estimator.ts';
import { callOutput, type Gauge, predicted } from '../core/governor/gauge/gauge.ts';
import type { AssistantEvent, UserEvent } from '../core/protocol/events.ts';
import type { CallSeen } from './items-seen.ts';
import { createToolUses, type Seen } from './observers/seen.ts';

/** The origin of the figures of one call. All in tokens. */
export interface Explanation {
  /** As measured, with its cost. */
  readonly call: CallSeen;
  /** null where nothing was foreseen: the first call, the first after a compaction. */
  readonly prediction: Prediction | null;
  readonly error: {
    /** Predicted less measured. */
    readonly tokens: number;
    readonly percent: number;
  } | null;
}

/** `total` = `used` + `output` + `added`; `added` = the tokens of all `parts` that came in, rounded up. */
export interface Prediction {
  readonly total: number;
  /** Context of the call before. */
  readonly used: number;
  /** Output of the call before. */
  readonly output: number;
  /** It is claude's own count; else it is estimated from the parts of the answer. */
  readonly outputKnown: boolean;
  readonly added: number;
  /** Tokens per expected token so far, by kind of content. */
  readonly scales: Readonly<Record<ContentKind, number>>;
  readonly parts: readonly ExplainedPart[];
}

/** A piece of a line that came into the context. */
export interface ExplainedPart {
  /** Line of the recording, from 1. */
  readonly line: number;
  /** `answer`, `prompt`, `notice`, a tool's name, or `forgotten thoughts`. */
  readonly source: string;
  readonly block: string;
  /** UTF-16 units of its texts. */
  readonly chars: number;
  /** The estimate, from the general rate and from the session's calls, to a tenth; below zero for removed content. */
  readonly expected: number;
  readonly tokens: number;
  /** It is in the output count, not in what was added. */
  readonly inOutput: boolean;
}

type Piece = Omit<ExplainedPart, 'expected' | 'tokens'> & { readonly content: Content };

/** Gathers what made the prediction of one call. @param wanted its number, from 1, or the id of its message */
export function createExplainer(wanted: string) {
  const tools = createToolUses(({ name }) => name);
  let pieces: Piece[] = [];
  let number: number | undefined;
  let prediction: Prediction | null = null;

  function seeCall({ before, after }: Seen): void {
    const { calls, call, foreseen } = after.gauge;
    if (wanted === String(calls) || wanted === call?.messageId) {
      number = calls;
      prediction = foreseen === undefined ? null : predictionOf(before.gauge, pieces);
    }
    pieces = [];
  }

  function seeMessage({ line, input: { event }, before, after }: Seen): void {
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
    const content = forgotten(call?.model, thoughts);
    if (content.prose >= 0) return;
    pieces.push({ line, source: 'forgotten thoughts', block: 'thinking', chars: 0, content, inOutput: false });
  }

  return {
    see(seen: Seen): void {
      if (number !== undefined) return;
      if (seen.after.facts.call) seeCall(seen);
      seeMessage(seen);
    },
    /** The measured and the predicted size; null before the call. */
    found(calls: readonly CallSeen[]): Explanation | null {
      const call = calls.find((each) => each.number === number);
      if (call === undefined) return null;
      if (prediction === null) return { call, prediction, error: null };
      const tokens = prediction.total - call.context;
      return { call, prediction, error: { tokens, percent: (tokens / call.context) * 100 } };
    },
  };
}

/** A summary is counted by the boundary before it, an echo by the line it echoes. */
function isInContext(event: Seen['input']['event'], { call }: Gauge): event is AssistantEvent | UserEvent {
  if (!isMessage(event)) return false;
  return event.kind === 'assistant' ? event.messageId === call?.messageId : !event.replay && event.role !== 'summary';
}

function predictionOf(gauge: Gauge, pieces: readonly Piece[]): Prediction {
  const { calibration, used, call } = gauge;
  const output = callOutput(gauge);
  const total = predicted(gauge);
  const scale = (kind: ContentKind) => scaleOf(calibration, kind);
  const tokensOf = (content: Content, by: Calibration) =>
    Math.round((unspokenTokens(content, by) + spokenTokens(content, by)) * 10) / 10;
  return {
    total,
    used,
    output,
    outputKnown: call?.outputKnown ?? false,
    added: total - used - output,
    scales: { prose: scale('prose'), code: scale('code'), json: scale('json') },
    parts: pieces.map(({ content, ...part }) => ({
      ...part,
      expected: tokensOf(content, UNCALIBRATED),
      tokens: tokensOf(content, calibration),
    })),
  };
}
