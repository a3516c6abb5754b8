import { describe, expect, it } from 'vitest';
import type { Oddity } from '../../../src/replay/observers/oddities.ts';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import {
  boundaryLine,
  callLine,
  initLine,
  type Line,
  runWith,
  toolResultLine,
  userLine,
} from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

function summaryOf(...lines: readonly Line[]) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: false, mask: unmasked });
  for (const line of lines) replay.line(asRead(JSON.stringify(line)));
  return replay.summary('x');
}

const odditiesOf = (...lines: readonly Line[]): readonly Oddity[] => summaryOf(...lines).oddities;

const callOf = (model: string, used: number, more: Line = {}): Line => {
  const line = callLine(used, more);
  return { ...line, message: { ...(line.message as Line), model } };
};

const allZero: Line = {
  type: 'assistant',
  message: { id: 'm0', model: 'x', content: [], usage: { input_tokens: 0, output_tokens: 0 } },
  parent_tool_use_id: null,
};

describe('a context that became smaller', () => {
  it('is reported with its place', () => {
    const found = odditiesOf(initLine(), callLine(153_000), toolResultLine('a'), callLine(129_000));
    expect(found).toMatchObject([{ kind: 'drop', count: 1, examples: [{ call: 2, line: 4, found: 129_000 }] }]);
  });

  it('is reported with another model', () => {
    const [first, second] = ['claude-sonnet-4-5', 'claude-opus-4-5'];
    const lines = [callOf(first, 89_533), userLine('b'), callOf(second, 60_383), userLine('c'), callOf(second, 60_688)];
    const { oddities, context } = summaryOf(...lines);
    expect(oddities).toMatchObject([{ kind: 'drop', count: 1 }]);
    expect(context).toMatchObject({ last: 60_688, peak: 89_533 });
  });

  it('is not reported after a compaction, or for a slightly high estimate', () => {
    const compacted = [callLine(153_000), boundaryLine('auto', 153_100), callLine(50_000)];
    expect(odditiesOf(initLine(), ...compacted, userLine('b'), callLine(49_900))).toEqual([]);
  });

  it('does not calibrate the estimator', () => {
    const result = toolResultLine('a'.repeat(4_000));
    const added = (...lines: readonly Line[]) => summaryOf(initLine(), ...lines).growth['other tools'] ?? 0;
    const once = added(callLine(153_000), result);
    expect(added(callLine(153_000), result, callLine(129_000), result)).toBe(2 * once);
  });

  it('keeps the first places, and counts all', () => {
    const saw = Array.from({ length: 20 }, (_, index) => callLine(index % 2 === 0 ? 100_000 : 60_000));
    const [drop] = odditiesOf(initLine(), ...saw);
    expect(drop).toMatchObject({ kind: 'drop', count: 10 });
    expect(drop?.examples.map(({ call }) => call)).toEqual([2, 4, 6, 8, 10]);
  });
});

describe('a call of another model in between', () => {
  const [main, small] = ['claude-opus-4-5', 'claude-haiku-4-5'];

  it('does not replace the reading', () => {
    const { oddities, context, calls } = summaryOf(
      callOf(main, 90_000),
      callOf(small, 1_200),
      toolResultLine('a'),
      callOf(main, 90_300),
    );
    expect(context).toMatchObject({ last: 90_300, peak: 90_300, peakCall: 2 });
    expect(calls).toBe(2);
    expect(oddities).toEqual([]);
  });

  it('replaces the reading after a second one', () => {
    const { context } = summaryOf(callOf(main, 90_000), callOf(small, 1_200), callOf(small, 1_300));
    expect(context.last).toBe(1_300);
  });

  it('replaces the reading if claude names its model', () => {
    const { context } = summaryOf(callOf(main, 90_000), initLine({ model: small }), callOf(small, 1_200));
    expect(context.last).toBe(1_200);
  });

  it('counts once on several lines', () => {
    const line = callOf(small, 1_200);
    const { context, calls } = summaryOf(callOf(main, 90_000), line, line, line, callOf(main, 90_300));
    expect(context).toMatchObject({ last: 90_300, peak: 90_300, peakCall: 2 });
    expect(calls).toBe(2);
  });
});

describe('other oddities', () => {
  it('report a compaction that left the context as large as it was', () => {
    const lines = [callLine(150_000), boundaryLine('auto', 150_400), callLine(149_000)];
    expect(odditiesOf(initLine(), ...lines)).toMatchObject([
      { kind: 'boundary-without-drop', count: 1, examples: [{ call: 2, expected: 150_400, found: 149_000 }] },
    ]);
  });

  it('report a window larger than assumed', () => {
    const large = [callLine(190_000), toolResultLine('a'.repeat(400_000)), callLine(295_350), callLine(296_000)];
    expect(odditiesOf(...large)).toEqual([]);
    expect(odditiesOf(initLine(), ...large)).toMatchObject([
      { kind: 'larger-window', count: 1, examples: [{ call: 2, line: 4, expected: 200_000, found: 295_350 }] },
    ]);
  });

  it('are no calls with all-zero usage', () => {
    const { oddities, context } = summaryOf(initLine(), callLine(30_000), allZero, allZero);
    expect(oddities).toEqual([]);
    expect(context.last).toBe(30_000);
  });

  it('are absent in an ordinary session, whatever subagents do', () => {
    const lines = [callLine(30_000), callOf('claude-haiku-4-5', 900, { parent_tool_use_id: 't' }), callLine(31_000)];
    expect(odditiesOf(initLine(), ...lines)).toEqual([]);
  });
});
