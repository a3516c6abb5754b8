import { basename, extname } from 'node:path';
import type { BudgetChanges, Finding } from '../../config/config.ts';
import { dataOf, editText } from '../../config/edit-text.ts';
import { fieldsOf, listOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { readUserFile, replaceUserFile } from '../../store/files/user-file.ts';
import { readFlowReceipt } from '../../store/runs/flow-run.ts';
import { type BudgetWorld, effectiveBudgets } from '../briefing.ts';
import { type KnownReceipt, readReceipt } from '../earlier-run.ts';
import { type Path, pathText } from '../file/check-flow.ts';
import { MAX_FILE_BYTES } from '../file/flow-files.ts';
import { checkFlow } from '../file/read-flow.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { REFERENCE_WINDOW } from '../pack/budgets.ts';

/** A key of `budgets` that the studio can change. */
type BudgetKey = keyof BudgetChanges;

/** A budget of a level as typed into the form; an empty value removes it. */
export interface Edit {
  /** Id of a step; null for the flow. */
  readonly step: string | null;
  readonly key: BudgetKey;
  readonly value: string;
}

/** A flow file with unsaved edits, as shown on the page. */
export interface StudioView {
  readonly file: string;
  /** Hash of the saved file. */
  readonly hash: string;
  /** Findings about the file or, if `flow` is defined, about edits, which `flow` then excludes. */
  readonly findings: readonly Finding[];
  /** undefined if the file is not a valid flow. */
  readonly flow: FlowView | undefined;
  /** Whether saving the edits would change the file. */
  readonly isChanged: boolean;
}

export type FlowView = ReturnType<typeof flowView>;
export type BudgetsView = FlowView['budgets'];
export type StepView = FlowView['steps'][number];

/** Where a flow's receipts are, and the settings it is shown with. */
interface Place extends BudgetWorld {
  readonly contextDir: string;
  /** Overrides the profile that the flow names. */
  readonly profile?: string | undefined;
}

/** The edited file. The functions may throw a `CtxbError`, which the page shows. */
export type Studio = ReturnType<typeof createFileStudio>;

/**
 * Edits a flow file. Reads the file for each request, to detect changes by other programs.
 *
 * @param path absolute path of the flow file
 */
export function createFileStudio(path: string, place: Place) {
  const read = () => readUserFile(path, MAX_FILE_BYTES);
  const check = (text: string) => checkFlow(path, text, { profile: place.profile });
  return {
    /** Edits with invalid values become findings; the view then shows the other edits only. */
    view(edits: readonly Edit[]): StudioView {
      const { text: before, hash } = read();
      const base = { file: basename(path), hash, isChanged: false };
      const known = check(before);
      if (known.flow === undefined) return { ...base, findings: known.findings, flow: undefined };
      const all = editFlow(path, before, edits);
      const { findings, flow } = check(all);
      const bad = new Set(findings.map(({ key }) => key));
      const data = dataOf(before, styleOf(path));
      const good = edits.filter(({ step, key }) => !bad.has(pathText([...holderOf(data, step), 'budgets', key])));
      const text = flow === undefined ? editFlow(path, before, good) : all;
      const shown = flow ?? check(text).flow ?? known.flow;
      return { ...base, findings, isChanged: text !== before, flow: flowView(shown, place) };
    },
    /** @param hash of the file version that the edits apply to */
    save(edits: readonly Edit[], hash: string): 'saved' | 'changed' {
      const file = read();
      if (file.hash !== hash) return 'changed';
      const edited = editFlow(path, file.text, edits);
      const [finding] = check(edited).findings;
      if (finding !== undefined) throw new CtxbError('usage', `nothing was written: ${finding.message}`);
      return edited === file.text || replaceUserFile(path, edited, { hash, limit: MAX_FILE_BYTES })
        ? 'saved'
        : 'changed';
    },
  };
}

function flowView(flow: Flow, { contextDir, global, window }: Place) {
  const budgetsOf = (own: BudgetChanges, step: FlowStep | undefined) => {
    const { values, warnings } = effectiveBudgets(flow, { budgets: {}, model: undefined, ...step }, { global, window });
    return {
      own,
      /** After all levels and guardrails. */
      effective: values,
      warnings,
    };
  };
  return {
    name: flow.name,
    profile: flow.profile,
    /** The window in tokens that presets and shares refer to. */
    window: window ?? REFERENCE_WINDOW,
    /** For steps without budgets of their own. */
    budgets: budgetsOf(flow.budgets, undefined),
    steps: flow.steps.map((step) => ({
      id: step.id,
      agent: step.agent,
      objective: step.objective,
      budgets: budgetsOf(step.budgets, step),
      receipt: receiptOf(contextDir, flow.name, step.id),
    })),
  };
}

/** The receipt of a step's last run; undefined if it has never run. An unreadable one is reported at its step. */
function receiptOf(
  contextDir: string,
  flow: string,
  step: string,
): KnownReceipt | { readonly fault: string } | undefined {
  try {
    const json = readFlowReceipt(contextDir, flow, step);
    return json === undefined ? undefined : (readReceipt(json) ?? { fault: 'its receipt is not one that can be read' });
  } catch (error) {
    if (error instanceof CtxbError) return { fault: error.message };
    throw error;
  }
}

/** The limit that shortened something: the whole budget, only limits of single steps, or nothing. */
export function bindingOf({ context_truncation, items }: KnownReceipt): 'whole' | 'steps' | 'nothing' {
  if (context_truncation.truncated) return 'whole';
  return items.some(({ outcome }) => outcome === 'cut' || outcome === 'summary') ? 'steps' : 'nothing';
}

/** The budgets of a level. @param step id of a step; null for the flow */
export function levelOf(flow: FlowView | undefined, step: Edit['step']): BudgetsView | undefined {
  return step === null ? flow?.budgets : flow?.steps.find(({ id }) => id === step)?.budgets;
}

/**
 * Edits the text of a checked flow; keeps comments and order. Does not check the new values.
 *
 * @throws CtxbError `usage` for an unknown step, and if another value would change
 */
export function editFlow(path: string, text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, edit) => editOnce(path, edited, edit), text);
}

function editOnce(path: string, text: string, edit: Edit): string {
  const { step, key } = edit;
  const style = styleOf(path);
  const place = [...holderOf(dataOf(text, style), step), 'budgets', key];
  const edited = editText(text, { place, value: typedValue(edit) }, style);
  if (edited !== undefined) return edited;
  const where = step === null ? basename(path) : `step ${step}`;
  throw new CtxbError('usage', `the budgets of ${where} cannot be changed here; change them by hand`);
}

function styleOf(path: string): { readonly isJson: boolean } {
  return { isJson: extname(path) === '.json' };
}

/** Converts `200,000` and `0.25` to numbers; percentages and names stay strings. */
function typedValue({ value }: Edit): string | number | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  const digits = /^\d{1,3}(?:[,_' ]\d{3})+$/.test(text) ? text.replace(/\D/g, '') : text;
  return /^\d{1,15}(?:\.\d+)?$/.test(digits) ? Number(digits) : text;
}

/** The path of the object that holds the edited budgets: a step, or the flow. */
function holderOf(data: unknown, step: string | null): Path {
  if (step === null) return [];
  const index = listOf(fieldsOf(data).steps).findIndex((each) => fieldsOf(each).id === step);
  if (index === -1) throw new CtxbError('usage', `there is no step ${JSON.stringify(step)}: load the file again`);
  return ['steps', index];
}
