import { describe, expect, it } from 'vitest';
import {
  type Calibration,
  calibrate,
  calibrationFor,
  estimateTokens,
  learnedCharsPerToken,
  measureContent,
  nativeTokens,
  UNCALIBRATED,
} from '../../../../src/core/governor/gauge/estimator.ts';
import { sizeOf } from '../../../../src/core/governor/gauge/text-size.ts';
import { expectedTokens } from '../../../../src/core/governor/gauge/token-estimate.ts';
import type { Block, ToolResult } from '../../../../src/core/protocol/block.ts';

const result = (text: string, more = {}): Block => ({
  type: 'tool_result',
  toolUseId: 't',
  isError: false,
  text,
  images: 0,
  definitions: [],
  ...more,
});

const tokensOf = (block: Block) => estimateTokens(measureContent([block]), UNCALIBRATED);

describe('tokens of a text', () => {
  it.each([
    { name: 'nothing', text: '', tokens: 0 },
    { name: 'a word, whose letters hardly count', text: 'abcdefghij', tokens: 0.96 + 9 * 0.05 },
    { name: 'letters that are no word', text: 'a'.repeat(100), tokens: 0.96 + 11 * 0.05 + 88 * 0.26 },
    { name: 'words, whose spaces are theirs', text: 'ab cd', tokens: 2 * (0.96 + 0.05) + 0.02 },
    { name: 'capitals', text: 'ABCDEFGHIJ', tokens: 0.53 + 9 * 0.32 },
    { name: 'digits', text: '0123456789', tokens: 1.09 + 9 * 0.27 },
    { name: 'an indentation', text: `\n${' '.repeat(8)}`, tokens: 0.56 + 0.02 + 0.17 + 6 * 0.07 },
    { name: 'marks', text: '{"a":[]}', tokens: 2 * 1.01 + 0.3 + 0.96 + 4 * 0.3 },
    { name: 'a line of the same mark', text: '='.repeat(80), tokens: 1.01 + 0.17 + 78 * 0.07 },
    { name: 'hexadecimal', text: '4f9a', tokens: 2 * (1.09 + 0.96) },
    { name: 'characters beyond ASCII, of two units too', text: 'é漢😀', tokens: 1.1 + 1.2 + 1.1 + 0.95 },
  ])('$name', ({ text, tokens }) => {
    expect(expectedTokens(text)).toBeCloseTo(tokens, 6);
  });
});

it('estimates a long text from pieces spread over it', () => {
  const [head, body] = ['#='.repeat(1_000), 'word '.repeat(40_000)];
  const exact = expectedTokens(head) + expectedTokens('word '.repeat(400)) * 100;
  expect(expectedTokens(head + body) / exact).toBeCloseTo(1, 1);
});

