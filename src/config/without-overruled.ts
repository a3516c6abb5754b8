import type { KeyPath, Origin, ToolKey } from './config.ts';

/** What a key takes the place of, where that comes from a lower place. */
const OVERRULES: Readonly<Partial<Record<KeyPath, readonly KeyPath[]>>> = {
  'flow.preset': [
    'flow.contextBudgetChars',
    'flow.historyRecentChars',
    'flow.historyOlderChars',
    'flow.contextBudgetTokens',
  ],
  'flow.contextBudgetChars': ['flow.contextBudgetTokens'],
};

/** What comes from a higher place wins. */
export const RANKS: Readonly<Record<Origin['source'], number>> = { default: 0, file: 1, env: 2, flag: 3 };

/**
 * Leaves out what another key overrules. In one place sizes of their own stand above a preset, and tokens above
 * characters; without this those of a file would also swallow a preset or characters in a variable.
 */
export function withoutOverruled<V extends { readonly origin: Origin }>(
  values: ReadonlyMap<KeyPath | ToolKey, V>,
): ReadonlyMap<KeyPath | ToolKey, V> {
  const rankOf = (key: string) => RANKS[values.get(key as KeyPath)?.origin.source ?? 'default'];
  const overruled = Object.entries(OVERRULES).flatMap(([key, others]) =>
    others.filter((other) => rankOf(other) < rankOf(key)),
  );
  return new Map([...values].filter(([key]) => !overruled.some((other) => other === key)));
}
