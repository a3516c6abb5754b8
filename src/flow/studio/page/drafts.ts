import { type BudgetKey, type BudgetsView, type Edit, type FlowView, PROFILE } from '../studio-view.ts';

/** Edits that are not in the file yet. */
export interface Drafts {
  list(): readonly Edit[];
  has(step: string | null, key: BudgetKey): boolean;
  /** Adds an edit, or removes it where the file says the same. */
  set(edit: Edit, saved: FlowView): void;
  /** Drops edits that the file says already, and those of steps that are gone, which it returns. */
  keep(saved: FlowView | undefined): readonly Edit[];
  /** Drops saved edits, except those that were typed over since. */
  drop(written: readonly Edit[]): void;
  clear(): void;
  /** The flow with the edits as its own budgets. */
  appliedTo(flow: FlowView): FlowView;
}

export function createDrafts(): Drafts {
  const edits = new Map<string, Edit>();
  const name = (step: string | null, key: BudgetKey) => `${step ?? ''}/${key}`;

  function set(edit: Edit, saved: FlowView): void {
    const written = levelOf(saved, edit.step)?.own[edit.key] ?? '';
    if (edit.value.trim() === written) edits.delete(name(edit.step, edit.key));
    else edits.set(name(edit.step, edit.key), edit);
  }

  function withOwn(level: BudgetsView, step: string | null): BudgetsView {
    const mine = [...edits.values()].filter((edit) => edit.step === step).map(({ key, value }) => [key, value]);
    return { ...level, own: { ...level.own, ...Object.fromEntries(mine) } };
  }

  return {
    list: () => [...edits.values()],
    has: (step, key) => edits.has(name(step, key)),
    set,
    keep(saved) {
      if (saved === undefined) return [];
      const lost = [...edits.values()].filter(({ step }) => levelOf(saved, step) === undefined);
      for (const { step, key } of lost) edits.delete(name(step, key));
      for (const edit of [...edits.values()]) set(edit, saved);
      return lost;
    },
    drop(written) {
      for (const edit of written) {
        const place = name(edit.step, edit.key);
        if (edits.get(place) === edit) edits.delete(place);
      }
    },
    clear: () => edits.clear(),
    appliedTo: (flow) => ({
      ...flow,
      profile: flow.profile && { ...flow.profile, budgets: withOwn(flow.profile.budgets, PROFILE) },
      budgets: withOwn(flow.budgets, null),
      steps: flow.steps.map((step) => ({ ...step, budgets: withOwn(step.budgets, step.id) })),
    }),
  };
}

/** The budgets of a level, as an edit names it. */
export function levelOf(flow: FlowView, step: string | null): BudgetsView | undefined {
  if (step === PROFILE) return flow.profile?.budgets;
  return step === null ? flow.budgets : flow.steps.find(({ id }) => id === step)?.budgets;
}
