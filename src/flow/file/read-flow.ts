import { dirname, extname } from 'node:path';
import * as v from 'valibot';
import { isAlias, isCollection, isMap, isNode, isScalar, type Node } from 'yaml';
import type { Finding } from '../../config/config.ts';
import { finding, shown } from '../../config/finding.ts';
import { parseJson, type SyntaxFault } from '../../config/parse-data.ts';
import { parseYaml } from '../../config/yaml.ts';
import { type Fields, isFields } from '../../core/protocol/fields.ts';
import { findingsError } from '../../errors.ts';
import type { GivenFault } from '../../store/files/given-file.ts';
import type { Flow } from '../flow.ts';
import { checkKeys, checkProfile, checkSteps, checkValues, type Path, pathText, type Refuse } from './check-flow.ts';
import { profileFile, readText } from './flow-files.ts';
import { flowFileSchema, MAX_STEPS, profile as profileSchema } from './flow-schema.ts';

const MAX_FINDINGS = 100;

/** A valid flow, or all findings about its file in line order. */
interface ReadFlow {
  readonly flow: Flow | undefined;
  readonly findings: readonly Finding[];
}

/**
 * Reads a flow file: JSON if its name ends in `.json`, otherwise YAML. Never throws because of the file's content, or
 * because it cannot be read. Never executes anything in the file.
 */
export function readFlow(path: string, choice: FlowChoice = {}): ReadFlow {
  const read = readText(path);
  return 'text' in read ? checkFlow(path, read.text, choice) : refusal([unreadable(path, read)]);
}

interface FlowChoice {
  /** Overrides the profile that the flow names. */
  readonly profile?: string | undefined;
}

/** Checks a current or edited text of the file `path`, and the files that it names. */
export function checkFlow(path: string, text: string, { profile }: FlowChoice = {}): ReadFlow {
  const folder = dirname(path);
  const { value, findings } = checkText(path, text, flowFileSchema, (data, refuse) => {
    const steps = Array.isArray(data.steps) && data.steps.length <= MAX_STEPS ? data.steps : [];
    const chosenData = profile === undefined ? data : { ...data, profile };
    checkProfile(chosenData, { folder, isAsked: profile !== undefined }, refuse);
    checkSteps(steps, refuse);
  });
  if (value === undefined) return { flow: undefined, findings };
  const { $schema: _, ...flow } = value;
  const chosen = profile ?? flow.profile;
  if (chosen === undefined) return { flow, findings: [] };
  if (Object.hasOwn(flow.profiles, chosen)) return { flow: { ...flow, profile: chosen }, findings: [] };
  return withProfile(flow, chosen, profileFile(folder, chosen));
}

function withProfile(flow: Flow, chosen: string, file: string): ReadFlow {
  const read = readText(file);
  if (!('text' in read)) return refusal([unreadable(file, read)]);
  const { value, findings } = checkText(file, read.text, profileSchema, () => {});
  if (value === undefined) return refusal(findings);
  return { flow: { ...flow, profile: chosen, profiles: { ...flow.profiles, [chosen]: value } }, findings: [] };
}

function unreadable(path: string, { expected, found }: Pick<GivenFault, 'expected' | 'found'>): Finding {
  return { key: path, message: `${path}: expected ${expected}, found: ${found}; name another file` };
}

