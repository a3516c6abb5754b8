import * as v from 'valibot';
import { KEYS, type Key, type KeyPath } from '../../src/config/keys.ts';
import { type KeySchema, keySchemaFor, namesIn, SETTINGS, TOOL_SCHEMA } from '../../src/config/schema.ts';
import { schemaOf } from '../../src/config/values.ts';

type GroupOf<P extends string> = P extends `${infer G}.${string}` ? G : never;

/** Descriptions of the groups of a configuration file. */
export const GROUPS = {
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
} satisfies Record<GroupOf<KeyPath>, string> as Readonly<Record<string, string>>;

/** The schema of a configuration file, for editors. ctxb itself checks each value by its own schema. */
export const settingsSchema = v.pipe(
  v.strictObject(Object.fromEntries(SETTINGS.map((name) => [name, settingSchema(name)]))),
  v.title('ctxb configuration'),
);

function settingSchema(name: string): KeySchema {
  if (name === '$schema')
    return v.optional(v.pipe(schemaOf('text'), v.description('The JSON Schema for editors; ignored.')));
  const names = namesIn(name);
  if (names.length === 0) return optional(name as KeyPath);
  const entries = Object.fromEntries(names.map((own) => [own, optional(`${name}.${own}` as KeyPath)]));
  const schema = name === 'tools' ? v.objectWithRest(entries, TOOL_SCHEMA) : v.strictObject(entries);
  return v.optional(v.pipe(schema, v.description(GROUPS[name] ?? '')), {});
}

function optional(path: KeyPath): v.GenericSchema {
  const key: Key = KEYS[path];
  return v.optional(keySchemaFor(key), key.preset);
}
