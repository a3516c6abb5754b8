import { basename, extname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, type Node, type Scalar } from 'yaml';
import type { BudgetChanges } from '../../config/config.ts';
import { parseYaml } from '../../config/yaml.ts';
import { fieldsOf, groupsIn, listOf } from '../../core/protocol/fields.ts';
import { CtxbError, orElse } from '../../errors.ts';

/** A budget as typed into the form; an empty value removes it. */
export interface Edit {
  /** `null` for the flow. */
  readonly step: string | null;
  readonly key: keyof BudgetChanges;
  readonly value: string;
}

/**
 * Changes values in the text of a flow. Keeps comments and order, but may change spaces and line breaks. Does not check
 * the new values.
 *
 * @throws CtxbError `usage` for an unknown step, and if another value would change
 */
export function editFlow(path: string, text: string, edits: readonly Edit[]): string {
  const isJson = extname(path) === '.json';
  // The library includes the CR in some comments.
  const { document } = parseYaml(text.replaceAll('\r\n', '\n'), { isJson });
  const refusal = new CtxbError(
    'usage',
    `the budgets of ${basename(path)} cannot be changed here; change them by hand`,
  );
  const before = document.toJS();
  for (const edit of edits) editDocument(document, before, edit);
  const after = document.toJS();
  if (isDeepStrictEqual(after, before)) return text;
  const [indent = '  '] = groupsIn(/^([ \t]+)\S/m, text);
  const edited = isJson ? `${JSON.stringify(after, undefined, indent)}\n` : document.toString(styleOf(text, indent));
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const whole = mark + edited.replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n');
  // The library may change a text when it folds it.
  const again = orElse(() => parseYaml(whole, { isJson }).document.toJS(), undefined);
  if (isDeepStrictEqual(again, after)) return whole;
  throw refusal;
}

function styleOf(text: string, indent: string) {
  return {
    indent: indent.length,
    indentSeq: !/^- /m.test(text),
    flowCollectionPadding: /[[{] /.test(text),
    // So wide that the library folds no text.
    lineWidth: text.split(/\r?\n/).reduce((max, line) => Math.max(max, line.length), 0),
  };
}

function editDocument(document: Document, data: unknown, { step, key, value }: Edit): void {
  const index = listOf(fieldsOf(data).steps).findIndex((each) => fieldsOf(each).id === step);
  if (step !== null && index === -1) throw new CtxbError('usage', `there is no step ${JSON.stringify(step)}`);
  const place = [...(step === null ? [] : ['steps', index]), 'budgets', key];
  if (value.trim() === '') removeIn(document, place);
  else document.setIn(place, typedValue(value.trim()));
}

/** Converts `200,000` to a number; the check refuses other texts. */
function typedValue(text: string): string | number {
  const digits = text.replaceAll(/[,_' ](?=\d{3})/g, '');
  return /^\d{1,15}$/.test(digits) ? Number(digits) : text;
}

/** Removes a key, and its map if that is then empty. Comments on lines of their own stay. */
function removeIn(document: Document, place: readonly unknown[]): void {
  const holder = place.slice(0, -1);
  const map = document.getIn(holder);
  if (!isMap<Scalar, Node>(map)) return;
  const at = map.items.findIndex(({ key }) => key.value === place.at(-1));
  const removed = map.items[at];
  if (removed === undefined) return;
  map.items.splice(at, 1);
  const { key, value } = removed;
  const next: unknown = map.items[at]?.key;
  const below = isNode(next) ? next.commentBefore : map.comment;
  const comments = [key.commentBefore, value?.commentBefore, isMap(value) && value.comment, below];
  const comment = comments.filter(Boolean).join('\n');
  if (isNode(next)) next.commentBefore = comment;
  else map.comment = comment;
  if (map.items.length === 0) removeIn(document, holder);
}
