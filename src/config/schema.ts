import * as v from 'valibot';
import { BUDGET_FIELDS, type BudgetChanges, splitKey, type ToolKey } from './config.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';
import { schemaOf } from './values.ts';

export type KeySchema = v.GenericSchema;

export const KEY_SCHEMAS: ReadonlyMap<KeyPath, KeySchema> = new Map(
  KEY_PATHS.map((path) => [path, keySchemaFor(KEYS[path])]),
);

/** The schema of the budget for one tool, which replaces `tools.perCall`. */
export const TOOL_SCHEMA: KeySchema = keySchemaFor({
  type: 'share',
  description:
    "Budget for one tool instead of perCall, by the tool's name; * stands for any characters. In a file only.",
});

export function keySchemaFor({ type, description }: Key): KeySchema {
  return v.pipe(schemaOf(type), v.description(description));
}

/** Names at the top level of a file: keys, and groups of keys. */
export const SETTINGS: readonly string[] = ['$schema', ...new Set(KEY_PATHS.map((path) => splitKey(path)[0]))];

export function namesIn(group: string): string[] {
  return KEY_PATHS.map(splitKey).flatMap(([own, name]) => (own === group && name !== undefined ? [name] : []));
}

/** Budget keys, which each level of a flow file accepts too. */
export const budgetEntries = Object.fromEntries(
  (['preset', ...BUDGET_FIELDS] as const).map((key) => [key, v.exactOptional(keySchemaFor(KEYS[`flow.${key}`]))]),
) as {
  readonly [K in keyof BudgetChanges]-?: v.ExactOptionalSchema<
    v.GenericSchema<unknown, NonNullable<BudgetChanges[K]>>,
    undefined
  >;
};

/** A key's value in the form that the program uses, and what the key expects instead if the value is invalid. */
export function readValue(key: KeyPath | ToolKey, value: unknown) {
  const { output, issues } = v.safeParse(KEY_SCHEMAS.get(key as KeyPath) ?? TOOL_SCHEMA, value);
  return { setting: output, expected: issues?.[0].message };
}
