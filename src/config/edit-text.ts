import { isDeepStrictEqual } from 'node:util';
import { isMap } from 'yaml';
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
 * @returns undefined if the text cannot be parsed
 */
export function editText(text: string, { place, value }: TextEdit, style: TextStyle): string | undefined {
  const { document, errors } = parseYaml(text, style);
  if (document === undefined || errors.length > 0) return undefined;
  if (isDeepStrictEqual(document.getIn(place), value)) return text;
  if (value === undefined) {
    document.deleteIn(place);
    const holder = document.getIn(place.slice(0, -1));
    if (isMap(holder) && holder.items.length === 0) document.deleteIn(place.slice(0, -1));
  } else document.setIn(place, value);
  const [indent = '  '] = groupsIn(/^([ \t]+)\S/m, text);
  const edited = style.isJson
    ? `${JSON.stringify(document.toJS(), undefined, indent)}\n`
    : document.toString({
        indent: indent.length,
        indentSeq: !/^- /m.test(text),
        flowCollectionPadding: /[[{] /.test(text),
        // Folds texts as wide as they are.
        lineWidth: Math.max(...text.split(/\r?\n/).map((line) => line.length)),
      });
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  return mark + edited.replaceAll('\n', text.includes('\r\n') ? '\r\n' : '\n');
}

/** Parses a text into plain data; undefined if it is invalid. */
export function dataOf(text: string, style: TextStyle): unknown {
  const { document, errors } = parseYaml(text, style);
  if (errors.length > 0) return undefined;
  // A few lines of aliases can expand to more values than fit into memory. Flows need no aliases.
  return orElse(() => document?.toJS({ maxAliasCount: 0 }), undefined);
}
