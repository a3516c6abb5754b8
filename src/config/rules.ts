import { inTokens, NATIVE_RESERVE_TOKENS } from '../governor/policy.ts';
import type { Config, Finding, KeyPath, Origin } from './config.ts';
import { finding } from './finding.ts';
import { isBelow } from './is-below.ts';

/** The least window that claude's own trigger can be set for (measured); a smaller one is a budget below claude's. */
const LEAST_NATIVE_WINDOW = 100_000;

/** What must hold between keys. Thresholds in different units are compared only when the window is known. */
export function checkRules(config: Config, origins: Readonly<Record<KeyPath, Origin>>): Finding[] {
  const { thresholds, compaction, zones, window } = config;
  const monitor = { key: 'zones.monitor', value: zones.monitor } as const;
  const warning = { key: 'zones.warning', value: zones.warning } as const;
  const warn = { key: 'thresholds.warn', value: thresholds.warn } as const;
  const compact = { key: 'thresholds.compact', value: thresholds.compact } as const;
  const handoff = { key: 'thresholds.handoff', value: thresholds.handoff } as const;
  const midTurn = { key: 'thresholds.midTurn', value: thresholds.midTurn } as const;
  const target = { key: 'compaction.target', value: compaction.target } as const;
  return [
    ...inOrder(monitor, warning),
    ...inOrder(warning, warn),
    ...inOrder(warn, compact),
    ...(compaction.enabled ? inOrder(compact, handoff) : inOrder(warn, handoff)),
    ...inOrder(compact, midTurn),
    ...inOrder(target, compact),
    ...belowNativeTrigger(),
  ];

  function inOrder(lower: Mark, upper: Mark): Finding[] {
    if (isBelow(lower.value, upper.value, window) !== false) return [];
    return [
      finding(lower.key, {
        expected: `less than ${upper.key} (${upper.value})`,
        found: String(lower.value),
        origin: origins[lower.key],
        todo: `lower it or raise ${upper.key}`,
      }),
    ];
  }

  function belowNativeTrigger(): Finding[] {
    // A default that cannot fire is nobody's mistake: then only mid-turn compactions happen.
    if (window === undefined || window < LEAST_NATIVE_WINDOW || origins[compact.key].source === 'default') return [];
    const highest = window - NATIVE_RESERVE_TOKENS;
    if (inTokens(thresholds.compact, window) <= highest) return [];
    const fraction = Math.floor((highest / window) * 1000) / 1000;
    return [
      finding(compact.key, {
        expected: `at most ${fraction} of the window of ${window} tokens (${highest} tokens)`,
        found: String(thresholds.compact),
        origin: origins[compact.key],
        todo: `claude compacts by itself ${NATIVE_RESERVE_TOKENS} tokens below its window, so this would never happen: lower it`,
      }),
    ];
  }
}

interface Mark {
  readonly key: KeyPath;
  readonly value: number;
}
