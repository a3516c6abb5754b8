import { describe, expect, it } from 'vitest';
import { totalMicroUsd, toUsd } from '../../../../src/core/governor/cost/cost.ts';
import { predictedTokens } from '../../../../src/core/governor/gauge/gauge.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import {
  boundaryLine,
  callLine,
  initLine,
  type Line,
  replayed,
  resultLine,
  syntheticLine,
  toolResultLine,
  userLine,
} from '../../../support/governor.ts';
import { cut } from '../../../support/recordings.ts';

const read = (...lines: readonly Line[]) => replayed(lines.map(decodeObject));

const DEEP = 10_000;

/** A call that wrote `content`; its output count is the stream's placeholder. */
const answer = (used: number, content: unknown): Line => {
  const line = callLine(used);
  return { ...line, message: { ...(line.message as Line), content } };
};

/** A call of a back-end that counts nothing. */
function allZero(): Line {
  const line = callLine(4);
  return { ...line, message: { ...(line.message as Line), usage: { input_tokens: 0, output_tokens: 0 } } };
}

describe('the used context', () => {
  it.each([
    { name: 'the last call of the main thread', lines: [callLine(30_000), callLine(31_000)], used: 31_000 },
    { name: 'not a subagent', lines: [callLine(30_000), callLine(90_000, { parent_tool_use_id: 't' })], used: 30_000 },
    { name: 'not a synthetic line', lines: [callLine(30_000), syntheticLine('API Error')], used: 30_000 },
    { name: 'not an all-zero usage', lines: [callLine(30_000), allZero()], used: 30_000 },
    {
      name: 'not the sum in the result',
      lines: [callLine(30_000), resultLine({ usage: { input_tokens: 999_999 } })],
      used: 30_000,
    },
    {
      name: 'what is kept after a boundary',
      lines: [callLine(20_000), callLine(90_000), boundaryLine('auto', 90_000)],
      used: 20_600,
    },
  ])('$name', ({ lines, used }) => {
    expect(read(initLine(), ...lines).gauge.used).toBe(used);
  });

  it('counts several lines of one call once', () => {
    const line = callLine(30_000);
    const { gauge } = read(initLine(), line, line, line);
    expect(gauge).toMatchObject({ calls: 1, used: 30_000 });
  });

  it('counts calls without an id separately', () => {
    const nameless = (used: number) => ({ type: 'assistant', message: { content: [], usage: { input_tokens: used } } });
    expect(read(nameless(10_000), nameless(12_000)).gauge).toMatchObject({ calls: 2, used: 12_000 });
  });
});

describe('a result alone, as claude prints it as JSON', () => {
  const sum = {
    input_tokens: 3,
    cache_creation_input_tokens: 900,
    cache_read_input_tokens: 47_000,
    output_tokens: 300,
  };
  const last = {
    input_tokens: 1,
    cache_creation_input_tokens: 500,
    cache_read_input_tokens: 24_000,
    output_tokens: 40,
  };

  it.each([
    {
      name: 'tells the context of its last call, where it names that',
      usage: { ...sum, iterations: [last] },
      gauge: { basis: 'measured', used: 24_501 },
    },
    { name: 'tells none where it has the sum of two', usage: { ...sum, iterations: [] }, gauge: { basis: 'none' } },
    {
      name: 'tells none where it counts nothing',
      usage: { input_tokens: 0, output_tokens: 0 },
      gauge: { basis: 'none' },
    },
  ])('$name', ({ usage, gauge }) => {
    expect(read(resultLine({ num_turns: 2, usage })).gauge).toMatchObject(gauge);
  });
});

