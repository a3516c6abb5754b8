import { describe, expect, it } from 'vitest';
import {
  addText,
  type CharacterEstimate,
  NO_CHARACTERS,
  TOOL_CALL_LIMIT,
  textTokens,
  totalTokens,
} from '../../../../src/core/governor/gauge/token-estimate.ts';
import { latchAfter } from '../../../../src/core/governor/relief/ladder.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { policyWith, replayed, toolResultLine } from '../../../support/governor.ts';
import { vectorsOf } from '../../../support/recordings.ts';

const WINDOW = 200_000;

type Text = string | { readonly $repeat: string; readonly count: number };

function expand(text: Text): string {
  return typeof text === 'string' ? text : text.$repeat.repeat(text.count);
}

describe('tokens of a text', () => {
  it.each(vectorsOf<{ text: Text }, { tokens: number }>('token-estimation'))('$id: $name', ({ input, expected }) => {
    expect(textTokens(expand(input.text))).toBe(expected.tokens);
  });
});

interface Totals {
  readonly file_tokens?: number;
  readonly tool_output_tokens?: number;
  readonly prompt_tokens?: number;
}

interface Total {
  readonly total_estimated: number;
  readonly usage_percentage: number;
}

describe('totals', () => {
  it.each(vectorsOf<Totals, Total>('estimate-totals'))('$id: $name', ({ input, expected }) => {
    const { file_tokens = 0, tool_output_tokens = 0, prompt_tokens = 0 } = input;
    const total = totalTokens({ tokens: file_tokens + tool_output_tokens + prompt_tokens, toolCalls: 0 });
    expect({ total_estimated: total, usage_percentage: (total / WINDOW) * 100 }).toEqual(expected);
  });
});

interface Restart {
  readonly threshold_percent?: number;
  readonly tool_call_threshold?: number;
  readonly context_limit?: number;
  readonly ops: readonly {
    readonly op: 'file' | 'tool' | 'prompt' | 'check' | 'reset';
    readonly text: Text;
    readonly times?: number;
  }[];
}

interface Restarted extends Total {
  readonly file_tokens: number;
  readonly tool_output_tokens: number;
  readonly prompt_tokens: number;
  readonly tool_call_count: number;
  readonly should_restart: boolean;
  readonly checks?: readonly boolean[];
}

const RESTART = vectorsOf<Restart, Restarted>('should-restart');

/** Whether the context counts as full: by its tokens, through the latch that acts. */
function isFull(estimate: CharacterEstimate, { threshold_percent = 80, context_limit = WINDOW }: Restart): boolean {
  const policy = policyWith({ thresholds: { warn: 0.001, compact: threshold_percent / 100 } });
  return latchAfter('none', totalTokens(estimate), context_limit, policy) === 'compact';
}

function run(input: Restart) {
  const checks: boolean[] = [];
  let estimate = NO_CHARACTERS;
  for (const { op, text, times = 1 } of input.ops) {
    if (op === 'check') checks.push(isFull(estimate, input));
    else if (op === 'reset') estimate = NO_CHARACTERS;
    else for (let time = 0; time < times; time++) estimate = addText(estimate, expand(text), op !== 'prompt');
  }
  return { estimate, checks, full: isFull(estimate, input) };
}

/** The call limit is fixed at 100 here, so cases with another one say nothing about it. */
const OTHER_CALL_LIMIT = ['db-040', 'db-047'];

describe('whether to restart', () => {
  it.each(RESTART.filter(({ id, kind }) => kind === 'conform' && !OTHER_CALL_LIMIT.includes(id)))(
    '$id: $name',
    ({ input, expected }) => {
      const { estimate, checks, full } = run(input);
      expect({
        tokens: estimate.tokens,
        total_estimated: totalTokens(estimate),
        should_restart: full,
        checks,
      }).toEqual({
        tokens: expected.file_tokens + expected.tool_output_tokens + expected.prompt_tokens,
        total_estimated: expected.total_estimated,
        should_restart: expected.should_restart,
        checks: expected.checks ?? [],
      });
      const resets = input.ops.some(({ op }) => op === 'reset');
      const files = resets ? 0 : input.ops.reduce((sum, { op, times = 1 }) => sum + (op === 'file' ? times : 0), 0);
      // db-038, the other half: reading a file is a tool call too.
      expect(estimate.toolCalls).toBe(expected.tool_call_count + files);
    },
  );
});

describe('whether to restart: exceptions', () => {
  it('db-040, db-047: the limit of tool calls is fixed, and 0 calls do not reach it', () => {
    expect(TOOL_CALL_LIMIT).toBe(100);
    expect(run({ ops: [] }).full).toBe(false);
  });
});

describe('whether to restart: known defects, fixed', () => {
  it('db-038: file reads count as tool calls', () => {
    const input = RESTART.find(({ id }) => id === 'db-038')?.input ?? { ops: [] };
    expect(run(input).estimate.toolCalls).toBe(500);
  });

  it('db-043: the percentage refers to the actual window', () => {
    const input = RESTART.find(({ id }) => id === 'db-043')?.input ?? { ops: [] };
    expect(run(input).full).toBe(true);
  });
});

describe('a stream without any usage', () => {
  const latchAfter = (toolCalls: number) =>
    replayed(
      Array.from({ length: toolCalls }, () => decodeObject(toolResultLine('x'))),
      { policy: policyWith({ window: 200_000 }) },
    ).relief.latch;

  it.each([
    { calls: TOOL_CALL_LIMIT - 1, latch: 'none' },
    { calls: TOOL_CALL_LIMIT, latch: 'compact' },
  ])('$calls tool calls: $latch', ({ calls, latch }) => {
    expect(latchAfter(calls)).toBe(latch);
  });
});
