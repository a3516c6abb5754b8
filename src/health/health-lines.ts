import { shareOf } from '../core/governor/gauge/window.ts';
import { type HealthDetails, type HealthRecord, ZONE_NAMES } from '../core/governor/zones/zones.ts';
import { countOf, type Fields, fieldsOf, parseFields, textOf } from '../core/protocol/fields.ts';

/** The fields of a line of `health.ndjson` that the metrics use. */
export interface HealthEntry extends Pick<HealthRecord, 'project' | 'session' | 'run'> {
  readonly details: HealthDetails;
}

/**
 * Parses a line of `health.ndjson`. Returns undefined for lines that this version cannot use: truncated, of another
 * check, another `v`, an unknown event, or without a required figure.
 */
export function parseHealth(line: string): HealthEntry | undefined {
  const record = parseFields(line);
  const project = textOf(record.project);
  const run = textOf(record.run);
  const details = detailsOf(fieldsOf(record.details));
  if (record.v !== 1 || record.check_type !== 'context') return undefined;
  if (project === undefined || run === undefined || details === undefined) return undefined;
  return { project, session: textOf(record.session) ?? null, run, details };
}

function detailsOf(fields: Fields): HealthDetails | undefined {
  const tokens = countOf(fields.tokens);
  const window = countOf(fields.window) || null;
  const zone = oneOf(ZONE_NAMES, fields.zone);
  if (tokens === undefined || zone === undefined) return undefined;
  const level = { tokens, window, fraction: shareOf(tokens, window), zone };
  switch (fields.event) {
    case 'turn':
      return { ...level, event: 'turn', turn: countOf(fields.turn) ?? 0 };
    case 'zone': {
      const from = oneOf(ZONE_NAMES, fields.from);
      return from && { ...level, event: 'zone', from };
    }
    case 'compaction': {
      const trigger = oneOf(TRIGGERS, fields.trigger);
      return trigger && { ...level, event: 'compaction', trigger, ms: countOf(fields.ms) ?? null };
    }
    case 'handoff': {
      const ms = countOf(fields.ms);
      const by = oneOf(AUTHORS, fields.by);
      if (ms === undefined || by === undefined) return undefined;
      return { ...level, event: 'handoff', ms, by, reason: textOf(fields.reason) ?? '' };
    }
    case 'landing':
    case 'exhausted':
      return { ...level, event: fields.event };
    default:
      return undefined;
  }
}

const TRIGGERS = ['auto', 'manual'] as const;
const AUTHORS = ['agent', 'memory'] as const;

function oneOf<T extends string>(options: readonly T[], value: unknown): T | undefined {
  return options.find((option) => option === value);
}
