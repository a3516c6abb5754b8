import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { resolveConfig } from '../../src/config/resolve-config.ts';
import { KEY_SCHEMAS } from '../../src/config/schema.ts';
import { editorSchema } from '../support/editor-schema.ts';
import { settingsSchema } from '../support/settings-schema.ts';

const EXAMPLE = new URL('../../.contextbudgetrc.example.json', import.meta.url);
const example: unknown = JSON.parse(readFileSync(EXAMPLE, 'utf8'));

interface Node {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: boolean | Node;
  readonly patternProperties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly description?: string;
}

const schema = editorSchema(settingsSchema) as Node;

/** As much of JSON Schema as this schema uses. */
function accepts(node: Node, value: unknown): boolean {
  if (node.anyOf) return node.anyOf.some((option) => accepts(option, value));
  if (node.enum) return node.enum.includes(value);
  if (node.type === 'object') {
    return Object.entries(Object(value)).every(([key, part]) => {
      const patterns = Object.entries(node.patternProperties ?? {});
      const property = node.properties?.[key] ?? patterns.find(([pattern]) => new RegExp(pattern).test(key))?.[1];
      const other = node.additionalProperties;
      if (property !== undefined) return accepts(property, part);
      return typeof other === 'object' ? accepts(other, part) : other !== false;
    });
  }
  if (typeof value === 'number') {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = node;
    const kind = node.type === 'number' || (node.type === 'integer' && Number.isInteger(value));
    return kind && value >= minimum && value <= maximum && value > exclusiveMinimum;
  }
  return node.type === typeof value && (typeof value !== 'string' || new RegExp(node.pattern ?? '').test(value));
}

function leafPaths(node: Node, prefix = ''): string[] {
  return Object.entries(node.properties ?? {}).flatMap(([key, part]) =>
    part.properties !== undefined ? leafPaths(part, `${prefix}${key}.`) : [prefix + key],
  );
}

it('contains every key once, with a description, and allows no others', () => {
  expect(leafPaths(schema).filter((key) => key !== '$schema')).toEqual([...KEY_SCHEMAS.keys()]);
  const nodes = (node: Node): Node[] => [node, ...Object.values(node.properties ?? {}).flatMap(nodes)];
  const [, ...inner] = nodes(schema);
  expect(inner.filter(({ description }) => description === undefined)).toEqual([]);
  expect(
    nodes(schema).filter(({ properties, additionalProperties }) => properties && additionalProperties !== false),
  ).toEqual([]);
});

it.each([
  { name: 'the example', value: example, accepted: true },
  { name: 'nothing', value: {}, accepted: true },
  { name: 'an unknown key', value: { thresholds: { wran: 0.5 } }, accepted: false },
  { name: 'a percentage above 100', value: { thresholds: { warn: '101%' } }, accepted: false },
  { name: 'zero', value: { thresholds: { warn: 0 } }, accepted: false },
  { name: 'a strategy that is none', value: { strategy: 'none' }, accepted: false },
  { name: 'a cost of nothing', value: { cost: { limitUsd: 0 } }, accepted: false },
  { name: 'a threshold as a percentage', value: { thresholds: { warn: '80%' } }, accepted: true },
  { name: 'a threshold of 80 tokens', value: { thresholds: { warn: 80 } }, accepted: false },
  { name: 'a price', value: { cost: { prices: { mine: { input: 1, output: 2 } } } }, accepted: true },
  { name: 'a price of text', value: { cost: { prices: { mine: { input: 'x', output: 2 } } } }, accepted: false },
  { name: 'a second that is none', value: { compaction: { timeoutSeconds: 0 } }, accepted: false },
  { name: 'sizes for tools', value: { tools: { Read: 12_000, 'mcp__github__*': '4%' } }, accepted: true },
  { name: 'a size for a tool that is none', value: { tools: { Read: 'all' } }, accepted: false },
  { name: 'a wrong key beside the tools', value: { tools: { perCal: 500 } }, accepted: false },
  { name: 'a tier of nothing', value: { tiers: { user: 0 } }, accepted: false },
  { name: 'a size of briefings', value: { flow: { contextBudgetChars: 90_000 } }, accepted: true },
  { name: 'half a character', value: { flow: { historyOlderChars: 0.5 } }, accepted: false },
  { name: 'a preset that is none', value: { flow: { preset: 'tiny' } }, accepted: false },
  { name: 'a choice that is none', value: { compaction: { when: 'later' } }, accepted: false },
])('$name', ({ value, accepted }) => {
  expect(accepts(schema, value)).toBe(accepted);
});

it('the example is a valid configuration that sets every key', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ctxb-config-'));
  try {
    copyFileSync(EXAMPLE, join(folder, '.contextbudgetrc.json'));
    const { sources, findings } = await resolveConfig({ cwd: folder, env: {}, flags: {} });
    expect(findings).toEqual([]);
    expect(Object.entries(sources).filter(([, { source }]) => source !== 'file')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
