import { measureBlock, nativeTokens } from '../../core/governor/gauge/estimator.ts';
import { type Gauge, predicted } from '../../core/governor/gauge/gauge.ts';
import { wasReplaced } from '../../core/governor/gauge/readings.ts';
import type { AssistantEvent, Block, Usage, UserEvent } from '../../core/protocol/events.ts';
import { contextOf, saysNothing } from '../../core/protocol/usage.ts';
import type { Seen } from '../observers/seen.ts';
import type { Estimator } from './accuracy.ts';

/** What the estimator that counts characters of everything takes system prompt and tools for, in tokens. */
const SYSTEM_TOKENS = 8_000;
const CHARS_PER_TOKEN = 3.5;

const OVERHEAD = 1.3;
const OVERHEAD_CHARS_PER_TOKEN = 4;

export type Predictions = Readonly<Partial<Record<Estimator, number>>>;

/** Follows a recording and says, at any line, what each estimator takes the next call for. */
export interface Predictor {
  see(seen: Seen): void;
  /** Before this line. */
  predictions(gauge: Gauge): Predictions;
}

export function createPredictor(): Predictor {
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
    see({ input, before, after }) {
      const { event } = input;
      if (wasReplaced(before, after, event)) {
        characters = 0;
        overhead = 0;
      }
      if (after.gauge.calls > before.gauge.calls) turnSum += after.gauge.used;
      if (event.kind === 'result') endTurn(event.usage);
      if (event.kind === 'assistant' || event.kind === 'user') seeMessage(event);
    },
    predictions(gauge) {
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
