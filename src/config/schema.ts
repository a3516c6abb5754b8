import * as v from 'valibot';
import type { Config, KeyPath } from './config.ts';
import { DEFAULTS } from './defaults.ts';

/** A day; timers beyond 2^31 ms would fire at once. */
const MAX_SECONDS = 86_400;

// The message of each part says what is expected; findings are built round it.
const TOKENS = 'a whole number of tokens, 1000 or more';
const SHARE = 'a fraction of the window (0 < x <= 1), a percentage such as "78%" or a whole number of tokens above 1';
const SECONDS = `a number of seconds above 0, at most ${MAX_SECONDS}`;
const ATTEMPTS = 'a whole number, 1 or more';
const RESTORE = 'a whole number of tokens from 0 to 2000';
const PATTERN = 'a regular expression';

const PERCENTAGE = /^(?:100(?:\.0+)?|(?!0+(?:\.0+)?%)\d{1,2}(?:\.\d+)?)%$/;

const flag = v.boolean('true or false');
const text = v.string('a text');
const tokens = v.pipe(v.number(TOKENS), v.integer(TOKENS), v.minValue(1000, TOKENS));
const seconds = v.pipe(v.number(SECONDS), v.gtValue(0, SECONDS), v.maxValue(MAX_SECONDS, SECONDS));
const attempts = v.pipe(v.number(ATTEMPTS), v.integer(ATTEMPTS), v.minValue(1, ATTEMPTS));
const share = v.union(
  [
    v.pipe(v.number(), v.gtValue(0), v.maxValue(1)),
    v.pipe(v.number(), v.integer(), v.minValue(2)),
    v.pipe(v.string(), v.regex(PERCENTAGE)),
  ],
  SHARE,
);
// Evidence and a running prompt share the 9,000 characters that claude takes whole.
const restoreTokens = v.pipe(v.number(RESTORE), v.integer(RESTORE), v.minValue(0, RESTORE), v.maxValue(2000, RESTORE));
const pattern = v.pipe(v.string(PATTERN), v.nonEmpty(PATTERN), v.check(isPattern, PATTERN));
const folder = v.pipe(v.string('a path'), v.nonEmpty('a path'));

function isPattern(text: string): boolean {
  try {
    return Boolean(new RegExp(text, 'm'));
  } catch {
    return false;
  }
}

function choice<const T extends readonly string[]>(options: T) {
  return v.picklist(options, `one of ${options.map((option) => `"${option}"`).join(', ')}`);
}

const thresholds = v.strictObject({
  warn: v.optional(
    v.pipe(share, v.description('The agent is asked to come to a good stopping point.')),
    DEFAULTS.thresholds.warn,
  ),
  compact: v.optional(
    v.pipe(share, v.description('The context is compacted at the next turn boundary.')),
    DEFAULTS.thresholds.compact,
  ),
  midTurn: v.optional(
    v.pipe(
      share,
      v.description("Where claude's own compaction is placed; never later than 33,000 tokens below the window."),
    ),
    DEFAULTS.thresholds.midTurn,
  ),
});

const compaction = v.strictObject({
  enabled: v.optional(v.pipe(flag, v.description('Compact at turn boundaries.')), DEFAULTS.compaction.enabled),
  when: v.optional(
    v.pipe(
      choice(['next-prompt', 'boundary']),
      v.description('Compact when a next prompt is waiting, or at once at the turn boundary.'),
    ),
    DEFAULTS.compaction.when,
  ),
  target: v.optional(v.pipe(share, v.description('A compaction should land below this.')), DEFAULTS.compaction.target),
  timeoutSeconds: v.optional(
    v.pipe(seconds, v.description('How long the verdict of a compaction is awaited.')),
    DEFAULTS.compaction.timeoutSeconds,
  ),
  maxAttempts: v.optional(
    v.pipe(attempts, v.description('Compactions tried in a row before the context counts as not relieved.')),
    DEFAULTS.compaction.maxAttempts,
  ),
  focus: v.optional(
    v.pipe(text, v.description('What the summary is to keep; {task} and {state} are filled in.')),
    DEFAULTS.compaction.focus,
  ),
});

const midTurn = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description("Place claude's own compaction at thresholds.midTurn.")),
    DEFAULTS.midTurn.enabled,
  ),
});

const memory = v.strictObject({
  enabled: v.optional(
    v.pipe(flag, v.description('Keep notes of the session outside the context.')),
    DEFAULTS.memory.enabled,
  ),
  restoreTokens: v.optional(
    v.pipe(restoreTokens, v.description('Tokens of evidence handed back after a compaction.')),
    DEFAULTS.memory.restoreTokens,
  ),
  remind: v.optional(
    v.pipe(flag, v.description('Remind the agent once of notes that it has not read.')),
    DEFAULTS.memory.remind,
  ),
  statePattern: v.optional(
    v.pipe(pattern, v.description("Finds where the work stands in the agent's words; a named group is the state.")),
  ),
  deadEndPattern: v.optional(
    v.pipe(pattern, v.description("Finds approaches that failed in the agent's words; a named group is the text.")),
  ),
});

const hooks = v.strictObject({
  watchdogSeconds: v.optional(
    v.pipe(seconds, v.description('After this time a late hook is answered so that claude proceeds.')),
    DEFAULTS.hooks.watchdogSeconds,
  ),
});

/** What a configuration file may say. Reading it with `v.parse` fills in the defaults. */
export const settingsSchema = v.pipe(
  v.strictObject({
    $schema: v.optional(v.pipe(text, v.description('The JSON Schema for editors; ignored.'))),
    window: v.optional(v.pipe(tokens, v.description('Size of the context window in tokens; measured when not set.'))),
    thresholds: v.optional(v.pipe(thresholds, v.description('How full the window is when ctxb acts.')), {}),
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
    hooks: v.optional(v.pipe(hooks, v.description('Hooks over the control channel.')), {}),
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
  hooks: hooks.entries,
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

/** What the key expects instead of this value, in words; `undefined` when the value is fine. */
export function expectation(leaf: Leaf, value: unknown): string | undefined {
  return v.safeParse(leaf, value).issues?.[0].message;
}

/** Puts the defaults round values that were checked one by one. */
export function completeSettings(values: unknown): Settings {
  return v.parse(settingsSchema, values);
}
