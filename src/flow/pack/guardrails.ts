import { BUDGET_FIELDS, type BudgetField, CEILING, eachBudget, FLOORS } from './budgets.ts';
import { grouped } from './characters.ts';
import type { BudgetSource, SourcedBudget, SourcedBudgets } from './resolve-budgets.ts';

/** Nobody means so much; a unit was mistaken. */
const SUSPICIOUS = 5_000_000;

/** The guardrail that a value met first. */
export type Guardrail = 'below_min' | 'above_max' | 'suspicious' | 'above_total';

/** A value that is not used as it was set. */
export interface BudgetWarning {
  readonly field: BudgetField;
  readonly kind: Guardrail;
  readonly set: number;
  readonly used: number;
  readonly source: BudgetSource;
  /** One line that starts with the field and says all of that. */
  readonly message: string;
}

interface Guarded {
  readonly used: number;
  /** The guardrails that it met, with the words for them. */
  readonly met: readonly { readonly kind: Guardrail; readonly why: string }[];
}

/** Keeps every budget between its floor and the ceiling, and the parts within the whole; one warning for each change. */
export function guardBudgets(values: SourcedBudgets): {
  values: SourcedBudgets;
  warnings: BudgetWarning[];
} {
  const total = guardSize('contextBudgetChars', values.contextBudgetChars.value);
  const guarded = eachBudget((field) =>
    field === 'contextBudgetChars' ? total : withinTotal(guardSize(field, values[field].value), total.used),
  );
  return {
    values: eachBudget((field) => ({ value: guarded[field].used, source: values[field].source })),
    warnings: BUDGET_FIELDS.flatMap((field) => warningOf(field, values[field], guarded[field])),
  };
}

function guardSize(field: BudgetField, set: number): Guarded {
  const floor = FLOORS[field];
  if (set > SUSPICIOUS) {
    const why = `far above the ceiling of ${grouped(CEILING)} (are these characters?)`;
    return { used: CEILING, met: [{ kind: 'suspicious', why }] };
  }
  if (set > CEILING) {
    return { used: CEILING, met: [{ kind: 'above_max', why: `above the ceiling of ${grouped(CEILING)}` }] };
  }
  // Said this way round, what is no number at all is raised, too.
  if (!(set >= floor))
    return { used: floor, met: [{ kind: 'below_min', why: `below the floor of ${grouped(floor)}` }] };
  return { used: Math.trunc(set), met: [] };
}

function withinTotal({ used, met }: Guarded, total: number): Guarded {
  if (used <= total) return { used, met };
  const why = `above contextBudgetChars, ${grouped(total)}`;
  return { used: total, met: [...met, { kind: 'above_total', why }] };
}

function warningOf(field: BudgetField, { value, source }: SourcedBudget, { used, met }: Guarded): BudgetWarning[] {
  const [first] = met;
  if (first === undefined) return [];
  const whys = met.map(({ why }) => why).join(', and ');
  const message = `${field}: ${grouped(value)} (${source}) is ${whys}; ${grouped(used)} is used`;
  return [{ field, kind: first.kind, set: value, used, source, message }];
}
