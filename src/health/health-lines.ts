import * as v from 'valibot';
import { parsed } from '../core/protocol/fields.ts';

const count = v.pipe(v.number(), v.minValue(0));
const share = v.pipe(count, v.maxValue(1));

/** The fields of a line of `health.ndjson` that the metrics use. */
const LINE = v.object({
  v: v.literal(1),
  check_type: v.literal('context'),
  project: v.string(),
  session: v.nullable(v.string()),
  run: v.string(),
  details: v.variant('event', [
    v.object({ event: v.picklist(['turn', 'zone', 'landing', 'exhausted']) }),
    v.object({ event: v.literal('compaction'), trigger: v.picklist(['auto', 'manual']) }),
    v.object({ event: v.literal('handoff'), ms: count, fraction: v.nullable(share) }),
  ]),
});

export type HealthEntry = Pick<v.InferOutput<typeof LINE>, 'project' | 'session' | 'run' | 'details'>;

/** undefined for a line that is truncated, of another check or `v`, of an unknown event, or lacks a figure. */
export function parseHealth(line: string): HealthEntry | undefined {
  const { success, output } = v.safeParse(LINE, parsed(line));
  return success ? output : undefined;
}
