import { isAlias, isMap, isScalar, isSeq, type Node, visit } from 'yaml';
import { shown } from '../../config/finding.ts';
import { MAX_LEVELS } from '../../config/yaml.ts';
import { type Path, pathText, type Refuse } from './fault.ts';

/** With all aliases written out: a few lines of them can stand for more than there is memory. */
const MAX_VALUES = 100_000;

const CORE_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/;

/**
 * Turns nodes into strings, numbers, booleans, null, lists and objects, and nothing else: what a tag asks for is not made,
 * and keys that every object inherits are left out. Each of these is a fault.
 */
export function toData(root: Node | null, refuse: Refuse) {
  const offsets = new Map<string, number>();
  const targets = aliasTargets(root);
  const open = new Set<Node>();
  let values = 0;
  return { value: dataOf(root, []), offsetOf };

  /** Where the key or the item of a path begins in the text, or the nearest one above it. */
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
    return isScalar(node) ? within(node, path, () => node.value) : null;
  }

  function isTooMuch(path: Path): boolean {
    const deep = path.length > MAX_LEVELS;
    if (deep) refuse(path.slice(0, 1), `at most ${MAX_LEVELS} levels`, 'more, with its aliases', 'make it flatter');
    if (values === MAX_VALUES) refuse([], `at most ${MAX_VALUES} values`, 'more, with its aliases', 'make it smaller');
    return deep || values >= MAX_VALUES;
  }

  function aliased(node: Node & { source: string }, path: Path): unknown {
    const target = targets.get(node);
    if (target !== undefined && !open.has(target)) return dataOf(target, path);
    const found = `${shown(`*${node.source}`)}${target === undefined ? '' : ', which contains itself'}`;
    refuse(path, 'an alias of an anchor above it', found, 'write the value out');
    return null;
  }

  function within<T>(node: Node & { tag?: string }, path: Path, make: () => T): T {
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) {
      refuse(path, 'plain data', `the tag ${shown(node.tag)}`, 'remove the tag');
    }
    open.add(node);
    const made = make();
    open.delete(node);
    return made;
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
        refuse(inner, 'a name of your own', `${shown(name)}, which every object has`, 'rename it', {
          offset: startOf(key),
        });
      } else if (Object.hasOwn(made, name)) {
        refuse(inner, 'each key once', 'it a second time', 'remove one of the two', { offset: startOf(key) });
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
}

/** For each alias, the last node above it with its anchor. (The library's own search goes through all nodes for each.) */
function aliasTargets(root: Node | null): ReadonlyMap<Node, Node | undefined> {
  const byName = new Map<string, Node>();
  const targets = new Map<Node, Node | undefined>();
  visit(root, {
    Node(_, node: Node & { readonly anchor?: string }) {
      if (isAlias(node)) targets.set(node, byName.get(node.source));
      else if (node.anchor !== undefined) byName.set(node.anchor, node);
    },
  });
  return targets;
}

function startOf(node: unknown): number | undefined {
  return isAlias(node) || isMap(node) || isScalar(node) || isSeq(node) ? node.range?.[0] : undefined;
}
