import { RESTORE_TOKENS } from '../core/protocol/exact-plan.ts';
import { type Config, type ConfigPath, isToolKey, splitKey, type ToolKey, type ValueAt } from './config.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';

/** Values without a configuration key, each with the reason why nobody needs to change it. */
const CONSTANTS: { readonly [P in Exclude<ConfigPath, KeyPath>]: ValueAt<P> } = {
  // The default of thresholds.compact. A level that is set there replaces it.
  'compaction.moment': 'economic',
  // If two compactions freed nothing, a third frees nothing either.
  'compaction.maxAttempts': 2,
  // Evidence and a running prompt share the 9,000 characters that claude accepts uncut.
  'memory.restoreTokens': RESTORE_TOKENS,
  // This zone is only recorded. It stays below zones.warning.
  'zones.monitor': 0.3,
  // This zone only triggers a notice. It stays below thresholds.warn.
  'zones.warning': 0.5,
  // Writing a document takes a minute or two. After the timeout, the notes replace it.
  'handoff.timeoutSeconds': 300,
  // After three crashes in a row, a fourth is likely; see recovery.enabled.
  'recovery.maxRestarts': 3,
  // After a shorter result, the agent only asks again.
  'tools.minTokens': 500,
  // Warns the agent once that two or three results fit into the rest.
  'tools.warnBelow': 20_000,
  // Warns the agent again at half of tools.warnBelow.
  'tools.criticalBelow': 10_000,
};

/**
 * Tokens. An agent that reads a whole file likely needs all of it, and reading the rest of a cut file costs another
 * call. claude itself returns at most this much of a file.
 */
const WHOLE_FILES = { Read: 25_000 };

/** The latest compaction level of `economic`, as a fraction of the window. */
const LATEST = 0.78;

/** The value of a key in the configuration. A compaction level sets the moment and the latest level. */
export function settingsFor(key: ConfigPath | ToolKey, value: unknown): (readonly [ConfigPath | ToolKey, unknown])[] {
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
    return preset === undefined ? [] : settingsFor(path, preset);
  }),
  ...Object.entries(CONSTANTS).map(([path, value]) => [path as ConfigPath, value] as const),
]);

/** Sets values by their keys. Accepts only known keys and tool names, so no name can reach a prototype. */
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
