import { extname } from 'node:path';
import * as v from 'valibot';
import { type Document, isMap, isPair, type ParsedNode, type Scalar, type YAMLSeq } from 'yaml';
import { closest, closestChoice, didYouMean, displayed, finding } from '../../config/finding.ts';
import { SyntaxFault } from '../../config/parse-data.ts';
import type { KeySchema } from '../../config/schema.ts';
import { parseYaml } from '../../config/yaml.ts';
import { type Fields, isFields, ownOf } from '../../core/protocol/fields.ts';
import { CtxbError, findingsError } from '../../errors.ts';

type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  readonly todo: string;
}

const MAX_FINDINGS = 100;

/**
 * Parses a JSON or YAML text and checks it by a schema, which adds defaults. Never executes anything in the text.
 *
 * @param rules finds faults that the schema cannot find, so that all faults are reported together
 * @throws CtxbError `config` with the faults in line order
 */
export function checkText<T extends v.GenericSchema>(
  file: string,
  text: string,
  schema: T,
  rules: (data: unknown) => Iterable<Fault> = () => [],
): v.InferOutput<T> {
  const { document, placeOf } = parse(file, text);
  const data: unknown = document.toJS();
  const faults = [...faultsIn(schema as Level, data, []), ...rules(data)];
  if (faults.length === 0) return v.parse(schema, data);
  const placed = faults
    .slice(0, MAX_FINDINGS)
    .map((fault) => ({ ...fault, line: placeOf(offsetOf(document, fault.path)).line }))
    .sort((a, b) => a.line - b.line);
  const findings = placed.map(({ path, line, ...fault }) =>
    finding(pathText(path) || file, { ...fault, origin: { source: 'file', where: `${file}:${line}` } }),
  );
  const more = faults.length - MAX_FINDINGS;
  if (more > 0) findings.push({ key: file, message: `${file}: ${more} more findings; correct these first` });
  throw findingsError('the flow', findings);
}

function parse(file: string, text: string) {
  try {
    return parseYaml(text, { isJson: extname(file) === '.json' });
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const { format, line, column, message } = error;
    // The parser's message may quote the file.
    const words = message.replaceAll(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 200);
    throw new CtxbError(
      'config',
      `${file}:${line}:${column}: expected valid ${format}, found: ${words}; correct the file`,
    );
  }
}

/** Offset in the text of the key or list item at a path, or of its nearest ancestor. */
function offsetOf({ contents }: Document.Parsed, path: Path): number {
  let node: unknown = contents;
  let offset = contents?.range[0] ?? 0;
  for (const part of path) {
    // Above a part of a path, everything is a map or a list.
    const item = isMap<Scalar>(node)
      ? node.items.find(({ key }) => key.value === part)
      : (node as YAMLSeq).items[Number(part)];
    const [place, inner] = isPair<ParsedNode>(item) ? [item.key, item.value] : [item as ParsedNode, item];
    // A key that is missing.
    if (place === undefined) break;
    [offset] = place.range;
    node = inner;
  }
  return offset;
}

/** `steps[3].inputs[0]`; a key that could be misread is quoted. */
function pathText(path: Path): string {
  const parts = path.map((part) => {
    if (typeof part === 'number') return `[${part}]`;
    return /^[\w$-]{1,64}$/.test(part) ? `.${part}` : `.${JSON.stringify(part.slice(0, 40))}`;
  });
  return parts.join('').replace(/^\./, '');
}

/** The parts of a valibot schema that the check of keys needs. */
interface Level extends KeySchema {
  readonly entries?: Readonly<Record<string, Level>>;
  readonly item?: Level;
  /** Schema of the values of a record, whose keys the user chooses. */
  readonly value?: Level;
  readonly wrapped?: Level;
}

/**
 * Finds unknown keys and wrong values. valibot alone would stop at the first unknown key of a level, and accept a list
 * as an object.
 */
function* faultsIn(level: Level, part: unknown, path: Path): Generator<Fault> {
  const { wrapped, entries, value, item } = level;
  if (wrapped !== undefined) return yield* faultsIn(wrapped, part, path);
  const hasKeys = entries !== undefined || value !== undefined;
  if (hasKeys && isFields(part)) return yield* keyFaults(level, part, path);
  if (item !== undefined && Array.isArray(part)) {
    for (const [index, each] of part.entries()) yield* faultsIn(item, each, [...path, index]);
  }
  const { issues = [] } = v.safeParse(level, hasKeys ? null : part, { abortPipeEarly: true });
  // An issue with a path belongs to an item.
  const expected = issues.find((issue) => issue.path === undefined)?.message;
  if (expected === undefined) return;
  const found = hasKeys ? displayed(part) : valueText(part);
  yield { path, expected, found, todo: adviceFor(part, expected, hasKeys) };
}

function adviceFor(part: unknown, expected: string, hasKeys: boolean): string {
  if (part === undefined) return 'add the key';
  if (part === null) return `give it ${hasKeys ? 'keys' : 'a value'} or remove it`;
  return hasKeys ? 'nest the keys in it' : didYouMean(closestChoice(part, expected), 'correct it');
}

function* keyFaults({ entries = {}, value }: Level, part: Fields, path: Path): Generator<Fault> {
  const known = Object.keys(entries);
  for (const key of new Set([...known, ...Object.keys(part)])) {
    const inner = ownOf(entries, key) ?? value;
    const inPath = [...path, key];
    if (inner === undefined) {
      const todo = didYouMean(closest(key, known), 'remove it');
      yield { path: inPath, expected: `one of ${known.join(', ')}`, found: displayed(key), todo };
    } else if (inner.wrapped === undefined || Object.hasOwn(part, key)) {
      yield* faultsIn(inner, ownOf(part, key), inPath);
    }
  }
}

function valueText(value: unknown): string {
  // List items are checked one by one, so only the length of the list can be wrong here.
  if (Array.isArray(value)) return `a list of ${value.length}`;
  // JSON has no NaN or Infinity.
  return typeof value === 'number' ? String(value) : displayed(value);
}