describe('tokens of a block', () => {
  it.each([
    { name: 'a result', block: result('abcd'), tokens: 17 },
    { name: 'a picture in a result', block: result('', { images: 1 }), tokens: 1_615 },
    { name: 'tools that were looked up', block: result('', { definitions: ['WebFetch', 'mcp__x__y'] }), tokens: 1_025 },
    {
      name: 'a reminder whose text no log has',
      block: { type: 'other', name: 'attachment/task_reminder' },
      tokens: 105,
    },
    { name: 'a plan that the log shows', block: use('ExitPlanMode', { plan: 'Look. '.repeat(500) }), tokens: 68 },
    {
      name: 'a call, with names and values but without the escapes of JSON',
      block: { type: 'tool_use', id: 't', name: 'Edit', input: { to: ['\n\n', 7, true, null] } },
      tokens: Math.ceil(55 + 1.2 + 2 * 4 + 1.01 + 0.73 + 1.09 + 1.11),
    },
    { name: 'a thought that is shown whole', block: thought('a'.repeat(577), 1_000), tokens: 159 },
    { name: 'a thought that is shown as a summary', block: thought('a'.repeat(100), 1_000), tokens: 151 },
    { name: 'a thought that is not shown', block: thought('', 1_000), tokens: 161 },
    { name: 'a thought without a signature', block: thought('a'.repeat(99), 0), tokens: 35 },
  ] satisfies readonly { name: string; block: Block; tokens: number }[])('$name', ({ block, tokens }) => {
    expect(tokensOf(block)).toBe(tokens);
  });

  it('a list of many parts does not stop the estimate', () => {
    const input = Array.from({ length: 300_000 }, () => 'a');
    expect(tokensOf({ type: 'tool_use', id: 't', name: '', input })).toBeGreaterThan(70_000);
  });

  it.each([
    { name: 'a small one', size: { width: 320, height: 200 }, earlier: 12 * 8, newer: 12 * 8 },
    { name: 'a screen', size: { width: 1440, height: 900 }, earlier: 1_568, newer: 52 * 33 },
    { name: 'a wide one', size: { width: 1999, height: 406 }, earlier: 56 * 12, newer: 72 * 15 },
    { name: 'a large one', size: { width: 3000, height: 3000 }, earlier: 1_568, newer: 4_784 },
  ])("a picture takes squares of 28 pixels, up to the model's resolution: $name", ({ size, earlier, newer }) => {
    const taken = (model: string) =>
      [{ type: 'image', size } as const, result('', { images: 2, sizes: [size] })].map((block) =>
        estimateTokens(measureContent([block]), calibrationFor(model, UNCALIBRATED)),
      );
    expect(taken('claude-opus-4-6')).toEqual([earlier, earlier + 1_600 + 15]);
    expect(taken('claude-opus-4-8')).toEqual([newer, newer + 1_600 + 20]);
  });

  it('claude itself assumes four characters per token', () => {
    expect(nativeTokens(measureContent([result('x'.repeat(401), { images: 1 })]))).toBe(101 + 1_600);
  });
});

function use(name: string, input: object): Block {
  return { type: 'tool_use', id: 't', name, input };
}

function thought(text: string, signatureLength: number): Block {
  return { type: 'thinking', text, signatureLength };
}

describe('learning from the calls of a session', () => {
  const content = measureContent([result('a'.repeat(10_000))]);
  const taught = (calls: number, tokens: number): Calibration => {
    let calibration = UNCALIBRATED;
    for (let call = 0; call < calls; call++) calibration = calibrate(calibration, content, tokens);
    return calibration;
  };

  it.each([
    { name: 'more', tokens: 3_600 },
    { name: 'less', tokens: 1_800 },
  ])('learns $name than expected, within some calls', ({ tokens }) => {
    expect(Math.abs(estimateTokens(content, taught(14, tokens)) / tokens - 1)).toBeLessThan(0.05);
  });

  it.each([
    { name: 'three times as much', tokens: 8_000 },
    { name: 'a third', tokens: 800 },
    { name: 'a drop', tokens: -50_000 },
  ])('learns nothing if $name came', ({ tokens }) => {
    expect(calibrate(UNCALIBRATED, content, tokens)).toBe(UNCALIBRATED);
  });

  it('changes by at most a third for one outlier', () => {
    expect(estimateTokens(content, taught(1, 7_000)) / estimateTokens(content, UNCALIBRATED)).toBeLessThan(1.35);
  });

  it('learns characters per token after enough calls', () => {
    expect(learnedCharsPerToken(UNCALIBRATED)).toBeUndefined();
    expect(learnedCharsPerToken(taught(20, 2_615))).toBeCloseTo(2.9, 2);
    expect(learnedCharsPerToken(taught(60, 3_600))).toBeLessThan(2.2);
  });
});

it('counts a tool result the same if it was measured before', () => {
  const block = result('two words', { images: 1, definitions: ['WebFetch'] }) as ToolResult;
  const measured = { ...block, text: '', size: sizeOf(block) };
  expect(measureContent([measured])).toEqual(measureContent([block]));
});

it.each(['two words', 'é中😀 a', 'word '.repeat(10_000)])('counts the units of a text like the text', (text) => {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  expect(expectedTokens(units)).toBe(expectedTokens(text));
});
