import { RANKS, valueAt } from '../../config/config.ts';
import { KEY_PATHS, type KeyPath } from '../../config/keys.ts';
import type { ResolvedConfig, SetValue } from '../../config/resolve-config.ts';
import { redact } from '../../store/masks/redact.ts';

export interface RunSettings {
  /** The values that somebody had set, with their sources; every other key was at its default. */
  readonly values: readonly SetValue[];
  /** The flags for the telemetry receiver and the record. */
  readonly otlp: string | undefined;
  readonly record: string | undefined;
  /** Settings that were not recorded because they contain a secret. */
  readonly withheld: readonly string[];
}

/** Settings of the present terminal and the place of the run: the present values apply. */
const OF_NOW: ReadonlySet<string> = new Set<KeyPath>(['contextDir', 'quiet', 'statusLine']);

/** The settings for the file, without secrets. The only texts among the keys are words for the agent. */
export function settingsToKeep({ values, otlp, record }: Omit<RunSettings, 'withheld'>): RunSettings {
  const kept = values.filter(({ key }) => !OF_NOW.has(key));
  const isSecret = withoutSecret(otlp) !== otlp;
  return {
    values: kept.map((one) => ({ ...one, value: withoutSecret(one.value) })),
    otlp: isSecret ? undefined : otlp,
    record: record === undefined ? undefined : redact(record),
    withheld: isSecret ? ['--otlp'] : [],
  };
}

function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' ? redact(value) : value;
}

/** Changes made by flags: `cost.limitUsd 0.05 (was 0.03)`. */
export function changesOf(before: ResolvedConfig, after: ResolvedConfig): string[] {
  const given = KEY_PATHS.filter((key) => after.sources[key].source === 'flag');
  return given.flatMap((key) => {
    const [was, is] = [shown(before, key), shown(after, key)];
    return OF_NOW.has(key) || was === is ? [] : [`${key} ${is} (was ${was})`];
  });
}

/** Present settings in files and variables that the run ignores: `cost.limitUsd 5 (/project/.contextbudgetrc)`. */
export function unheeded(now: readonly SetValue[], { values }: RunSettings): string[] {
  return now.flatMap(({ key, value, origin }) => {
    const kept = values.find((one) => one.key === key);
    // A setting of lower rank than the run's own stays below it.
    const isBelow = RANKS[origin.source] < RANKS[kept?.origin.source ?? 'default'];
    const isSame = JSON.stringify(kept?.value) === JSON.stringify(withoutSecret(value));
    if (OF_NOW.has(key) || origin.source === 'flag' || isBelow || isSame) return [];
    return [`${key} ${JSON.stringify(withoutSecret(value))} (${origin.where ?? origin.source})`];
  });
}

function shown({ config }: ResolvedConfig, key: KeyPath): string {
  const value = valueAt(config, key);
  return value === undefined ? 'not set' : JSON.stringify(withoutSecret(value));
}
