import { closest } from './closest.ts';
import type { Finding, KeyPath, Origin, ToolKey } from './config.ts';
import { finding, shown } from './finding.ts';
import { type ConfigFile, isRecord } from './read-config.ts';
import { LEAVES, leafOf, TREE } from './schema.ts';

const OR_TOOL = ' or the name of a tool such as Read, mcp__github__*';

/** A value of a key that is not yet checked. */
export interface RawValue {
  readonly key: KeyPath | ToolKey;
  readonly value: unknown;
}

/** Takes a file's content apart into values of known keys; everything else in it is a finding. */
export function checkFile({ path, content }: ConfigFile): { values: RawValue[]; findings: Finding[] } {
  const origin: Origin = { source: 'file', where: path };
  const values: RawValue[] = [];
  const findings: Finding[] = [];
  walk('', TREE, content);
  return { values, findings };

  function walk(prefix: string, level: typeof TREE, tree: unknown): void {
    if (!isRecord(tree)) {
      findings.push(noLevel(prefix, level.keys(), tree));
      return;
    }
    for (const [name, value] of Object.entries(tree)) visit(prefix + name, level, name, value);
  }

  function visit(key: string, level: typeof TREE, name: string, value: unknown): void {
    // Keys are nested: in the file's own level `tools.Read` is none.
    const node = level.get(name) ?? (level === TREE ? undefined : leafOf(key));
    if (node === undefined) findings.push(unknownKey(key, name, level));
    else if (node instanceof Map) walk(`${key}.`, node, value);
    else if (key === '$schema') findings.push(...schemaFault(value));
    else values.push({ key: key as KeyPath | ToolKey, value });
  }

  function noLevel(prefix: string, names: Iterable<string>, found: unknown): Finding {
    const expected = `an object with ${[...names].join(', ')}`;
    return finding(prefix.slice(0, -1) || path, { expected, found: shown(found), origin, todo: 'nest the keys in it' });
  }

  function unknownKey(key: string, name: string, level: typeof TREE): Finding {
    const known = [...level.keys()];
    const meant = closest(key, LEAVES.keys()) ?? closest(name, known);
    return finding(key, {
      expected: `one of ${known.join(', ')}${level === TREE.get('tools') ? OR_TOOL : ''}`,
      found: shown(name),
      origin,
      todo: meant === undefined ? 'remove it' : `did you mean ${meant}?`,
    });
  }

  function schemaFault(value: unknown): Finding[] {
    if (typeof value === 'string') return [];
    return [finding('$schema', { expected: 'a text', found: shown(value), origin, todo: 'remove it' })];
  }
}
