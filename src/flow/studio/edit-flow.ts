import { basename, extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isMap, isSeq, type Node } from 'yaml';
import { isRecord } from '../../config/read-config.ts';
import { CtxbError } from '../../errors.ts';
import { pathText } from '../file/fault.ts';
import { parseFlowText } from '../file/read-flow.ts';
import { toData } from '../file/yaml.ts';
import {
  added,
  type EditedText,
  type MapNode,
  type Pair,
  pairOf,
  removed,
  replaced,
  type Splice,
  spliced,
} from './splice.ts';
import { type BudgetKey, type Edit, PROFILE } from './studio-view.ts';

type Data = Readonly<Record<string, unknown>>;

/** A flow's text as nodes and as data; `undefined` where it has syntax errors. */
interface FlowText extends EditedText {
  readonly document: Document.Parsed | undefined;
  readonly data: unknown;
}

function readText(path: string, text: string): FlowText {
  const { document, errors } = parseFlowText(path, text);
  const data = document === undefined || errors.length > 0 ? undefined : toData(document.contents).value;
  return { text, isJson: extname(path) === '.json', document, data };
}

/** An edit and its place in the data of a file. */
interface Target {
  readonly key: BudgetKey;
  /** Of the flow, a step or a profile: `[]`, `['steps', 3]`, `['profiles', 'daily']`. */
  readonly holder: readonly (string | number)[];
  /** undefined clears the key. */
  readonly value: string | number | undefined;
  /** All budgets of that place after the edit. */
  readonly budgets: Data;
}

/** The budgets as a flow's text has them, by step, as an edit names it. */
export function ownBudgets(path: string, text: string, profile?: string): (step: string | null) => Data {
  const { data } = readText(path, text);
  return (step) => budgetsAt(data, holderOf(data, step, profile));
}

/** The path of an edited value, as findings name it. */
export function editedKey(path: string, text: string, { step, key }: Edit, profile?: string): string {
  return pathText([...holderOf(readText(path, text).data, step, profile), 'budgets', key]);
}

/**
 * Makes edits in the text of a checked flow, or of a profile's file. Everything else stays as it is, comments included,
 * where the value can be replaced in place. The new values are not checked.
 *
 * @param profile the one in the flow that edits of the profile are for
 * @throws CtxbError `usage` for an unknown step, and where something else would
 * change as well (a mapping with an anchor that is used in several places)
 */
export function editFlow(path: string, text: string, edits: readonly Edit[], profile?: string): string {
  return edits.reduce((edited, edit) => editOnce(path, edited, edit, profile), text);
}

function editOnce(path: string, text: string, edit: Edit, profile: string | undefined): string {
  const flow = readText(path, text);
  const { data } = flow;
  const target = targetOf(data, edit, profile);
  const wanted = withBudgetsAt(data, target);
  if (isDeepStrictEqual(data, wanted)) return text;
  for (const way of [inPlace, rewritten]) {
    const edited = way(flow, target);
    // The edit is taken only where it changes this value and nothing else.
    if (edited !== undefined && isDeepStrictEqual(readText(path, edited).data, wanted)) return edited;
  }
  const where =
    edit.step === null ? basename(path) : edit.step === PROFILE ? `profile ${profile}` : `step ${edit.step}`;
  throw new CtxbError(
    'usage',
    `the budgets of ${where} are shared with other places by an anchor; change them by hand`,
  );
}

function targetOf(data: unknown, edit: Edit, profile: string | undefined): Target {
  const { key } = edit;
  const holder = holderOf(data, edit.step, profile);
  const value = typedValue(edit);
  const { [key]: _, ...others } = budgetsAt(data, holder);
  return { key, holder, value, budgets: value === undefined ? others : { ...others, [key]: value } };
}

/** The data after an edit; `budgets` without keys is left out. */
function withBudgetsAt(data: unknown, { holder, budgets }: Target): unknown {
  const wanted = structuredClone(data);
  const place = placeAt(wanted, holder) as Record<string, unknown>;
  if (Object.keys(budgets).length > 0) place.budgets = budgets;
  else delete place.budgets;
  return wanted;
}

