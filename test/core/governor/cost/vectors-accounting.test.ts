import { describe, expect, it } from 'vitest';
import { totalMicroUsd, toUsd } from '../../../../src/core/governor/cost/cost.ts';
import { peakShare } from '../../../../src/core/governor/gauge/model-windows.ts';
import { decodeLine, decodeObject } from '../../../../src/core/protocol/decode.ts';
import { type Line, policyWith, replayed } from '../../../support/governor.ts';
import { type Vector, vectorsOf } from '../../../support/recordings.ts';

interface Accounting {
  readonly events: readonly Line[];
  readonly context_window?: number;
  readonly compact_threshold?: number;
}

interface Accounted {
  readonly used_tokens: number;
  readonly utilization: number;
  readonly should_compact: boolean;
}

const ACCOUNTING = vectorsOf<Accounting, Accounted>('token-accounting');

function account({ events, context_window, compact_threshold }: Accounting) {
  const thresholds = { warn: 0.01, compact: compact_threshold ?? 0.78 };
  const policy = policyWith({ window: context_window ?? 200_000, thresholds, compaction: { target: 0.001 } });
  const { gauge, relief } = replayed(events.map(decodeObject), { policy });
  return {
    used_tokens: gauge.used,
    utilization: gauge.used / (gauge.window.tokens ?? 200_000),
    should_compact: relief.latch === 'compact' || relief.latch === 'spent',
  };
}

function caseOf<I, E>(vectors: readonly Vector<I, E>[], id: string): Vector<I, E> {
  const found = vectors.find((vector) => vector.id === id);
  if (!found) throw new Error(`no case ${id}`);
  return found;
}

const accountOf = (id: string) => account(caseOf(ACCOUNTING, id).input);

/** Judged by name below, with the reason. */
const ACCOUNTING_EXCEPTIONS = ['tp-016', 'tp-017', 'tp-020'];

describe('token accounting', () => {
  it.each(ACCOUNTING.filter(({ id, kind }) => kind === 'conform' && !ACCOUNTING_EXCEPTIONS.includes(id)))(
    '$id: $name',
    ({ input, expected }) => {
      const { used_tokens, utilization, should_compact } = expected;
      expect(account(input)).toEqual({ used_tokens, utilization, should_compact });
    },
  );
});

describe('token accounting: exceptions', () => {
  it.each(['tp-016', 'tp-017'])('%s: a window of 0 or less is no window; it still does not fire', (id) => {
    expect(accountOf(id)).toEqual({ used_tokens: 100, utilization: 0.0005, should_compact: false });
  });

  it('tp-020: an all-zero usage says nothing, so the last reading stays', () => {
    expect(accountOf('tp-020').used_tokens).toBe(90_000);
  });
});

describe('token accounting: known defects, fixed', () => {
  it('tp-007: a usage without input counts does not hide the counts at the top level', () => {
    expect(accountOf('tp-007').used_tokens).toBe(100);
  });

  it('tp-021: an explicit null is 0', () => {
    expect(accountOf('tp-021').used_tokens).toBe(10);
  });

  it('tp-024: the sum of a turn of several calls is no context; the last call is', () => {
    const [sum] = caseOf(ACCOUNTING, 'tp-024').input.events;
    const call = (id: string, cache_creation_input_tokens: number, cache_read_input_tokens: number): Line => ({
      type: 'assistant',
      message: { id, content: [], usage: { input_tokens: 5, cache_creation_input_tokens, cache_read_input_tokens } },
    });
    expect(account({ events: [{ ...sum, num_turns: 3 }] }).used_tokens).toBe(0);
    expect(account({ events: [call('m1', 24_483, 0), call('m2', 217, 24_688), { ...sum }] }).used_tokens).toBe(24_910);
  });
});

interface Stats {
  readonly events?: readonly Line[];
  readonly lines?: readonly string[];
}

interface Stat {
  readonly context_window: number;
  readonly context_tokens: number;
  readonly context_pct: number;
  readonly cost_usd: number;
}

const STATS = vectorsOf<Stats, readonly Stat[]>('stream-token-stats');

function decoded({ events, lines }: Stats) {
  return lines ? lines.map(decodeLine) : (events ?? []).map(decodeObject);
}

function stat(input: Stats): Stat {
  const { gauge, limits } = replayed(decoded(input));
  const { used, window } = gauge;
  const tokens = window.tokens ?? 200_000;
  const context_pct = Math.floor((used / tokens) * 100);
  return { context_window: tokens, context_tokens: used, context_pct, cost_usd: toUsd(totalMicroUsd(limits.cost)) };
}

describe('token figures of a stream', () => {
  it.each(STATS.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    const last = expected.at(-1);
    const figures = stat(input);
    if (last === undefined) expect(figures.context_tokens).toBe(0);
    else expect(last).toMatchObject(figures);
  });
});

describe('token figures of a stream: known defects, fixed', () => {
  const inputOf = (id: string) => caseOf(STATS, id).input;

  it('db-087: a line that is no object is malformed, and the next one is read', () => {
    const { lines = [] } = inputOf('db-087');
    expect(decoded({ lines })).toEqual([{ kind: 'malformed', isBlank: false }]);
    expect(stat({ lines: [...lines, '{"type":"result","usage":{"input_tokens":1}}'] }).context_tokens).toBe(1);
  });

  it('db-088: a context is never more than its window: the sum of several calls is not taken for one', () => {
    const [sum] = inputOf('db-088').events ?? [];
    expect(stat({ events: [{ ...sum, num_turns: 12 }] })).toMatchObject({ context_tokens: 0, context_pct: 0 });
    expect(peakShare(replayed(decoded(inputOf('db-088'))).gauge) ?? 0).toBeLessThanOrEqual(1);
  });

  it("db-090: a subagent's call does not move the main context, nor does the sum of the turn", () => {
    const { events = [] } = inputOf('db-090');
    const after = events.map((_, index) => stat({ events: events.slice(0, index + 1) }).context_tokens);
    expect(after).toEqual([24_424, 24_424, 26_555, 26_555]);
  });
});
