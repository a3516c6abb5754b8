import { describe, expect, it } from 'vitest';
import { DEFAULTS } from '../../../../src/config/defaults.ts';
import { type HealthRecord, statusOf, zoneAt } from '../../../../src/core/governor/zones/zones.ts';
import { vectorsOf } from '../../../support/recordings.ts';

const WINDOW = 200_000;

/** A policy with these levels for `warning` and `critical`, and no handoff below the window's end. */
function levels(warning: number, critical: number) {
  return {
    ...DEFAULTS,
    thresholds: { ...DEFAULTS.thresholds, warn: critical, compact: 10 * WINDOW, handoff: 10 * WINDOW },
    zones: { ...DEFAULTS.zones, monitor: 0.01, warning },
  };
}

describe('color of the context: warning is yellow, critical is red', () => {
  const STATUS_OF: Readonly<Record<string, HealthRecord['status']>> = { yellow: 'warning', 'red bold': 'critical' };

  it.each(vectorsOf<{ context_pct: number }, string>('context-colour'))('$id: $name', ({ input, expected }) => {
    const tokens = (input.context_pct / 100) * WINDOW;
    expect(statusOf(zoneAt(tokens, WINDOW, levels(0.5, 0.8)))).toBe(STATUS_OF[expected]);
  });
});

interface Flagging {
  readonly context_window?: number;
  readonly warning_threshold?: number;
  readonly ops: readonly { readonly update?: { readonly input_tokens: number } }[];
}

interface Flags {
  readonly should_warn: boolean;
}

describe('critical begins where the warning is given', () => {
  const FLAGGING = vectorsOf<Flagging, { readonly after_each_op: readonly Flags[] }>('threshold-latching');

  // Zones know no past: the cases with more than one reading are about latches.
  it.each(FLAGGING.filter(({ input }) => input.ops.length === 1))('$id: $name', ({ input, expected }) => {
    const { context_window = WINDOW, warning_threshold = 0.7, ops } = input;
    const policy = levels(warning_threshold / 2, warning_threshold);
    const zone = zoneAt(ops[0]?.update?.input_tokens ?? 0, context_window, policy);
    expect(statusOf(zone) === 'critical').toBe(expected.after_each_op[0]?.should_warn);
  });
});

interface Boundary {
  readonly has_budget?: boolean;
  readonly events: readonly { readonly input_tokens: number }[];
}

describe('the published state at a turn boundary', () => {
  const BOUNDARY = vectorsOf<Boundary, { readonly published: readonly object[] }>('turn-boundary-check');

  it.each(BOUNDARY)('$id: $name', ({ input, expected }) => {
    const window = input.has_budget === false ? 0 : WINDOW;
    const zones = input.events.map(({ input_tokens }) => zoneAt(input_tokens, window, DEFAULTS));
    expect(zones.filter((zone) => zone === 'critical').length).toBe(expected.published.length);
  });
});

interface Recorded {
  readonly record?: readonly (readonly [string, number])[];
}

interface Warned {
  readonly remaining?: number;
  readonly stored_warnings?: readonly (readonly [string, string])[];
  readonly throws?: string;
}

/** There the last 20,000 of 100,000 tokens are low, the last 10,000 critical; both levels are tokens. */
const BUDGET = 100_000;
const BUDGET_LEVELS = levels(BUDGET - 20_000 + 1, BUDGET - 10_000 + 1);

const WARNINGS = vectorsOf<Recorded, Warned>('budget-warning');

/** About the name of a category; here there is one context and no categories. */
const NO_LEVEL = ['ef-034'];

describe('the remaining budget', () => {
  it.each(WARNINGS.filter(({ id }) => !NO_LEVEL.includes(id)))('$id: $name', ({ expected }) => {
    const zone = zoneAt(BUDGET - (expected.remaining ?? 0), BUDGET, BUDGET_LEVELS);
    // The newest warning comes first.
    const [level] = expected.stored_warnings?.[0] ?? [];
    expect(zone).toBe(level === 'low' ? 'warning' : level);
  });
});