/** The checked data of a text, or all findings in line order. */
function checkText<T extends v.GenericSchema>(
  path: string,
  text: string,
  schema: T,
  rules: (data: Fields, refuse: Refuse) => void,
): { readonly value: v.InferOutput<T> | undefined; readonly findings: readonly Finding[] } {
  const isJson = extname(path) === '.json';
  const failed = (findings: readonly Finding[]) => ({ value: undefined, findings });
  const fault = isJson ? jsonFault(text) : undefined;
  if (fault !== undefined) return failed([syntaxFinding(path, 'JSON', fault)]);
  const { document, errors, placeOf } = parseYaml(text, { isJson });
  if (document === undefined || errors.length > 0) {
    const format = isJson ? 'JSON' : 'YAML';
    return failed(errors.map(({ message, offset }) => syntaxFinding(path, format, { message, ...placeOf(offset) })));
  }
  const faults: Parameters<Refuse>[] = [];
  const { value, offsetOf } = toData(document.contents, (...fault) => void faults.push(fault));
  const refusal = new Set(faults.map(([at]) => pathText(at)));
  const refuse: Refuse = (...fault) => {
    // Report one finding per value; a second one only confuses.
    if (!refusal.has(pathText(fault[0]))) faults.push(fault);
  };
  checkKeys(value, schema, refuse);
  checkValues(value, schema, refuse);
  if (isFields(value)) rules(value, refuse);
  if (faults.length === 0) return { value: v.parse(schema, value), findings: [] };
  const findings = faults
    .map((fault) => ({ fault, offset: fault[4]?.offset ?? offsetOf(fault[0]) }))
    .sort((a, b) => a.offset - b.offset)
    .slice(0, MAX_FINDINGS)
    .map(({ fault: [at, expected, found, todo, place], offset }) => {
      const origin = place?.origin ?? ({ source: 'file', where: `${path}:${placeOf(offset).line}` } as const);
      return finding(pathText(at) || path, { expected, found, todo: typeof todo === 'string' ? todo : todo(), origin });
    });
  const more = faults.length - findings.length;
  if (more > 0) findings.push({ key: path, message: `${path}: ${more} more findings; correct these first` });
  return failed(findings);
}

function refusal(findings: readonly Finding[]): ReadFlow {
  return { flow: undefined, findings };
}

type Syntax = Readonly<Record<'line' | 'column', number> & { message: string }>;

function jsonFault(text: string): Syntax | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error as SyntaxFault;
  }
}

function syntaxFinding(path: string, format: string, { message, line, column }: Syntax): Finding {
  // The message may quote the file.
  const words = message.replaceAll(/[\s\x00-\x1f\x7f-\x9f]+/g, ' ').slice(0, 200);
  const place = `${path}:${line}:${column}`;
  return { key: path, message: `${place}: expected valid ${format}, found: ${words}; correct the file` };
}

/**
 * Reads a flow file.
 *
 * @throws CtxbError `config` with all findings, one per line
 */
export function requireFlow(path: string, choice: FlowChoice = {}): Flow {
  return validFlow(readFlow(path, choice));
}

/** @throws CtxbError `config` with all findings, one per line */
export function validFlow({ flow, findings }: ReadFlow): Flow {
  if (flow === undefined) throw findingsError('the flow', findings);
  return flow;
}

const CORE_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/;

/**
 * Converts YAML nodes to plain data: strings, numbers, booleans, null, lists and objects. Tags and aliases are not
 * resolved, and keys that every object inherits are dropped; each of these is reported as a fault.
 */
function toData(root: Node | null, refuse: Refuse) {
  const offsets = new Map<string, number>();
  return { value: dataOf(root, []), offsetOf };

  /** Offset in the text of the key or list item at a path, or of its nearest ancestor. */
  function offsetOf(path: Path): number {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(pathText(path.slice(0, length)));
      if (offset !== undefined) return offset;
    }
    return startOf(root) ?? 0;
  }

  function dataOf(node: unknown, path: Path): unknown {
    if (isAlias(node)) refuse(path, 'plain data', `the alias ${shown(`*${node.source}`)}`, 'write the value out');
    if (!isCollection(node) && !isScalar(node)) return null;
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) {
      refuse(path, 'plain data', `the tag ${shown(node.tag)}`, 'remove the tag');
    }
    if (isMap(node)) return objectOf(node.items, path);
    return isScalar(node) ? node.value : node.items.map((item, index) => notePlace(item, item, [...path, index]));
  }

  function objectOf(pairs: readonly { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : shown(key);
      const inner = [...path, name];
      const offset = startOf(key);
      if (name in Object.prototype) {
        refuse(inner, 'a name of your own', `${shown(name)}, which every object has`, 'rename it', { offset });
      } else if (Object.hasOwn(object, name)) {
        refuse(inner, 'each key once', 'it a second time', 'remove one of the two', { offset });
      } else object[name] = notePlace(key, value, inner);
    }
    return object;
  }

  /** @param at the node whose start is the offset of `path` */
  function notePlace(at: unknown, node: unknown, path: Path): unknown {
    const offset = startOf(at);
    if (offset !== undefined) offsets.set(pathText(path), offset);
    return dataOf(node, path);
  }
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