/** `200,000` and `0.25` become numbers; percentages and names stay strings. */
function typedValue({ value }: Edit): string | number | undefined {
  const text = value.trim();
  if (text === '') return undefined;
  const digits = /^\d{1,3}(?:[,_' ]\d{3})+$/.test(text) ? text.replace(/\D/g, '') : text;
  return /^\d{1,15}(?:\.\d+)?$/.test(digits) ? Number(digits) : text;
}

function holderOf(data: unknown, step: string | null, profile: string | undefined): (string | number)[] {
  if (step === null) return [];
  if (step === PROFILE && profile !== undefined) return ['profiles', profile];
  const steps = isRecord(data) && Array.isArray(data.steps) ? data.steps : [];
  const index = steps.findIndex((each) => isRecord(each) && each.id === step);
  if (index === -1) throw new CtxbError('usage', `there is no step ${JSON.stringify(step)}: load the file again`);
  return ['steps', index];
}

function placeAt(data: unknown, holder: Target['holder']): Data {
  let place = data;
  for (const part of holder) place = (place as Readonly<Record<string | number, unknown>>)[part];
  return isRecord(place) ? place : {};
}

function budgetsAt(data: unknown, holder: Target['holder']): Data {
  const { budgets } = placeAt(data, holder);
  return isRecord(budgets) ? budgets : {};
}

function inPlace(flow: FlowText, target: Target): string | undefined {
  const holder = nodeAt(flow.document?.contents, target.holder);
  const splice = isMap(holder) ? spliceFor(flow, holder, target) : undefined;
  return splice && spliced(flow.text, splice);
}

function nodeAt(root: unknown, holder: Target['holder']): unknown {
  return holder.reduce((node: unknown, part) => {
    if (isMap(node)) return pairOf(node, String(part))?.value;
    return isSeq(node) ? node.items[Number(part)] : undefined;
  }, root);
}

function spliceFor(edited: EditedText, holder: MapNode, target: Target): Splice | undefined {
  const pair = pairOf(holder, 'budgets');
  if (Object.keys(target.budgets).length === 0) return pair && removed(edited, holder, pair);
  if (pair === undefined) return withBudgets(edited, holder, target);
  if (isAlias(pair.value)) return replaced(pair.value, inBraces(edited, target.budgets));
  return isMap(pair.value) ? within(edited, pair.value as MapNode, target) : undefined;
}

/** Adds the key `budgets` after a key whose value is short. */
function withBudgets(edited: EditedText, holder: MapNode, { budgets }: Target): Splice | undefined {
  const [behind] = ['agent', 'id', 'profile', 'name', 'curator'].flatMap((key) => pairOf(holder, key) ?? []);
  const lines = (lineBreak: string) => linesOf(edited, budgets).map((line) => `${lineBreak}  ${line}`);
  const write = ({ flow, lineBreak }: { flow: boolean; lineBreak: string }) =>
    `${quoted('budgets', edited)}:${flow ? ` ${inBraces(edited, budgets)}` : lines(lineBreak).join('')}`;
  return behind && added(edited, holder, behind, write);
}

function within(edited: EditedText, map: MapNode, { key, value, budgets }: Target): Splice | undefined {
  const own = pairOf(map, key);
  if (value === undefined) return own && removed(edited, map, own);
  if (own !== undefined) return replaced(own.value as Node, scalarText(value, edited));
  const last = map.items.at(-1) as Pair | undefined;
  const [line = ''] = linesOf(edited, { [key]: value });
  return last === undefined ? replaced(map, inBraces(edited, budgets)) : added(edited, map, last, () => line);
}

function linesOf(edited: EditedText, budgets: Data): string[] {
  return Object.entries(budgets).map(([key, value]) => `${quoted(key, edited)}: ${scalarText(value, edited)}`);
}

function inBraces(edited: EditedText, budgets: Data): string {
  return `{${linesOf(edited, budgets).join(', ')}}`;
}

function quoted(text: string, { isJson }: EditedText): string {
  return isJson ? JSON.stringify(text) : text;
}

function scalarText(value: unknown, edited: EditedText): string {
  // Any other string could be read as another type.
  const isPlain = typeof value === 'string' && /^(?:lean|balanced|heavy|\d+(?:\.\d+)?%)$/.test(value);
  return isPlain ? quoted(value, edited) : JSON.stringify(value);
}

/** Has the library write the whole file: comments and order stay, spaces may change. */
function rewritten({ text, isJson, document }: FlowText, { holder, key, value, budgets }: Target): string | undefined {
  if (document === undefined || isJson) return undefined;
  const place = [...holder, 'budgets'];
  if (Object.keys(budgets).length === 0) document.deleteIn(place);
  else if (value === undefined) document.deleteIn([...place, key]);
  else document.setIn([...place, key], value);
  const written = document.toString({ lineWidth: 0 });
  return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written;
}
