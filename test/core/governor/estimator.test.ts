import { describe, expect, it } from 'vitest';
import {
  type Calibration,
  calibrate,
  estimateTokens,
  expectedTokens,
  learnedCharsPerToken,
  measureContent,
  nativeTokens,
  UNCALIBRATED,
} from '../../../src/core/governor/gauge/estimator.ts';
import type { Block } from '../../../src/core/protocol/events.ts';

const result = (text: string, more = {}): Block => ({
  type: 'tool_result',
  toolUseId: 't',
  isError: false,
  text,
  images: 0,
  definitions: 0,
  ...more,
});

const tokensOf = (block: Block) => estimateTokens(measureContent([block]), UNCALIBRATED);

describe('tokens of a text', () => {
  it.each([
    { name: 'nothing', text: '', tokens: 0 },
    { name: 'letters', text: 'abcdefghij', tokens: 2.6 },
    { name: 'capitals', text: 'ABCDEFGHIJ', tokens: 3.5 },
    { name: 'digits', text: '0123456789', tokens: 4.5 },
    { name: 'space', text: ' \t\n\r ', tokens: 1.05 },
    { name: 'marks', text: '{"a":[]}', tokens: 7 * 0.84 + 0.26 },
    { name: 'characters beyond ASCII, of two units too', text: 'é漢😀', tokens: 4 * 0.92 },
    { name: 'a long text by its beginning', text: `${'a'.repeat(256)}${'#'.repeat(744)}`, tokens: 260 },
  ])('$name', ({ text, tokens }) => {
    expect(expectedTokens(text)).toBeCloseTo(tokens, 6);
  });
});

describe('tokens of a block', () => {
  it.each([
    { name: 'a result', block: result('abcd'), tokens: 17 },
    { name: 'a picture in a result', block: result('', { images: 1 }), tokens: 1_615 },
    { name: 'a tool that was looked up', block: result('', { definitions: 2 }), tokens: 2_015 },
    {
      name: 'a call, with names and values but without the escapes of JSON',
      block: { type: 'tool_use', id: 't', name: 'Edit', input: { to: ['\n\n', 7, true, null] } },
      tokens: Math.ceil(55 + 4 * 0.26 + 0.09 + 2 * 4 + 2 * 0.26 + 2 * 0.21 + 0.45 + 4 * 0.26),
    },
    { name: 'a thought that is shown whole', block: thought('a'.repeat(577), 1_000), tokens: 161 },
    { name: 'a thought that is shown as a summary', block: thought('a'.repeat(100), 1_000), tokens: 161 },
    { name: 'a thought that is not shown', block: thought('', 1_000), tokens: 161 },
    { name: 'a thought without a signature', block: thought('a'.repeat(99), 0), tokens: 36 },
  ] satisfies readonly { name: string; block: Block; tokens: number }[])('$name', ({ block, tokens }) => {
    expect(tokensOf(block)).toBe(tokens);
  });

  it('a list of many parts does not stop the judgement', () => {
    const input = Array.from({ length: 300_000 }, () => 'a');
    expect(tokensOf({ type: 'tool_use', id: 't', name: '', input })).toBeGreaterThan(70_000);
  });

  it('claude itself takes four characters for one', () => {
    expect(nativeTokens(measureContent([result('x'.repeat(401), { images: 1 })]))).toBe(101 + 1_600);
  });
});

function thought(text: string, signatureLength: number): Block {
  return { type: 'thinking', text, signatureLength };
}

describe('what the calls of a session teach', () => {
  const content = measureContent([result('a'.repeat(10_000))]);
  const taught = (calls: number, tokens: number): Calibration => {
    let calibration = UNCALIBRATED;
    for (let call = 0; call < calls; call++) calibration = calibrate(calibration, content, tokens);
    return calibration;
  };

  it.each([
    { name: 'more', tokens: 3_600 },
    { name: 'less', tokens: 1_800 },
  ])('$name than expected, within a few calls', ({ tokens }) => {
    expect(Math.abs(estimateTokens(content, taught(8, tokens)) / tokens - 1)).toBeLessThan(0.05);
  });

  it.each([
    { name: 'three times as much', tokens: 8_000 },
    { name: 'a third', tokens: 800 },
    { name: 'a drop', tokens: -50_000 },
  ])('nothing, where $name came', ({ tokens }) => {
    expect(calibrate(UNCALIBRATED, content, tokens)).toBe(UNCALIBRATED);
  });

  it('one call that is off moves it by no more than a third', () => {
    expect(estimateTokens(content, taught(1, 7_000)) / estimateTokens(content, UNCALIBRATED)).toBeLessThan(1.35);
  });

  it('characters a token, once enough was seen', () => {
    expect(learnedCharsPerToken(UNCALIBRATED)).toBeUndefined();
    expect(learnedCharsPerToken(taught(20, 2_615))).toBeCloseTo(2.9, 2);
    expect(learnedCharsPerToken(taught(60, 3_600))).toBeLessThan(2.2);
  });
});
