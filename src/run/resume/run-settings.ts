import type { KeyPath } from '../../config/keys.ts';
import type { SetValue } from '../../config/resolve-config.ts';
import { redact } from '../../store/masks/redact.ts';

export interface RunSettings {
  /** Values that were set, with their sources. Every other key had its default. */
  readonly values: readonly SetValue[];
  /** The flags for the telemetry receiver and the record. */
  readonly otlp: string | undefined;
  readonly record: string | undefined;
  /** Settings that were not recorded because they contain a secret. */
  readonly withheld: readonly string[];
}

/** Settings that depend on the present terminal or the run's folder. Their current values apply. */
const CURRENT_KEYS: ReadonlySet<string> = new Set<KeyPath>(['contextDir', 'quiet', 'statusLine']);

/** The only free texts among the values are instructions for the agent. */
export function settingsToKeep({ values, otlp, record }: Omit<RunSettings, 'withheld'>): RunSettings {
  const kept = values.filter(({ key }) => !CURRENT_KEYS.has(key));
  const isSecret = withoutSecret(otlp) !== otlp;
  return {
    values: kept.map((setting) => ({ ...setting, value: withoutSecret(setting.value) })),
    otlp: isSecret ? undefined : otlp,
    record: record === undefined ? undefined : redact(record),
    withheld: isSecret ? ['--otlp'] : [],
  };
}

function withoutSecret(value: unknown): unknown {
  return typeof value === 'string' ? redact(value) : value;
}
