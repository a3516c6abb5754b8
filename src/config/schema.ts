import * as v from 'valibot';
import { BUDGET_FIELDS, type BudgetChanges, isToolKey, splitKey } from './config.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';
import { schemaOf, text } from './values.ts';

export const GROUPS: Readonly<Record<string, string>> = {
  thresholds: 'Levels of the window at which ctxb acts.',
  compaction: 'Compaction between two turns.',
  midTurn: 'Compaction in the middle of a turn.',
  memory: 'Working memory.',
  zones: 'Notices as the context grows.',
  handoff: 'Handoffs to a fresh context.',
  cost: 'Limits on costs.',
  limits: 'Time, usage limits of the account, and outages of the API.',
  agents: 'Limits on subagents.',
  recovery: 'Restarts of claude.',
  flow: 'Briefings of all flows, unless a flow sets its own.',
  tiers: 'The plan for the context.',
  tools: 'Budgets for results of tools.',
};

const TOOL_KEY: Key = {
  takes: 'share',
  about: "Budget for one tool instead of perCall, by the tool's name; * stands for any characters. In a file only.",
};

export type Leaf = v.GenericSchema;

export const LEAVES: ReadonlyMap<KeyPath, Leaf> = new Map(KEY_PATHS.map((path) => [path, leafFor(KEYS[path])]));

export const TOOL_LEAF: Leaf = leafFor(TOOL_KEY);

function leafFor({ takes, about }: Key): Leaf {
  return v.pipe(schemaOf(takes), v.description(about));
}

/** Names at the top level of a file: keys, and groups of keys. */
export const SETTINGS: readonly string[] = ['$schema', ...new Set(KEY_PATHS.map((path) => splitKey(path)[0]))];

export function namesIn(group: string): string[] {
  return KEY_PATHS.map(splitKey).flatMap(([own, name]) => (own === group && name !== undefined ? [name] : []));
}

export const settingsSchema = v.pipe(
  v.strictObject(Object.fromEntries(SETTINGS.map((name) => [name, settingSchema(name)]))),
  v.title('ctxb configuration'),
);

function settingSchema(name: string): Leaf {
  if (name === '$schema') return v.optional(v.pipe(text, v.description('The JSON Schema for editors; ignored.')));
  const names = namesIn(name);
  if (names.length === 0) return optional(name as KeyPath);
  const entries = Object.fromEntries(names.map((own) => [own, optional(`${name}.${own}` as KeyPath)]));
  const schema = name === 'tools' ? v.objectWithRest(entries, TOOL_LEAF) : v.strictObject(entries);
  return v.optional(v.pipe(schema, v.description(GROUPS[name] ?? '')), {});
}

function optional(path: KeyPath): v.GenericSchema {
  const key: Key = KEYS[path];
  return v.optional(leafFor(key), key.preset);
}

/** Budget keys, which each level of a flow file accepts too. */
export const budgetEntries = Object.fromEntries(
  (['preset', ...BUDGET_FIELDS] as const).map((key) => [key, v.exactOptional(leafFor(KEYS[`flow.${key}`]))]),
) as {
  readonly [K in keyof BudgetChanges]-?: v.ExactOptionalSchema<
    v.GenericSchema<unknown, NonNullable<BudgetChanges[K]>>,
    undefined
  >;
};

/** The schema of a key's value, including overrides for a tool; undefined for an unknown key. */
export function leafOf(key: string): Leaf | undefined {
  return LEAVES.get(key as KeyPath) ?? (isToolKey(key) ? TOOL_LEAF : undefined);
}

export function expectation(leaf: Leaf, value: unknown): string | undefined {
  return v.safeParse(leaf, value).issues?.[0].message;
}

export function normalize(key: string, value: unknown): unknown {
  return v.parse(leafOf(key) ?? v.unknown(), value);
}
