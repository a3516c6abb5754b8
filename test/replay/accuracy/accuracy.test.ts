import { describe, expect, it } from 'vitest';
import { type Accuracy, mergeAccuracy, NO_ACCURACY } from '../../../src/replay/accuracy/accuracy.ts';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import {
  boundaryLine,
  callLine,
  initLine,
  type Line,
  resultLine,
  runWith,
  toolResultLine,
  userLine,
} from '../../support/governor.ts';
import { asRead, FIXTURE_RECORDINGS, linesOf } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

function accuracyOf(lines: readonly string[]): Accuracy {
  const replay = createSessionReplay({
    run: runWith({ mode: 'replay' }),
    series: false,
    accuracy: true,
    mask: unmasked,
  });
  for (const line of lines) replay.line(asRead(line));
  return replay.summary('x').accuracy ?? NO_ACCURACY;
}

const of = (...lines: readonly Line[]) => accuracyOf(lines.map((line) => JSON.stringify(line)));

const known = (used: number, output: number): Line => {
  const line = callLine(used);
  const message = line.message as Line;
  return {
    ...line,
    message: { ...message, stop_reason: 'tool_use', usage: { ...(message.usage as Line), output_tokens: output } },
  };
};

const medians = (by: Accuracy['calls']) =>
  Object.fromEntries(Object.entries(by).map(([name, { tokens }]) => [name, Math.round(tokens.median ?? -1)]));

describe('what each estimator takes the next call for', () => {
  it('on the same lines', () => {
    // 4,000 letters come in and turn out to be 1,054 tokens, after an answer of 100.
    const lines = [initLine(), userLine('x'.repeat(350)), known(30_000, 100), toolResultLine('x'.repeat(4_000))];
    const { calls } = of(...lines, known(31_154, 5));
    const near = (exact: number) => expect.closeTo(exact, -Math.log10(exact * 0.02));
    expect(medians(calls)).toEqual({
      ctxb: 0,
      last: near(1_154),
      output: near(1_054),
      quarter: near(54),
      characters: near(31_154 - 8_000 - 100 - 1_143),
      overhead: near(31_154 - Math.trunc((87 + 1_000) * 1.3)),
    });
  });

  it('the sum of a turn as a result gives it, and where there is none, of its calls', () => {
    const turn = [userLine('a'), callLine(30_000), callLine(31_000)];
    const usage = { input_tokens: 61_500, output_tokens: 5 };
    const { calls: stream } = of(initLine(), ...turn, resultLine({ usage }), userLine('b'), callLine(31_100));
    expect(stream.summed?.tokens.median).toBeCloseTo(30_400, -3);
    const { calls: log } = of(...turn, userLine('b'), callLine(31_100));
    expect(log.summed?.tokens.median).toBeCloseTo(29_900, -3);
  });
});

describe('what is compared', () => {
  it('no first call, none of a context that was replaced, and none after a drop', () => {
    const lines = [callLine(60_000), callLine(61_000), boundaryLine('auto', 61_000), callLine(31_000), callLine(9_000)];
    const { apart, calls } = of(initLine(), ...lines, callLine(9_100));
    expect(apart).toEqual({ first: 2, dropped: 1 });
    expect(calls.ctxb?.tokens.count).toBe(2);
  });

  it('says what the recording lacks', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'A' } };
    const { lacking, complete, calls, sources } = of(
      initLine(),
      known(30_000, 10),
      toolResultLine('a'),
      callLine(30_100),
      toolResultLine('b'),
      known(30_200, 10),
      userLine([{ type: 'tool_result', tool_use_id: 't', content: [image] }]),
      known(31_800, 10),
    );
    expect(lacking).toEqual({ output: 1, pictures: 1 });
    expect([calls.ctxb?.tokens.count, complete.ctxb?.tokens.count]).toEqual([3, 1]);
    expect(sources.picture?.tokens.count).toBe(1);
  });

  it('predictions before a compaction with what claude says of it', () => {
    const { boundaries } = of(
      initLine(),
      known(60_000, 100),
      toolResultLine('x'.repeat(400)),
      boundaryLine('auto', 60_200),
    );
    expect(boundaries.quarter?.tokens.median).toBe(0);
    expect(boundaries.last?.percent.median).toBeCloseTo((200 / 60_200) * 100, 2);
  });
});

describe('merging', () => {
  const found = FIXTURE_RECORDINGS.map(({ path }) => accuracyOf(linesOf(path)));

  it('is associative and commutative, and nothing is neutral', () => {
    for (const [at, a] of found.entries()) {
      const b = found[(at + 3) % found.length] ?? NO_ACCURACY;
      const c = found[(at + 7) % found.length] ?? NO_ACCURACY;
      expect(mergeAccuracy(mergeAccuracy(a, b), c)).toEqual(mergeAccuracy(a, mergeAccuracy(b, c)));
      expect(mergeAccuracy(a, b)).toEqual(mergeAccuracy(b, a));
      expect(mergeAccuracy(a, NO_ACCURACY)).toEqual(a);
    }
  });

  it('counts every call once', () => {
    const calls = (accuracy: Accuracy) => accuracy.calls.ctxb?.tokens.count ?? 0;
    const total = found.reduce(mergeAccuracy, NO_ACCURACY);
    expect(calls(total)).toBe(found.reduce((sum, each) => sum + calls(each), 0));
    expect(calls(total)).toBeGreaterThan(5);
  });
});
