import { type BudgetKey, type BudgetsView, type Edit, type FlowView, PROFILE } from '../studio-view.ts';

export function createDrafts() {
  let edits: readonly Edit[] = [];
  const isSaved = ({ step, key, value }: Edit, saved: FlowView) =>
    value.trim() === (levelOf(saved, step)?.own[key] ?? '');
  return {
    list: () => edits,
    get: (step: Edit['step'], key: BudgetKey) => edits.find((edit) => edit.step === step && edit.key === key)?.value,
    /** Adds an edit, or removes it where the file says the same. */
    set(edit: Edit, saved: FlowView): void {
      const others = edits.filter(({ step, key }) => step !== edit.step || key !== edit.key);
      edits = isSaved(edit, saved) ? others : [...others, edit];
    },
    /** Drops edits that the file says already, and those of steps that are gone, which it returns. */
    keep(saved: FlowView | undefined): readonly Edit[] {
      if (saved === undefined) return [];
      const lost = edits.filter(({ step }) => levelOf(saved, step) === undefined);
      edits = edits.filter((edit) => !lost.includes(edit) && !isSaved(edit, saved));
      return lost;
    },
    /** Drops saved edits, except those that were typed over since. */
    drop(written: readonly Edit[]): void {
      edits = edits.filter((edit) => !written.includes(edit));
    },
    clear(): void {
      edits = [];
    },
  };
}

export type Drafts = ReturnType<typeof createDrafts>;

/** The budgets of a level, as an edit names it. */
export function levelOf(flow: FlowView | undefined, step: Edit['step']): BudgetsView | undefined {
  if (step === PROFILE) return flow?.profile?.budgets;
  return step === null ? flow?.budgets : flow?.steps.find(({ id }) => id === step)?.budgets;
}
