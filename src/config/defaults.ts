import { type Config, type ConfigPath, isToolKey, splitKey, type ToolKey, type ValueAt } from './config.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';

type Constants = { readonly [P in Exclude<ConfigPath, KeyPath>]: ValueAt<P> };

/** Values that no one has a reason to change, each with its reason. */
const CONSTANTS: Constants = {
  // `economic` of thresholds.compact; a level that is set there takes its place.
  'compaction.moment': 'economic',
  // If two compactions freed nothing, a third frees nothing either.
  'compaction.maxAttempts': 2,
  // A context that is full again at once, five times over, stays so.
  'midTurn.maxCompactions': 5,
  // Evidence and a running prompt share the 9,000 characters that claude takes whole.
  'memory.restoreTokens': 1_500,
  // This zone is recorded, and nothing else; it keeps below zones.warning.
  'zones.monitor': 0.3,
  // Nothing is done there but telling; it keeps below thresholds.warn.
  'zones.warning': 0.5,
  // It is what a small task may bring in; zones.onLargeTask says what follows.
  'zones.largeInWarning': 5_000,
  // It is what a tiny task may bring in; zones.onLargeTask says what follows.
  'zones.largeInCritical': 2_000,
  // A stopping point takes minutes. zones.tellAgent switches these messages off.
  'zones.repromptMinutes': 10,
  // A document takes a minute or two; after that the notes replace it.
  'handoff.timeoutSeconds': 300,
  // It leaves room to wrap up; the limit itself is cost.limitUsd.
  'cost.warnAt': 0.8,
  // It is a notice, and comes once a pause; quiet switches notices off.
  'cost.expiredCacheUsd': 0.25,
  // A cause that kills claude three times in a row kills it again; see recovery.enabled.
  'recovery.maxRestarts': 3,
  // Of a tiers.total of 100,000, and the same part of another.
  'tiers.system': 8_000,
  // Of a tiers.total of 100,000, and the same part of another.
  'tiers.history': 12_000,
  // For a tiers.total of 100,000; scaled for others. tools.perCall limits a single result.
  'tiers.toolResults': 40_000,
  // The caller's input is measured, and counts against tiers.total.
  'tiers.user': 10_000,
  // Of a tiers.total of 100,000, and the same part of another.
  'tiers.response': 30_000,
  // With a shorter result the agent only asks again.
  'tools.minTokens': 500,
  // Tells the agent once that the rest is two or three results of tools.
  'tools.warnBelow': 20_000,
  // Tells the agent again at half of tools.warnBelow.
  'tools.criticalBelow': 10_000,
};

/**
 * A file that is read whole is likely needed whole, and fetching the rest of a cut one costs a call. claude itself
 * returns at most this much of a file.
 */
const WHOLE_FILES = { Read: 25_000 };

/** The last level of `economic`. */
const LATEST = 0.78;

/** A level for compacting is both the moment and the latest moment. */
export function placed(key: ConfigPath | ToolKey, value: unknown): (readonly [ConfigPath | ToolKey, unknown])[] {
  if (key !== 'thresholds.compact') return [[key, value]];
  return [
    [key, value === 'economic' ? LATEST : value],
    ['compaction.moment', value],
  ];
}

/** The defaults. A key without a default is absent. */
export const DEFAULTS: Config = withValues({ tools: { byTool: WHOLE_FILES }, agents: {} } as unknown as Config, [
  ...KEY_PATHS.flatMap((path) => {
    const { preset }: Key = KEYS[path];
    return preset === undefined ? [] : placed(path, preset);
  }),
  ...Object.entries(CONSTANTS).map(([path, value]) => [path as ConfigPath, value] as const),
]);

/** Sets values by their keys. It accepts only known keys and names of tools, so no name can reach a prototype. */
export function withValues(
  config: Config,
  values: Iterable<readonly [key: ConfigPath | ToolKey, value: unknown]>,
): Config {
  const tree: Record<string, unknown> = { ...config };
  const tools: Record<string, unknown> = { ...config.tools.byTool };
  for (const [key, value] of values) {
    const [group, name] = splitKey(key);
    if (name === undefined) tree[group] = value;
    else if (isToolKey(key)) tools[name] = value;
    else tree[group] = { ...Object(tree[group]), [name]: value };
  }
  return { ...tree, tools: { ...Object(tree.tools), byTool: tools } } as unknown as Config;
}
