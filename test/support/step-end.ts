import type { StepEnd } from '../../src/flow/run/run-step.ts';

/** An attempt that was done, but for what a test says of it. */
export function stepEnd(end: Partial<StepEnd> = {}): StepEnd {
  return {
    exitCode: 0,
    output: '',
    error: undefined,
    sessionId: undefined,
    peakTokens: 31_000,
    calls: 2,
    firstTokens: 21_000,
    costUsd: 0.25,
    durationMs: 1_200,
    ...end,
  };
}