describe('the predicted context', () => {
  it('adds tool results by their characters, plus a constant for each', () => {
    const { gauge } = read(initLine(), callLine(30_000), toolResultLine('x'.repeat(4_000)));
    expect(predictedTokens(gauge)).toBe(31_055);
  });

  it("adds the model's text while the count is a placeholder", () => {
    const { gauge } = read(initLine(), answer(30_000, [{ type: 'text', text: 'x'.repeat(400) }]));
    expect(predictedTokens(gauge)).toBe(30_103);
  });

  it('adds the actual count once the turn reports it', () => {
    const lines = [initLine(), answer(30_000, [{ type: 'text', text: 'x'.repeat(400) }])];
    const { gauge } = read(...lines, resultLine({ usage: { input_tokens: 30_000, output_tokens: 77 } }));
    expect(predictedTokens(gauge)).toBe(30_077);
  });

  it('counts the content of a line without usage in the same call once', () => {
    const { message, ...line } = answer(30_000, [{ type: 'text', text: 'x'.repeat(400) }]);
    const { usage: _, ...bare } = message as Line;
    const lines = [initLine(), { ...line, message }, { ...line, message: bare }];
    const { gauge } = read(...lines, resultLine({ usage: { input_tokens: 30_000, output_tokens: 300 } }));
    expect(predictedTokens(gauge)).toBe(30_300);
  });

  it('counts a picture as a picture, not as base64', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'A'.repeat(400_000) } };
    const { gauge } = read(initLine(), callLine(30_000), userLine([{ type: 'tool_result', content: [image] }]));
    expect(predictedTokens(gauge)).toBe(31_616);
  });

  it('does not count an echo of a prompt twice', () => {
    const { gauge } = read(initLine(), callLine(30_000), userLine('x'.repeat(4_000), { isReplay: true }));
    expect(predictedTokens(gauge)).toBe(30_001);
  });

  it.each([
    { model: 'claude-sonnet-4-5', thought: 0 },
    { model: 'claude-haiku-4-5-20251001', thought: 0 },
    { model: 'claude-opus-4-1-20250805', thought: 0 },
    { model: 'claude-sonnet-4-20250514', thought: 0 },
    { model: 'claude-opus-4-5-20251101', thought: 269 },
    { model: 'claude-sonnet-4-6', thought: 269 },
    { model: 'glm-5.1', thought: 269 },
  ])('keeps $thought tokens of a thought of $model after a new prompt', ({ model, thought }) => {
    const line = answer(30_000, [{ type: 'thinking', thinking: 'x'.repeat(1_000), signature: '' }]);
    const call = { ...line, message: { ...(line.message as Line), model } };
    expect(predictedTokens(read(initLine(), call, toolResultLine('')).gauge)).toBe(30_284);
    expect(predictedTokens(read(initLine(), call, userLine('xxxx')).gauge)).toBe(30_002 + thought);
  });

  it('learns from the calls of the session', () => {
    // Every round adds 20,000 characters, which turn out to be 10,000 tokens and not 5,000.
    const round = (at: number) => [toolResultLine('x'.repeat(20_000)), callLine(30_000 + at * 10_000)];
    const { gauge } = read(initLine(), callLine(30_000), ...[1, 2, 3, 4, 5, 6].flatMap(round));
    expect(gauge.lastPrediction).toBeGreaterThan(88_400);
    expect(gauge.lastPrediction).toBeLessThan(91_000);
  });
});

describe('meters of subagents', () => {
  it('are separate', () => {
    const { work, gauge } = read(...cut('subagent.ndjson', 0, 12));
    expect(work.agents.all).toMatchObject({ toolu_standin_0001: { used: 9_400, peak: 9_400, calls: 2 } });
    expect(gauge.peak).toBe(21_900);
  });

  it.each(['__proto__', 'constructor'])('count a subagent with the name %s', (parent_tool_use_id) => {
    const { work } = read(initLine(), callLine(5_000, { parent_tool_use_id }));
    expect(Object.entries(work.agents.all)).toMatchObject([[parent_tool_use_id, { peak: 5_000, calls: 1 }]]);
  });
});

describe('hostile lines', () => {
  it('a tool input nested 10,000 deep does not stop the gauge', () => {
    const input: unknown = JSON.parse(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`);
    const { gauge } = read(initLine(), answer(30_000, [{ type: 'tool_use', id: 't', name: 'Bash', input }]));
    expect(gauge.used).toBe(30_000);
  });
});

describe('the cost', () => {
  it.each([
    { name: 'is the last total', totals: [0.1, 0.3], usd: 0.3 },
    { name: 'goes on where claude starts to count anew', totals: [0.5, 0, 0.25], usd: 0.75 },
  ])('$name', ({ totals, usd }) => {
    const { limits } = read(initLine(), ...totals.map((total_cost_usd) => resultLine({ total_cost_usd })));
    expect(toUsd(totalMicroUsd(limits.cost))).toBe(usd);
  });

  it('is unknown before claude reports it', () => {
    expect(read(initLine()).limits.cost.known).toBe(false);
  });
});
