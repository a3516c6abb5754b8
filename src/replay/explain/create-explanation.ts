import {
  type Calibration,
  type Content,
  forgotten,
  measureBlock,
  scaleOf,
  spokenTokens,
  UNCALIBRATED,
} from '../../core/governor/gauge/estimator.ts';
import { callOutput, type Gauge, predicted } from '../../core/governor/gauge/gauge.ts';
import type { AssistantEvent, Block, UserEvent } from '../../core/protocol/events.ts';
import type { CallSeen } from '../items-seen.ts';
import type { Observer, Seen } from '../observers/seen.ts';
import { createToolUses } from '../observers/tool-uses.ts';
import type { ExplainedPart, Explanation, Prediction } from './explanation.ts';

type Piece = Omit<ExplainedPart, 'expected' | 'tokens'> & { readonly content: Content };

/** Gathers what made the prediction of one call. */
export interface Explainer extends Pick<Observer<Prediction | null>, 'see' | 'found'> {
  /** Number of the call that was asked for; undefined as long as it has not come. */
  readonly number: number | undefined;
}

/** @param wanted number of a main-thread call, from 1, or the id of its message */
export function createExplainer(wanted: string): Explainer {
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
    if (!isInContext(event, after.gauge)) return;
    if (before.gauge.thoughts > 0 && after.gauge.thoughts === 0) leave(line, before.gauge);
    const inOutput = event.kind === 'assistant';
    for (const block of event.blocks) {
      const source = sourceOf(block, event.kind === 'user' ? event.role : 'answer');
      add({ line, source, block: block.type, ...sizes(block), inOutput });
    }
  }

  function leave(line: number, { call, thoughts }: Gauge): void {
    const content = forgotten(call?.model, thoughts);
    if (content.prose < 0) {
      add({ line, source: 'forgotten thoughts', block: 'thinking', chars: 0, content, inOutput: false });
    }
  }

  function add(piece: Piece): void {
    pieces.push(piece);
  }

  function sourceOf(block: Block, role: string): string {
    tools.see(block);
    return block.type === 'tool_result' ? (tools.of(block.toolUseId) ?? 'other tools') : role;
  }

  return {
    see(seen) {
      if (number !== undefined) return;
      if (seen.after.gauge.calls > seen.before.gauge.calls) seeCall(seen);
      seeMessage(seen);
    },
    found: () => prediction,
    get number() {
      return number;
    },
  };
}

/** A summary is counted by the boundary before it, an echo by the line it echoes. */
function isInContext(event: Seen['input']['event'], { call }: Gauge): event is AssistantEvent | UserEvent {
  if (event.kind === 'assistant') return event.subagent === null && event.messageId === call?.messageId;
  return event.kind === 'user' && event.subagent === null && !event.replay && event.role !== 'summary';
}

function sizes(block: Block): Pick<Piece, 'chars' | 'content'> {
  const content = measureBlock(block);
  return { chars: content.chars, content };
}

function predictionOf(gauge: Gauge, pieces: readonly Piece[]): Prediction {
  const { calibration, used, call } = gauge;
  const output = callOutput(gauge);
  const total = predicted(gauge);
  const tokensOf = (content: Content, by: Calibration) =>
    Math.round((content.fixedTokens + spokenTokens(content, by)) * 10) / 10;
  return {
    total,
    used,
    output,
    outputKnown: call?.outputKnown ?? false,
    added: total - used - output,
    scales: {
      prose: scaleOf(calibration, 'prose'),
      code: scaleOf(calibration, 'code'),
      json: scaleOf(calibration, 'json'),
    },
    parts: pieces.map(({ content, ...part }) => ({
      ...part,
      expected: tokensOf(content, UNCALIBRATED),
      tokens: tokensOf(content, calibration),
    })),
  };
}

/** Puts together what was measured and what was foreseen. */
export function explanationOf(call: CallSeen, prediction: Prediction | null): Explanation {
  if (prediction === null) return { call, prediction, error: null };
  const tokens = prediction.total - call.context;
  return { call, prediction, error: { tokens, percent: (tokens / call.context) * 100 } };
}
