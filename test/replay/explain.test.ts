import { describe, expect, it } from 'vitest';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { explain } from '../../src/report/replay/explain.ts';
import { boundaryLine, callLine, initLine, type Line, runWith, toolResultLine, userLine } from '../support/governor.ts';
import { asRead, FIXTURE_RECORDINGS, linesOf } from '../support/recordings.ts';
import { summaryOf as sessionOf, written } from '../support/session-summary.ts';
import { unmasked } from '../support/unmasked.ts';

function summaryOf(lines: readonly string[], explain: string, series = false) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series, explain, mask: unmasked });
  for (const line of lines) replay.line(asRead(line));
  return replay.summary('x');
}

const explained = (explain: string, ...lines: readonly Line[]) =>
  summaryOf(
    lines.map((line) => JSON.stringify(line)),
    explain,
  ).explanation;

const wrote = (used: number, content: readonly object[], more: Line = {}): Line => {
  const line = callLine(used);
  return { ...line, message: { ...(line.message as Line), content, ...more } };
};

const tool = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: '/a' } };

const SESSION = [
  userLine('Look.'),
  wrote(30_000, [{ type: 'text', text: 'x'.repeat(100) }, tool], { id: 'msg_first' }),
  toolResultLine('a'.repeat(4_000)),
  userLine('never mind', { parent_tool_use_id: 'toolu_9' }),
  wrote(31_200, [], { id: 'msg_second' }),
  callLine(31_300),
];

describe('the explanation of a call', () => {
  it.each(['2', 'msg_second'])('finds a call by its number or id: %s', (call) => {
    expect(explained(call, ...SESSION)).toMatchObject({
      call: { number: 2, line: 5, context: 31_200, turn: 1, usd: expect.any(Number) },
      prediction: {
        used: 30_000,
        outputKnown: false,
        parts: [
          { line: 2, source: 'answer', block: 'text', chars: 100, tokens: 24.4, inOutput: true },
          { line: 2, source: 'answer', block: 'tool_use', inOutput: true },
          {
            line: 3,
            source: 'Read',
            block: 'tool_result',
            chars: 4_000,
            tokens: 1_053.4,
            inOutput: false,
          },
        ],
      },
    });
  });

  it.each([
    { name: 'the first', call: '1', lines: SESSION },
    {
      name: 'the first after a compaction',
      call: '2',
      lines: [callLine(90_000), boundaryLine('auto', 90_000), callLine(9_000)],
    },
  ])('has no prediction for $name', ({ call, lines }) => {
    expect(explained(call, ...lines)).toMatchObject({ call: { number: Number(call) }, prediction: null, error: null });
  });

  it.each(['0', '4', 'msg_none', ''])('is null for an unknown call: %j', (call) => {
    expect(explained(call, ...SESSION)).toBeNull();
  });

  it('shows the thoughts that a new prompt removes', () => {
    const thought = wrote(30_000, [{ type: 'thinking', thinking: 'x'.repeat(1_000), signature: '' }]);
    expect(explained('2', initLine(), thought, userLine('Go on.'), callLine(30_010))?.prediction).toMatchObject({
      parts: [
        { source: 'answer', tokens: 268.4 },
        { source: 'forgotten thoughts', tokens: -268.4 },
        { source: 'prompt', line: 3 },
      ],
    });
  });
});

describe('the figures add up', () => {
  it.each(FIXTURE_RECORDINGS)('in every call of $name', ({ path }) => {
    const lines = linesOf(path);
    for (const { number, predicted, context } of summaryOf(lines, '', true).series ?? []) {
      const found = summaryOf(lines, String(number)).explanation;
      expect(found?.prediction?.total ?? null).toBe(predicted);
      if (!found?.prediction) continue;
      const { total, used, output, outputKnown, added, parts } = found.prediction;
      const sum = (inOutput: boolean) =>
        parts.reduce((tokens, part) => tokens + (part.inOutput === inOutput ? part.tokens : 0), 0);
      expect(used + output + added).toBe(total);
      expect(Math.abs(added - sum(false))).toBeLessThan(1 + parts.length / 20);
      if (!outputKnown) expect(output).toBeGreaterThanOrEqual(sum(true) - parts.length / 20);
      expect(found.error?.tokens).toBe(total - context);
    }
  });
});

describe('as text', () => {
  it('prints everything in a table', () => {
    const explanation = explained('2', ...SESSION);
    if (!explanation) throw new Error('the call is there');
    expect(written(explain, [sessionOf({ explanation })])).toBe(`call 2: 31,200 tokens measured
  at        line 5 · turn 1 · claude-sonnet-4-5 · msg_second
  measured  4 new + 0 written to the cache + 31,196 read from it = 31,200
  predicted 30,000 of the call before + 95 of its output, as estimated + 1,054 added since = 31,149
  error     51 tokens too low (0.163 %)
  answer    1 tokens, estimated from what it wrote
  cost      $0.0094 at list prices

  what was added                    line  characters  tokens
  answer (text, in the output)         2         100      24
  answer (tool_use, in the output)     2          15      70
  Read (tool_result)                   3       4,000   1,053
`);
  });
});
