import type { RanStep } from '../../src/flow/run/conduct-flow.ts';

/** A finished step, with the changes of a test. */
export function stepEnd(measured: Partial<RanStep['measured']> = {}): RanStep {
  return {
    measured: {
      exit_code: 0,
      error: undefined,
      session_id: null,
      peak_tokens: 31_000,
      calls: 2,
      first_tokens: 21_000,
      cost_usd: 0.25,
      duration_ms: 1_200,
      ...measured,
    },
  };
}
