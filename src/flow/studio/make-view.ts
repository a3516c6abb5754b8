import { basename } from 'node:path';
import type { BudgetChanges } from '../../config/flow-settings.ts';
import { lineDiff } from '../../report/line-diff.ts';
import { effectiveBudgets } from '../effective-budgets.ts';
import { orderSteps, type StepOrder } from '../file/order-steps.ts';
import { checkFlow } from '../file/read-flow.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { REFERENCE_WINDOW } from '../pack/budgets.ts';
import { editedKey, editFlow, ownBudgets } from './edit-flow.ts';
import type { BudgetsView, Edit, FlowView, StepView, StudioView } from './studio-view.ts';

/** A flow's file as it was read. */
export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** What is known beside the file. */
export interface ViewWorld {
  /** The last receipt of a step, as the page shows it. */
  readonly receiptOf: (flow: string, step: string) => StepView['receipt'];
  /** Tokens of the model's context window, default 200,000. */
  readonly window: number | undefined;
  /** The budgets of all flows. */
  readonly global: BudgetChanges;
}

/**
 * What the page shows of a file with edits. Edits with values that a flow cannot have are told as findings, and the rest
 * is shown as if they were not there.
 *
 * @throws CtxbError `usage` as `editFlow`
 */
export function makeView({ path, text, hash }: ReadFile, edits: readonly Edit[], world: ViewWorld): StudioView {
  const base = { file: basename(path), hash, diff: [] };
  const { flow, findings } = checkFlow(path, text);
  if (flow === undefined) return { ...base, findings, flow: undefined };
  const edited = goodEdits(path, text, edits);
  return {
    ...base,
    findings: edited.findings,
    flow: flowView(edited.flow ?? flow, ownBudgets(path, edited.text), world),
    diff: lineDiff(text, edited.text),
  };
}

function goodEdits(path: string, text: string, edits: readonly Edit[]) {
  const all = editFlow(path, text, edits);
  const { flow, findings } = checkFlow(path, all);
  if (flow !== undefined) return { text: all, flow, findings };
  const bad = new Set(findings.map(({ key }) => key));
  const good = editFlow(
    path,
    text,
    edits.filter((edit) => !bad.has(editedKey(path, text, edit))),
  );
  return { text: good, flow: checkFlow(path, good).flow, findings };
}

/** A step that says nothing itself. */
const NOTHING = { budgets: {}, model: undefined };

type Own = ReturnType<typeof ownBudgets>;

function flowView(flow: Flow, own: Own, { receiptOf, global, window }: ViewWorld): FlowView {
  const budgetsOf = (levels: Flow, step: Pick<FlowStep, 'budgets' | 'model'>) =>
    effectiveBudgets(levels, step, { global, model: { windowTokens: window } });
  const ofFlow = budgetsOf(flow, NOTHING);
  const without = budgetsOf({ ...flow, budgets: {} }, NOTHING);
  const order = orderSteps(flow);
  const stages = new Map(order.stages.flatMap((steps, stage) => steps.map(({ id }) => [id, stage] as const)));
  const positions = new Map(order.sequence.map(({ id }, index) => [id, index]));
  return {
    name: flow.name,
    profile: flow.profile,
    window: window ?? REFERENCE_WINDOW,
    budgets: budgetsView(own(null), ofFlow, without),
    steps: flow.steps.map((step) => ({
      id: step.id,
      agent: step.agent,
      objective: step.objective,
      stage: stages.get(step.id) ?? 0,
      after: directNeeds(step, order, positions),
      sees: order.history.get(step.id)?.length ?? 0,
      budgets: budgetsView(own(step.id), budgetsOf(flow, step), budgetsOf(flow, { ...NOTHING, model: step.model })),
      receipt: receiptOf(flow.name, step.id),
    })),
  };
}

type Effective = ReturnType<typeof effectiveBudgets>;

function budgetsView(own: ReturnType<Own>, effective: Effective, inherited: Effective): BudgetsView {
  const written = Object.entries(own).map(([key, value]) => [key, String(value)]);
  return {
    own: Object.fromEntries(written),
    effective: effective.values,
    inherited: inherited.values,
    warnings: effective.warnings,
  };
}

/** Needs of a step that no other of its needs brings along. */
function directNeeds(
  { id }: FlowStep,
  { needs, history }: StepOrder,
  positions: ReadonlyMap<string, number>,
): string[] {
  const place = (need: string) => positions.get(need) ?? 0;
  const brought = new Set<string>();
  return [...(needs.get(id) ?? [])]
    .sort((one, other) => place(other) - place(one))
    .filter((need) => {
      if (brought.has(need)) return false;
      for (const each of [need, ...(history.get(need) ?? [])]) brought.add(each);
      return true;
    });
}
