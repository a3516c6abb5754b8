import type { HealthMetrics } from '../health/health-metrics.ts';
import type { HealthReport } from '../health/health-report.ts';
import { type Family, familyText, type Sample } from './prometheus.ts';

/** What a project says to a metric. */
interface HealthFamily extends Family {
  readonly samples: (metrics: HealthMetrics) => readonly Sample[];
}

const one = (value: number | null, labels: Sample['labels'] = {}): Sample[] => [{ labels, value }];
const summary = (sum: number, count: number): Sample[] => [
  { suffix: '_sum', labels: {}, value: sum },
  { suffix: '_count', labels: {}, value: count },
];

const FAMILIES: readonly HealthFamily[] = [
  {
    name: 'ctxb_sessions',
    type: 'gauge',
    help: 'Sessions in the health log; all ids of one conversation are one session.',
    samples: ({ sessions }) => one(sessions),
  },
  {
    name: 'ctxb_turns_total',
    type: 'counter',
    help: 'Turns that ended.',
    samples: ({ turns }) => one(turns),
  },
  {
    name: 'ctxb_exhaustions_total',
    type: 'counter',
    help: 'Prompts that the API refused because the context was full.',
    samples: ({ exhaustion }) => one(exhaustion.count),
  },
  {
    name: 'ctxb_exhausted_sessions',
    type: 'gauge',
    help: 'Sessions in which that happened at least once.',
    samples: ({ exhaustion }) => one(exhaustion.sessions),
  },
  {
    name: 'ctxb_exhaustion_ratio',
    type: 'gauge',
    help: 'Share of all sessions in which that happened.',
    samples: ({ exhaustion }) => one(exhaustion.rate),
  },
  {
    name: 'ctxb_handoffs_total',
    type: 'counter',
    help: "Handoffs to a fresh context, with the agent's own document or the one from memory.",
    samples: ({ handoffs: { by } }) => [...one(by.agent, { by: 'agent' }), ...one(by.memory, { by: 'memory' })],
  },
  {
    name: 'ctxb_handoffs_per_session',
    type: 'gauge',
    help: 'Handoffs divided by sessions.',
    samples: ({ handoffs }) => one(handoffs.perSession),
  },
  {
    name: 'ctxb_early_handoffs_total',
    type: 'counter',
    help: 'Handoffs that were decided below 90 % of the window.',
    samples: ({ handoffs }) => one(handoffs.early),
  },
  {
    name: 'ctxb_handoff_context_ratio',
    type: 'summary',
    help: 'Share of the window in use when a handoff was decided.',
    samples: ({ handoffs }) => summary(handoffs.fraction.sum, handoffs.count),
  },
  {
    name: 'ctxb_handoff_seconds',
    type: 'summary',
    help: 'Time from the decision of a handoff to the fresh context.',
    samples: ({ handoffs }) => summary(handoffs.ms.sum / 1000, handoffs.count),
  },
  {
    name: 'ctxb_zone_transitions_total',
    type: 'counter',
    help: 'Changes from one zone of the context to another.',
    samples: ({ zoneTransitions }) => zoneTransitions.steps.flatMap(({ from, to, count }) => one(count, { from, to })),
  },
  {
    name: 'ctxb_compactions_total',
    type: 'counter',
    help: 'Compactions of the main context: auto by claude itself, manual by /compact.',
    samples: ({ compactions: { auto, manual } }) => [
      ...one(auto, { trigger: 'auto' }),
      ...one(manual, { trigger: 'manual' }),
    ],
  },
];

/**
 * The report in the text format of Prometheus (0.0.4), for instance for the textfile collector of the node exporter.
 * Totals are left to the query: `sum(ctxb_handoffs_total)`.
 */
export function healthPrometheus({ projects, files }: HealthReport): string {
  const families = FAMILIES.map((family) =>
    familyText(
      family,
      projects.flatMap(({ project, metrics }) =>
        family.samples(metrics).map((sample) => ({ ...sample, labels: { project, ...sample.labels } })),
      ),
    ),
  );
  const unreadable = files.map(({ file, unreadable }) => ({ labels: { file }, value: unreadable }));
  return [...families, familyText(UNREADABLE, unreadable)].join('');
}

const UNREADABLE = {
  name: 'ctxb_health_unreadable_lines',
  type: 'gauge',
  help: 'Lines of a health log that could not be read and are not counted.',
} as const;
