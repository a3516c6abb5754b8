import { describe, expect, it } from 'vitest';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { boundaryLine, callLine, initLine, type Line, runWith, toolResultLine } from '../support/governor.ts';
import { asRead, fixture, linesOf, TRANSCRIPTS } from '../support/recordings.ts';
import { unmasked } from '../support/unmasked.ts';
import { callsAsStream } from './as-stream.ts';
import { errorsOf, quantilesOf } from './errors.ts';

function callsOf(lines: readonly string[]) {
  const replay = createSessionReplay({ run: runWith({ mode: 'replay' }), series: true, mask: unmasked });
  for (const line of lines) replay.line(asRead(line));
  return replay.summary('x').series ?? [];
}

const errors = (...lines: readonly Line[]) => errorsOf(callsOf(lines.map((line) => JSON.stringify(line))));

describe('errors of the predicted next call', () => {
  it('are shares of the measured size', () => {
    // 4,000 letters are 1,050 tokens or so.
    const [error] = errors(initLine(), callLine(30_000), toolResultLine('x'.repeat(4_000)), callLine(40_000));
    expect(error).toBeCloseTo(((40_000 - 31_050) / 40_000) * 100, 0);
  });

  it('leave out first calls, those of a context that was replaced, and those after a drop', () => {
    const lines = [callLine(60_000), callLine(61_000), boundaryLine('auto', 61_000), callLine(31_000), callLine(9_000)];
    expect(errors(initLine(), ...lines, callLine(9_100))).toHaveLength(2);
  });

  it('differ for a session log if it is read like a stream', () => {
    const path = fixture('crossing.session.jsonl');
    const [logged, streamed] = [errorsOf(callsOf(linesOf(path))), errorsOf(callsAsStream(path))];
    expect(streamed).toHaveLength(logged.length);
    expect(streamed).not.toEqual(logged);
  });

  it.runIf(TRANSCRIPTS.length > 0)('are small in published sessions', () => {
    const [median, p90, p99] = quantilesOf(TRANSCRIPTS.flatMap(({ path }) => errorsOf(callsOf(linesOf(path)))));
    expect(median).toBeLessThan(0.03);
    expect(p90).toBeLessThan(0.2);
    expect(p99).toBeLessThan(2.5);
  });
});
