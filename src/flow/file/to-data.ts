import { shown } from '../../config/finding.ts';
import { createAnchors } from './anchors.ts';
import { type Fault, type Path, pathText } from './fault.ts';
import { isAlias, isMap, isScalar, isSeq, type Node } from './yaml-document.ts';

// With all aliases written out: a few lines of them can stand for more than there is memory.
const MAX_VALUES = 100_000;
const MAX_DEPTH = 50;

const CORE_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/;

/** What a text says, as plain values. */
export interface PlainData {
  readonly value: unknown;
  readonly faults: readonly Fault[];
  /** Where the key or the item of a path begins in the text; of the nearest one above it where there is none. */
  offsetOf(path: Path): number;
}

/**
 * Turns nodes into texts, numbers, truth values, lists and objects, and nothing else: what a tag asks for is not made,
 * and keys that every object has from birth are left out. Each of these is a fault.
 */
export function toData(root: Node | null): PlainData {
  const faults: Fault[] = [];
  const offsets = new Map<string, number>();
  const anchors = createAnchors();
  const open = new Set<Node>();
  let values = 0;
  return { value: dataOf(root, []), faults, offsetOf };

  function offsetOf(path: Path): number {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = offsets.get(pathText(path.slice(0, length)));
      if (offset !== undefined) return offset;
    }
    return startOf(root) ?? 0;
  }

  function dataOf(node: unknown, path: Path): unknown {
    values += 1;
    if (isTooMuch(path)) return null;
    if (isAlias(node)) return aliased(node, path);
    if (isMap(node)) return within(node, path, () => objectOf(node.items, path));
    if (isSeq(node)) return within(node, path, () => node.items.map((item, index) => itemOf(item, [...path, index])));
    return isScalar(node) ? scalarOf(node, path) : null;
  }

  function isTooMuch(path: Path): boolean {
    const deep = path.length > MAX_DEPTH;
    if (deep) refuse(path.slice(0, 1), `at most ${MAX_DEPTH} levels`, 'more, with its aliases', 'make it flatter');
    if (values === MAX_VALUES) refuse([], `at most ${MAX_VALUES} values`, 'more, with its aliases', 'make it smaller');
    return deep || values >= MAX_VALUES;
  }

  function aliased(node: Node & { source: string }, path: Path): unknown {
    const target = anchors.target(node);
    if (target !== undefined && !open.has(target)) return dataOf(target, path);
    const found = `${shown(`*${node.source}`)}${target === undefined ? '' : ', which contains itself'}`;
    refuse(path, 'an alias of an anchor above it', found, 'write the value out');
    return null;
  }

  function within<T>(node: Node, path: Path, make: () => T): T {
    note(node, path);
    open.add(node);
    const made = make();
    open.delete(node);
    return made;
  }

  function note(node: Node & { tag?: string }, path: Path): void {
    anchors.note(node);
    if (node.tag === undefined || CORE_TAG.test(node.tag)) return;
    refuse(path, 'plain data', `the tag ${shown(node.tag)}`, 'remove the tag');
  }

  function scalarOf(node: Node & { value: unknown }, path: Path): unknown {
    note(node, path);
    const { value } = node;
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    refuse(path, 'plain data', `a ${typeof value}`, 'write it in quotes');
    return null;
  }

  function itemOf(item: unknown, path: Path): unknown {
    place(path, item);
    return dataOf(item, path);
  }

  function objectOf(pairs: readonly { key: unknown; value: unknown }[], path: Path): Record<string, unknown> {
    const made: Record<string, unknown> = {};
    for (const { key, value } of pairs) {
      const name = isScalar(key) ? String(key.value) : shown(key);
      const inner = [...path, name];
      if (name in Object.prototype) {
        refuse(inner, 'a name of your own', `${shown(name)}, which every object has`, 'rename it', key);
      } else if (Object.hasOwn(made, name)) {
        refuse(inner, 'each key once', 'it a second time', 'remove one of the two', key);
      } else {
        place(inner, key);
        made[name] = dataOf(value, inner);
      }
    }
    return made;
  }

  function place(path: Path, node: unknown): void {
    const offset = startOf(node);
    if (offset !== undefined) offsets.set(pathText(path), offset);
  }

  function refuse(path: Path, expected: string, found: string, todo: string, node?: unknown): void {
    const offset = startOf(node);
    faults.push({ path, expected, found, todo, ...(offset === undefined ? {} : { offset }) });
  }
}

function startOf(node: unknown): number | undefined {
  return isAlias(node) || isMap(node) || isScalar(node) || isSeq(node) ? node.range?.[0] : undefined;
}
