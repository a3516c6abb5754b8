import type { BudgetChanges, Budgets } from '../../config/flow-settings.ts';
import { CHARS_PER_TOKEN, eachBudget, type Preset, presetBudgets, REFERENCE_WINDOW } from './budgets.ts';
import { type BudgetWarning, guardBudgets } from './guardrails.ts';

/** Where a budget can be set, the last word last. */
export const LEVELS = ['global', 'profile', 'flow', 'step'] as const;

export type Level = (typeof LEVELS)[number];

/** What set a value: a level by itself, or by the preset that it names. */
export type BudgetSource = 'default' | Level | `preset ${Preset} (${Level})`;

export interface SourcedBudget {
  /** Code points. */
  readonly value: number;
  readonly source: BudgetSource;
}

export type SourcedBudgets = { readonly [K in keyof Budgets]: SourcedBudget };

/** What every level says; a level that says nothing may be left out. */
export type BudgetLevels = { readonly [L in Level]?: BudgetChanges | undefined };

/** What is known of the model that a pack is for. */
export interface ModelFigures {
  /** Default 200,000. Presets and defaults are in proportion to it; `contextBudgetTokens` may be a share of it. */
  readonly windowTokens?: number | undefined;
  /** Code points of a token, default 4; a measured figure makes `contextBudgetTokens` exact. */
  readonly charsPerToken?: number | undefined;
}

export interface ResolvedBudgets {
  readonly values: SourcedBudgets;
  /** The same without their sources, for `pack`. */
  readonly budgets: Budgets;
  readonly warnings: readonly BudgetWarning[];
}

/** The effective budgets after all levels and guardrails. */
export function resolveBudgets(levels: BudgetLevels, model: ModelFigures = {}): ResolvedBudgets {
  const { values, warnings } = guardBudgets(settleBudgets(levels, model));
  return { values, budgets: eachBudget((field) => values[field].value), warnings };
}

/**
 * What the levels say, before any guardrail. Each value is replaced whole by the highest level that has one (0 is one), and
 * keeps its source. In one level a value of its own stands above tokens, and tokens above a preset; only the budget of the
 * whole is taken from the tokens where both are given.
 */
export function settleBudgets(levels: BudgetLevels, model: ModelFigures = {}): SourcedBudgets {
  const sizes = presetBudgets('balanced', model.windowTokens);
  const defaults: SourcedBudgets = eachBudget((field) => ({ value: sizes[field], source: 'default' }));
  return LEVELS.reduce((values, level) => changed(values, level, levels[level] ?? {}, model), defaults);
}

function changed(values: SourcedBudgets, level: Level, changes: BudgetChanges, model: ModelFigures): SourcedBudgets {
  const base = inTokens(inPreset(values, level, changes, model), level, changes, model);
  return eachBudget((field) => {
    const own = changes[field];
    const fromTokens = field === 'contextBudgetChars' && changes.contextBudgetTokens !== undefined;
    return own === undefined || fromTokens ? base[field] : { value: own, source: level };
  });
}

function inPreset(values: SourcedBudgets, level: Level, { preset }: BudgetChanges, model: ModelFigures) {
  if (preset === undefined) return values;
  const sizes = presetBudgets(preset, model.windowTokens);
  return eachBudget((field): SourcedBudget => ({ value: sizes[field], source: `preset ${preset} (${level})` }));
}

/** The whole by tokens; its parts keep their proportion to it. */
function inTokens(values: SourcedBudgets, level: Level, { contextBudgetTokens }: BudgetChanges, model: ModelFigures) {
  if (contextBudgetTokens === undefined) return values;
  const { windowTokens = REFERENCE_WINDOW, charsPerToken = CHARS_PER_TOKEN } = model;
  const tokens = contextBudgetTokens <= 1 ? contextBudgetTokens * windowTokens : contextBudgetTokens;
  const whole = Math.round(tokens * charsPerToken);
  // A whole of 0 has no proportion to its parts; the guardrails raise them.
  const factor = whole / (values.contextBudgetChars.value || whole || 1);
  return eachBudget((field): SourcedBudget => ({ value: Math.round(values[field].value * factor), source: level }));
}
