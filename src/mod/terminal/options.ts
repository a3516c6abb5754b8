import { DEFAULTS } from '../../config/defaults.ts';
import type { Policy } from '../../core/governor/policy.ts';

/** What the person has set of the plugin: `userConfig` in plugin.json has the defaults. */
export type Options = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** The defaults of a run, with these levels. The plugin compacts at the end of a turn, and hands nothing over. */
export function policyFor({ moment, compactAt, warnAt }: Options): Policy {
  const { thresholds, compaction, handoff } = DEFAULTS;
  return {
    ...DEFAULTS,
    thresholds: {
      ...thresholds,
      compact: shareOf(compactAt) ?? thresholds.compact,
      warn: shareOf(warnAt) ?? thresholds.warn,
    },
    compaction: { ...compaction, when: 'boundary', moment: shareOf(moment) ?? 'economic' },
    handoff: { ...handoff, enabled: false },
  };
}

/** Of percent; undefined: it is none. */
function shareOf(value: unknown): number | undefined {
  const percent = Number(typeof value === 'string' ? value.trim().replace(/ ?%$/, '') : value);
  return percent >= 1 && percent <= 100 ? percent / 100 : undefined;
}
