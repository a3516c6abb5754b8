import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import { shown } from '../../config/finding.ts';
import { type Path, pathText, type Refuse } from './fault.ts';

const CORE_TAG = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq))$/;

/**
 * Converts YAML nodes to plain data: strings, numbers, booleans, null, lists and objects. Tags and aliases are not
 * resolved, and keys that every object inherits are dropped; each of these is reported as a fault.
 */
export function toData(root: Node | null, refuse: Refuse) {
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
    if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
    if (node.tag !== undefined && !CORE_TAG.test(node.tag)) {
      refuse(path, 'plain data', `the tag ${shown(node.tag)}`, 'remove the tag');
    }
    if (isMap(node)) return objectOf(node.items, path);
    return isSeq(node) ? node.items.map((item, index) => notePlace(item, item, [...path, index])) : node.value;
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
  return isAlias(node) || isMap(node) || isScalar(node) || isSeq(node) ? node.range?.[0] : undefined;
}
