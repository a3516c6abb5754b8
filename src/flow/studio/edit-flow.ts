import { basename, extname } from 'node:path';
import { dataOf, editText } from '../../config/edit-text.ts';
import { fieldsOf, listOf } from '../../core/protocol/fields.ts';
import { CtxbError } from '../../errors.ts';
import { type Path, pathText } from '../file/fault.ts';
import type { Edit } from './studio-view.ts';

/** Returns the budgets of each step in a flow's text; null selects the flow's own. */
export function ownBudgets(path: string, text: string): (step: string | null) => Budgets {
  const data = dataOf(text, styleOf(path));
  return (step) => budgetsAt(data, holderOf(data, step));
}

/** Unchecked: values can have any type. */
type Budgets = Readonly<Record<string, unknown>>;

/** The path of an edited value in findings. */
export function editedKey(path: string, text: string, { step, key }: Edit): string {
  return pathText([...holderOf(dataOf(text, styleOf(path)), step), 'budgets', key]);
}

/**
 * Edits the text of a checked flow and keeps the rest unchanged. Does not check the new values.
 *
 * @throws CtxbError `usage` for an unknown step, and if the edit would change other parts
 */
export function editFlow(path: string, text: string, edits: readonly Edit[]): string {
  return edits.reduce((edited, edit) => editOnce(path, edited, edit), text);
}

function editOnce(path: string, text: string, edit: Edit): string {
  const { step, key } = edit;
  const data = dataOf(text, styleOf(path));
  const holder = holderOf(data, step);
  const value = typedValue(edit);
  const isLast = value === undefined && Object.keys(budgetsAt(data, holder)).every((other) => other === key);
  const place = [...holder, 'budgets', ...(isLast ? [] : [key])];
  const edited = editText(text, { place, value }, styleOf(path));
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

function budgetsAt(data: unknown, holder: Path): Budgets {
  const place = [...holder, 'budgets'].reduce((parts, part) => Object(parts)[part], data);
  return fieldsOf(place);
}
