import { basename } from 'node:path';
import type { BudgetChanges } from '../../config/flow-settings.ts';
import { CtxbError } from '../../errors.ts';
import { lineDiff } from '../../report/line-diff.ts';
import { readUserFile, replaceUserFile } from '../../store/files/user-file.ts';
import { readFlowReceipt } from '../../store/runs/flow-run.ts';
import { effectiveBudgets } from '../briefing.ts';
import { MAX_FILE_BYTES } from '../file/flow-files.ts';
import { orderSteps, type StepOrder } from '../file/order-steps.ts';
import { checkFlow } from '../file/read-flow.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { REFERENCE_WINDOW } from '../pack/budgets.ts';
import { readReceipt } from '../step-receipt.ts';
import { editedKey, editFlow, ownBudgets } from './edit-flow.ts';
import type { Studio, StudioRequest } from './studio-server.ts';
import type { BudgetsView, Edit, FlowView, StepView, StudioView } from './studio-view.ts';

/**
 * Edits one flow file, which is read for every request, so that changes by others are noticed.
 *
 * @param path absolute
 * @param contextDir where the receipts are
 */
export function createFileStudio(
  path: string,
  { contextDir, ...place }: Omit<ViewWorld, 'receiptOf'> & { readonly contextDir: string },
): Studio {
  const world: ViewWorld = { ...place, receiptOf: (flow, step) => receiptOf(contextDir, flow, step) };
  const read = () => ({ path, ...readUserFile(path, MAX_FILE_BYTES) });
  const view: Studio['view'] = ({ hash, edits }) => {
    const file = read();
    return isOther(file.hash, hash) ? 'changed' : makeView(file, edits, world);
  };
  return {
    view,
    save({ hash, edits }) {
      const file = read();
      // An edit without a hash may be for another version of the file.
      if (file.hash !== hash) return 'changed';
      const text = editFlow(path, file.text, edits);
      const [finding] = checkFlow(path, text).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return replaceUserFile(path, text, { hash: file.hash, limit: MAX_FILE_BYTES }) ? view({ edits: [] }) : 'changed';
    },
  };
}

function isOther(hash: string, known: StudioRequest['hash']): boolean {
  return known !== undefined && known !== hash;
}

/** A receipt that cannot be read is reported at its step. */
function receiptOf(contextDir: string, flow: string, step: string): ReturnType<ViewWorld['receiptOf']> {
  try {
    const json = readFlowReceipt(contextDir, flow, step);
    return json === undefined ? undefined : (readReceipt(json) ?? { fault: 'its receipt is not one that can be read' });
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}

export interface ReadFile {
  readonly path: string;
  readonly text: string;
  readonly hash: string;
}

/** What the view shows besides the file. */
export interface ViewWorld {
  readonly receiptOf: (flow: string, step: string) => StepView['receipt'];
  /** Tokens of the model's context window, default 200,000. */
  readonly window: number | undefined;
  /** The budgets of all flows. */
  readonly global: BudgetChanges;
}

/**
 * What the page shows of a file with edits. Edits with invalid values become findings, and the rest
 * is shown without them.
 *
 * @throws CtxbError `usage` as `editFlow`
 */
function makeView({ path, text, hash }: ReadFile, edits: readonly Edit[], world: ViewWorld): StudioView {
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

const NOTHING = { budgets: {}, model: undefined };

type Own = ReturnType<typeof ownBudgets>;

function flowView(flow: Flow, own: Own, { receiptOf, global, window }: ViewWorld): FlowView {
  const budgetsOf = (levels: Flow, step: Pick<FlowStep, 'budgets' | 'model'>) =>
    effectiveBudgets(levels, step, { global, window });
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

/** The needs of a step that none of its other needs brings along. */
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
