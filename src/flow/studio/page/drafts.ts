import { type BudgetKey, type BudgetsView, type Edit, type FlowView, PROFILE } from '../studio-view.ts';

export function createDrafts() {
  const edits = new Map<string, Edit>();
  const name = (step: string | null, key: BudgetKey) => `${step ?? ''}/${key}`;

  /** Adds an edit, or removes it where the file says the same. */
  function set(edit: Edit, saved: FlowView): void {
    const written = levelOf(saved, edit.step)?.own[edit.key] ?? '';
    if (edit.value.trim() === written) edits.delete(name(edit.step, edit.key));
    else edits.set(name(edit.step, edit.key), edit);
  }

  return {
    list: (): readonly Edit[] => [...edits.values()],
    get: (step: string | null, key: BudgetKey): string | undefined => edits.get(name(step, key))?.value,
    set,
    /** Drops edits that the file says already, and those of steps that are gone, which it returns. */
    keep(saved: FlowView | undefined): readonly Edit[] {
      if (saved === undefined) return [];
      const lost = [...edits.values()].filter(({ step }) => levelOf(saved, step) === undefined);
      for (const { step, key } of lost) edits.delete(name(step, key));
      for (const edit of [...edits.values()]) set(edit, saved);
      return lost;
    },
    /** Drops saved edits, except those that were typed over since. */
    drop(written: readonly Edit[]): void {
      for (const edit of written) {
        const place = name(edit.step, edit.key);
        if (edits.get(place) === edit) edits.delete(place);
      }
    },
    clear: () => edits.clear(),
  };
}

export type Drafts = ReturnType<typeof createDrafts>;

/** The budgets of a level, as an edit names it. */
export function levelOf(flow: FlowView | undefined, step: string | null): BudgetsView | undefined {
  if (step === PROFILE) return flow?.profile?.budgets;
  return step === null ? flow?.budgets : flow?.steps.find(({ id }) => id === step)?.budgets;
}
