import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BudgetChanges, Budgets } from '../../../src/config/config.ts';
import { resolveConfig } from '../../../src/config/resolve-config.ts';
import {
  type BudgetLevels,
  type BudgetSource,
  LEVELS,
  type Level,
  PRESETS,
  type Preset,
  resolveBudgets,
  settleBudgets,
} from '../../../src/flow/pack/budgets.ts';
import { vectorsOf } from '../../support/recordings.ts';

/** Names of the budgets in the vectors. */
interface Sizes {
  readonly context_budget_chars?: number;
  readonly history_max_recent_chars?: number;
  readonly history_max_older_chars?: number;
}

function changesOf(sizes: Sizes = {}): BudgetChanges {
  const { context_budget_chars, history_max_recent_chars, history_max_older_chars } = sizes;
  return {
    ...(context_budget_chars === undefined ? {} : { contextBudgetChars: context_budget_chars }),
    ...(history_max_recent_chars === undefined ? {} : { historyRecentChars: history_max_recent_chars }),
    ...(history_max_older_chars === undefined ? {} : { historyOlderChars: history_max_older_chars }),
  };
}

function sizesOf({ contextBudgetChars, historyRecentChars, historyOlderChars }: Budgets): Sizes {
  return {
    context_budget_chars: contextBudgetChars,
    history_max_recent_chars: historyRecentChars,
    history_max_older_chars: historyOlderChars,
  };
}

describe('clamping', () => {
  interface Clamped {
    readonly result: number;
    readonly warnings: readonly string[];
  }

  it.each(vectorsOf<{ value: number }, Clamped>('budget-clamping'))('$id: $name', ({ input, expected }) => {
    const { budgets, warnings } = resolveBudgets({ step: { contextBudgetChars: input.value } });
    const own = warnings.filter(({ field }) => field === 'contextBudgetChars');
    expect({ result: budgets.contextBudgetChars, warnings: own.map(({ kind }) => kind) }).toEqual(expected);
  });
});

interface Overriding {
  readonly defaults?: Sizes;
  readonly profile?: Sizes;
  readonly flow?: Sizes;
  readonly step?: Sizes;
  readonly flow_key?: null;
  readonly step_id?: null;
  readonly child?: Sizes;
  readonly parent?: Sizes;
}

const OVERRIDES = vectorsOf<Overriding, Sizes & { readonly source?: string }>('override-resolution');

/** A level that does not apply is not handed in. */
function levelsOf({ profile, flow, step, flow_key, step_id }: Overriding): BudgetLevels {
  const hasFlow = flow_key !== null;
  return {
    profile: changesOf(profile),
    flow: hasFlow ? changesOf(flow) : undefined,
    step: hasFlow && step_id !== null ? changesOf(step) : undefined,
  };
}

function resolved(input: Overriding): Sizes & { source: BudgetSource | undefined } {
  const { budgets, values } = resolveBudgets(levelsOf(input));
  const sources = Object.values(values).map(({ source }) => source);
  const source = [...LEVELS].reverse().find((level) => sources.includes(level)) ?? 'default';
  return { ...sizesOf(budgets), source };
}

describe('override levels', () => {
  const isMerge = ({ input }: { input: Overriding }) => input.child !== undefined;
  const exceptions = ['fs-073'];

  it.each(OVERRIDES.filter((v) => v.kind === 'conform' && !isMerge(v) && !exceptions.includes(v.id)))(
    '$id: $name',
    ({ input, expected }) => {
      expect(resolved(input)).toEqual(expected);
    },
  );

  it.each(OVERRIDES.filter(isMerge))('$id: $name', ({ input, expected }) => {
    const values = settleBudgets({ flow: changesOf(input.parent), step: changesOf(input.child) });
    const { contextBudgetChars, historyRecentChars, historyOlderChars } = values;
    expect(
      sizesOf({
        contextBudgetChars: contextBudgetChars.value,
        historyRecentChars: historyRecentChars.value,
        historyOlderChars: historyOlderChars.value,
      }),
    ).toMatchObject(expected);
  });

  it('fs-073: each budget has its own floor, at most the value of the preset lean', () => {
    expect(resolved(OVERRIDES.find(({ id }) => id === 'fs-073')?.input ?? {})).toEqual({
      context_budget_chars: 10_000,
      history_max_recent_chars: 3_000,
      history_max_older_chars: 500,
      source: 'profile',
    });
  });
});

describe('override levels: known defects, fixed', () => {
  it('fs-070: a value keeps its source if later sources do not set it', () => {
    const input = OVERRIDES.find(({ id }) => id === 'fs-070')?.input ?? {};
    const { values } = resolveBudgets(levelsOf(input));
    expect(values.contextBudgetChars).toEqual({ value: 300_000, source: 'profile' });
    expect(values.historyRecentChars).toEqual({ value: 60_000, source: 'default' });
  });

  it('fs-080: the defaults are the same with and without a file', () => {
    expect(resolveBudgets({}).budgets).toEqual(PRESETS.balanced);
  });
});

interface Layers {
  readonly env?: string;
  readonly repo?: number;
  readonly pin?: number;
  readonly baseline?: number;
}

const LAYERS = vectorsOf<Layers, { readonly value: unknown; readonly source: string }>('layered-settings');

/** Other names, the same four layers. */
const LEVEL_OF: Readonly<Record<string, Level>> = { env: 'step', repo: 'flow', pin: 'profile', baseline: 'global' };

describe('layers', () => {
  it.each(LAYERS.filter(({ kind, id }) => kind === 'conform' && id !== 'fs-089'))(
    '$id: $name',
    ({ input, expected }) => {
      const levels = Object.fromEntries(
        Object.entries(input).map(([layer, value]) => [LEVEL_OF[layer], { contextBudgetChars: Number(value) }]),
      );
      const { value, source } = settleBudgets(levels).contextBudgetChars;
      expect({ value, source }).toEqual({ value: expected.value, source: LEVEL_OF[expected.source] });
    },
  );

  it('fs-089: every value has a default, which applies without any layer', () => {
    expect(settleBudgets({}).contextBudgetChars).toEqual({ value: 200_000, source: 'default' });
  });
});

describe('layers: known defects, fixed where text is read', () => {
  const envOf = (id: string) => LAYERS.find((vector) => vector.id === id)?.input.env ?? 'missing';

  async function windowFrom(text: string) {
    const cwd = mkdtempSync(join(tmpdir(), 'ctxb-pack-'));
    try {
      const { config, findings } = await resolveConfig({ cwd, env: { CTXB_WINDOW: text }, flags: {} });
      return { window: config.window, findings: findings.map(({ key }) => key) };
    } finally {
      rmSync(cwd, { recursive: true });
    }
  }

  it.each(['fs-090', 'fs-091', 'fs-092'])(
    '%s: a text that is no such number is refused, and never becomes another type',
    async (id) => {
      expect(await windowFrom(envOf(id))).toEqual({ window: undefined, findings: ['window'] });
    },
  );

  it('fs-093: an empty variable is not set', async () => {
    expect(await windowFrom(envOf('fs-093'))).toEqual({ window: undefined, findings: [] });
  });
});

describe('presets', () => {
  const presets = vectorsOf<{ preset?: Preset }, Sizes>('presets').filter(({ input }) => input.preset !== undefined);

  it.each(presets)('$id: $name', ({ input: { preset = 'balanced' }, expected }) => {
    expect(sizesOf(resolveBudgets({ step: { preset } }).budgets)).toEqual(expected);
  });
});
