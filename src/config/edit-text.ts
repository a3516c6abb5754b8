import { isDeepStrictEqual } from 'node:util';
import { type Document, isMap, isNode, isScalar } from 'yaml';
import { groupsIn } from '../core/protocol/fields.ts';
import { orElse } from '../errors.ts';
import { parseYaml } from './yaml.ts';

export interface TextEdit {
  /** Path to a value: names of keys and indexes of lists. */
  readonly place: readonly (string | number)[];
  /** The new value; undefined removes the key, and an object that is empty then. */
  readonly value: string | number | undefined;
}

export interface TextStyle {
  readonly isJson: boolean;
}

/**
 * Edits YAML or JSON. Keeps comments and order, but may change spaces and line breaks.
 *
 * @returns undefined if the text cannot be parsed, or if another value would change
 */
export function editText(text: string, { place, value }: TextEdit, style: TextStyle): string | undefined {
  // The library keeps the CR at the end of some comments.
  const { document, errors } = parseYaml(text.replaceAll('\r\n', '\n'), style);
  if (document === undefined || errors.length > 0) return undefined;
  if (isDeepStrictEqual(document.getIn(place), value)) return text;
  if (value === undefined) removeIn(document, place);
  else document.setIn(place, value);
  const [indent = '  '] = groupsIn(/^([ \t]+)\S/m, text);
  const edited = style.isJson
    ? `${JSON.stringify(document.toJS(), undefined, indent)}\n`
    : document.toString({
        indent: indent.length,
        indentSeq: !/^- /m.test(text),
        flowCollectionPadding: /[[{] /.test(text),
        // Folds texts as wide as they are.
        lineWidth: text.split(/\r?\n/).reduce((max, line) => Math.max(max, line.length), 0),
      });
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const whole = mark + edited.replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n');
  // The library can fold a text so that it is another one.
  return isDeepStrictEqual(dataOf(whole, style), document.toJS()) ? whole : undefined;
}

/** Removes a key, and the map around it if that is empty then. Comments on lines of their own stay in their place. */
function removeIn(document: Document, place: TextEdit['place']): void {
  const holder = place.slice(0, -1);
  const map = document.getIn(holder);
  const at = isMap(map) ? map.items.findIndex(({ key }) => isScalar(key) && key.value === place.at(-1)) : -1;
  if (!isMap(map) || at === -1) return;
  const [removed] = map.items.splice(at, 1);
  const next = map.items[at]?.key;
  const above = [removed?.key, removed?.value].map((node) => (isNode(node) ? node.commentBefore : undefined));
  const comments = [...above, isMap(removed?.value) ? removed.value.comment : undefined];
  const joined = (last: string | null | undefined) => [...comments, last].filter(Boolean).join('\n');
  if (isNode(next)) next.commentBefore = joined(next.commentBefore);
  else map.comment = joined(map.comment);
  if (map.items.length === 0) removeIn(document, holder);
}

/** Parses a text into plain data; undefined if it is invalid. */
export function dataOf(text: string, style: TextStyle): unknown {
  const { document, errors } = parseYaml(text, style);
  if (errors.length > 0) return undefined;
  // A few lines of aliases can expand to more values than fit into memory. Flows need no aliases.
  return orElse(() => document?.toJS({ maxAliasCount: 0 }), undefined);
}
