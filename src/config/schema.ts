import * as v from 'valibot';
import type { Config, KeyPath } from './config.ts';
import { DEFAULTS } from './defaults.ts';
import {
  compaction,
  cost,
  flow,
  handoff,
  hooks,
  memory,
  midTurn,
  recovery,
  thresholds,
  tiers,
  tools,
  zones,
} from './group-schemas.ts';
import { isToolKey } from './key-path.ts';
import { choice, flag, folder, text, tokens } from './value-schemas.ts';

/** What a configuration file may say. Reading it with `v.parse` fills in the defaults. */
export const settingsSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(v.pipe(text, v.description('The JSON Schema for editors; ignored.'))),
    window: v.optional(v.pipe(tokens, v.description('Size of the context window in tokens; measured when not set.'))),
    thresholds: v.optional(v.pipe(thresholds, v.description('How full the window is when ctxb acts.')), {}),
    strategy: v.optional(
      v.pipe(
        choice(['compact', 'handoff', 'auto']),
        v.description('How the context is relieved between two turns; auto: what costs less for what it frees.'),
      ),
      DEFAULTS.strategy,
    ),
    compaction: v.optional(v.pipe(compaction, v.description('Compaction at turn boundaries.')), {}),
    midTurn: v.optional(v.pipe(midTurn, v.description('Compaction in the middle of a turn.')), {}),
    task: v.optional(v.pipe(text, v.description('What the agent works on: {task} of compaction.focus.'))),
    state: v.optional(v.pipe(text, v.description('Where the work stands: {state} of compaction.focus.'))),
    observe: v.optional(v.pipe(flag, v.description('Watch and report only, never act.')), DEFAULTS.observe),
    quiet: v.optional(v.pipe(flag, v.description('No notices on stderr.')), DEFAULTS.quiet),
    showInjected: v.optional(
      v.pipe(flag, v.description("Show the turns that ctxb injected in claude's output.")),
      DEFAULTS.showInjected,
    ),
    statusLine: v.optional(
      v.pipe(choice(['auto', 'always', 'never']), v.description('The status line; auto: only on a terminal.')),
      DEFAULTS.statusLine,
    ),
    contextDir: v.optional(v.pipe(folder, v.description('The folder for what ctxb keeps.')), DEFAULTS.contextDir),
    memory: v.optional(v.pipe(memory, v.description('Working memory.')), {}),
    zones: v.optional(v.pipe(zones, v.description('What is said on the way up.')), {}),
    handoff: v.optional(v.pipe(handoff, v.description('Handing the work over to a fresh context.')), {}),
    cost: v.optional(v.pipe(cost, v.description('Limits of what may be spent.')), {}),
    recovery: v.optional(v.pipe(recovery, v.description('What happens when claude dies.')), {}),
    hooks: v.optional(v.pipe(hooks, v.description('Hooks over the control channel.')), {}),
    flow: v.optional(v.pipe(flow, v.description('Briefings of all flows that say nothing else.')), {}),
    tiers: v.optional(v.pipe(tiers, v.description('What the context is planned for.')), {}),
    // The last, because sources and `ctxb config` list the overrides of tools at the end.
    tools: v.optional(v.pipe(tools, v.description('What results of tools may take.')), {}),
  } satisfies Record<keyof Config | '$schema', v.GenericSchema>),
  v.title('ctxb configuration'),
);

/** A whole configuration before it is normalised: thresholds may still be percentages. */
export type Settings = v.InferOutput<typeof settingsSchema>;

/** The schema of one key's value. */
export type Leaf = v.GenericSchema;

/** The keys of a group by their names. */
type Group = ReadonlyMap<string, Leaf>;

const GROUPS: Readonly<Record<string, Readonly<Record<string, Leaf>>>> = {
  thresholds: thresholds.entries,
  compaction: compaction.entries,
  midTurn: midTurn.entries,
  memory: memory.entries,
  zones: zones.entries,
  handoff: handoff.entries,
  cost: cost.entries,
  recovery: recovery.entries,
  hooks: hooks.entries,
  flow: flow.entries,
  tiers: tiers.entries,
  tools: tools.entries,
};

/** The settings of a file by name, in the schema's order: leaves and groups of leaves. */
export const TREE: ReadonlyMap<string, Leaf | Group> = new Map(
  Object.entries(settingsSchema.entries).map(([name, leaf]) => {
    const group = GROUPS[name];
    return [name, group === undefined ? leaf : new Map(Object.entries(group))];
  }),
);

/** Every key of `Config` with the schema of its value; `$schema` is none. */
export const LEAVES: ReadonlyMap<KeyPath, Leaf> = new Map([...TREE].flatMap(leavesOf));

function leavesOf([name, node]: [string, Leaf | Group]): [KeyPath, Leaf][] {
  if (name === '$schema') return [];
  if (!(node instanceof Map)) return [[name as KeyPath, node as Leaf]];
  return [...(node as Group)].map(([key, leaf]) => [`${name}.${key}` as KeyPath, leaf]);
}

/** The schema of a key's value, also of an override for one tool; undefined where there is no such key. */
export function leafOf(key: string): Leaf | undefined {
  return LEAVES.get(key as KeyPath) ?? (isToolKey(key) ? tools.rest : undefined);
}

/** What the key expects instead of this value, in words; `undefined` when the value is fine. */
export function expectation(leaf: Leaf, value: unknown): string | undefined {
  return v.safeParse(leaf, value).issues?.[0].message;
}

/** Puts the defaults round values that were checked one by one. */
export function completeSettings(values: unknown): Settings {
  return v.parse(settingsSchema, values);
}
