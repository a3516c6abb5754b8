import {
  type Config,
  type ConfigPath,
  type Finding,
  isToolKey,
  splitKey,
  type ToolKey,
  type ValueAt,
} from './config.ts';
import { KEY_PATHS, KEYS, type Key, type KeyPath } from './keys.ts';

const OF_TOTAL = 'of a tiers.total of 100000, and the same part of another';

interface Constant<T = unknown> {
  readonly value: T;
  readonly why: string;
}

type Constants = { readonly [P in Exclude<ConfigPath, KeyPath>]: Constant<ValueAt<P>> };

/** Values that nobody has a reason to change. A file that sets one gets the reason in a warning. */
const CONSTANTS: Constants = {
  'compaction.maxAttempts': { value: 2, why: 'where two freed nothing, a third frees nothing either' },
  'midTurn.maxCompactions': { value: 5, why: 'a context that is full again at once, five times over, stays so' },
  'memory.restoreTokens': {
    value: 1_500,
    why: 'evidence and a running prompt share the 9,000 characters that claude takes whole',
  },
  'zones.monitor': { value: 0.3, why: 'this zone is recorded, and nothing else; it keeps below zones.warning' },
  'zones.warning': { value: 0.5, why: 'nothing is done there but telling; it keeps below thresholds.warn' },
  'zones.largeInWarning': {
    value: 5_000,
    why: 'it is what a small task may bring in; zones.onLargeTask says what follows',
  },
  'zones.largeInCritical': {
    value: 2_000,
    why: 'it is what a tiny task may bring in; zones.onLargeTask says what follows',
  },
  'zones.repromptMinutes': { value: 10, why: 'a stopping point takes minutes; zones.tellAgent switches all of it off' },
  'handoff.timeoutSeconds': {
    value: 300,
    why: 'a document takes a minute or two; the notes stand in for one that does not come',
  },
  'cost.warnAt': { value: 0.8, why: 'it leaves room to wrap up; the limit itself is cost.limitUsd' },
  'cost.expiredCacheUsd': { value: 0.25, why: 'it is a notice, and comes once a pause; quiet switches notices off' },
  'recovery.maxRestarts': {
    value: 3,
    why: 'what kills claude three times in a row kills it again; see recovery.enabled',
  },
  'hooks.watchdogSeconds': { value: 2, why: 'a hook that waits so long for the one before it finds it stuck' },
  'tiers.system': { value: 8_000, why: OF_TOTAL },
  'tiers.history': { value: 12_000, why: OF_TOTAL },
  'tiers.toolResults': { value: 40_000, why: `${OF_TOTAL}; tools.perCall limits a single result` },
  'tiers.user': { value: 10_000, why: 'what the caller says is measured, and counts against tiers.total' },
  'tiers.response': { value: 30_000, why: OF_TOTAL },
  'tools.minTokens': { value: 500, why: 'with less of a result the agent only asks again' },
  'tools.warnBelow': { value: 20_000, why: 'the agent is told once what is left is two or three results of tools' },
  'tools.criticalBelow': { value: 10_000, why: 'the agent is told again at half of tools.warnBelow' },
};

const BY_NOTE = 'ctxb note, called by the agent, a hook or a script, says it';

/** The keys that there are no more, with what became of them. */
const GONE: Readonly<Record<string, string>> = {
  showInjected: 'the option --show-injected of ctxb run does it',
  'memory.remind': 'what a compaction loses is handed back, whether the agent opens its notes or not',
  'memory.statePattern': BY_NOTE,
  'memory.deadEndPattern': BY_NOTE,
};

/** Earlier options of `ctxb run`, and their keys. */
export const OLD_OPTIONS: Readonly<Record<string, string>> = {
  '--expired-cache-notice': 'cost.expiredCacheUsd',
  '--state-pattern': 'memory.statePattern',
  '--dead-end-pattern': 'memory.deadEndPattern',
};

/** Keys that set nothing, and the words that say so. */
export const OLD_KEYS: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(CONSTANTS).map(([key, { value, why }]) => [key, `, it is always ${value}: ${why}`]),
  ...Object.entries(GONE).map(([key, why]) => [key, `: ${why}`]),
]);

/**
 * The warning for a key that cannot be set; undefined for every other key.
 *
 * @param where the file or the variable that was to set it
 */
export function oldKey(key: string, where: string): Finding | undefined {
  const became = Object.hasOwn(OLD_KEYS, key) ? OLD_KEYS[key] : undefined;
  return became === undefined ? undefined : { key, message: `${key}: sets nothing${became} (${where}); remove it` };
}

/** Whether keys of a group, of which there may be no others, can't be set any more. */
export function hasConstants(group: string): boolean {
  return Object.keys(OLD_KEYS).some((path) => path.startsWith(`${group}.`));
}

/** What holds where nobody says otherwise. A key without a default is not there. */
export const DEFAULTS: Config = withValues({ tools: { byTool: {} }, agents: {} } as unknown as Config, [
  ...KEY_PATHS.map((path) => [path, (KEYS[path] as Key).preset] as const).filter(([, preset]) => preset !== undefined),
  ...Object.entries(CONSTANTS).map(([path, { value }]) => [path as ConfigPath, value] as const),
]);

/** Puts values in their places, of known keys and names of tools only: so nobody's name can reach a prototype. */
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
