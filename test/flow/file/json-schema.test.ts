import { expect, it } from 'vitest';
import { flowFileSchema } from '../../../src/flow/file/flow-schema.ts';
import { editorSchema } from '../../support/editor-schema.ts';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: boolean | Node;
  readonly required?: readonly string[];
  readonly description?: string;
}

const schema = editorSchema(flowFileSchema) as Node;

const inside = ({ properties = {}, items, additionalProperties: other }: Node): Node[] =>
  [...Object.values(properties), ...(items ? [items] : []), ...(typeof other === 'object' ? [other] : [])].flatMap(
    (node) => [node, ...inside(node)],
  );

it('describes every key and allows no others', () => {
  const objects = [schema, ...inside(schema)].filter(({ properties }) => properties !== undefined);
  expect(objects.filter(({ additionalProperties }) => additionalProperties !== false)).toEqual([]);
  const keys = objects.flatMap(({ properties = {} }) => Object.entries(properties));
  expect(keys.filter(([, { description }]) => description === undefined)).toEqual([]);
});

it('requires a name and steps with ids only', () => {
  expect(schema.required).toEqual(['name', 'steps']);
  expect(schema.properties?.steps?.items?.required).toEqual(['id']);
  const others = inside(schema).filter((node) => node !== schema.properties?.steps?.items);
  expect(others.filter(({ required = [] }) => required.length > 0)).toEqual([]);
});

it('has the keys of a flow', () => {
  expect(Object.keys(schema.properties ?? {})).toEqual([
    '$schema',
    'name',
    'profile',
    'profiles',
    'budgets',
    'curator',
    'scentTrail',
    'steps',
  ]);
});
