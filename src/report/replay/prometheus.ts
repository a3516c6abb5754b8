import type { SessionSummary } from '../../replay/summary.ts';
import { type Family, familyText, type Sample } from '../prometheus.ts';
import { collected } from './format.ts';

/** What a session says to a metric. */
interface SessionFamily extends Family {
  readonly samples: (session: SessionSummary) => readonly Sample[];
}

const one = (value: number | null, labels: Sample['labels'] = {}): Sample[] => [{ labels, value }];

const FAMILIES: readonly SessionFamily[] = [
  {
    name: 'ctxb_session_info',
    type: 'gauge',
    help: 'What is known of a session; always 1.',
    samples: ({ project, model, claudeCodeVersion }) =>
      one(1, { project: project ?? '', model: model ?? '', version: claudeCodeVersion ?? '' }),
  },
  {
    name: 'ctxb_session_last_timestamp_seconds',
    type: 'gauge',
    help: 'Time of the last line.',
    samples: ({ time }) => one(time.last === null ? null : time.last / 1000),
  },
  {
    name: 'ctxb_session_window_tokens',
    type: 'gauge',
    help: 'Size of the context window.',
    samples: ({ window }) => one(window.tokens),
  },
  {
    name: 'ctxb_session_context_tokens',
    type: 'gauge',
    help: 'Context of the main thread, at its peak and at the last call.',
    samples: ({ context: { peak, last } }) => [...one(peak, { at: 'peak' }), ...one(last, { at: 'last' })],
  },
  {
    name: 'ctxb_session_context_peak_ratio',
    type: 'gauge',
    help: 'Share of the window in use at the peak.',
    samples: ({ context }) => one(context.peakFraction),
  },
  {
    name: 'ctxb_session_turns',
    type: 'gauge',
    help: 'Turns.',
    samples: ({ turns }) => one(turns),
  },
  {
    name: 'ctxb_session_calls',
    type: 'gauge',
    help: 'Calls of the model in the main thread and in subagents.',
    samples: ({ calls, subagents }) => [
      ...one(calls, { thread: 'main' }),
      ...one(
        subagents.reduce((sum, subagent) => sum + subagent.calls, 0),
        { thread: 'subagents' },
      ),
    ],
  },
  {
    name: 'ctxb_session_traffic_tokens',
    type: 'gauge',
    help: 'Tokens of all calls; cache_read is what was read again.',
    samples: ({ traffic }) => [...usage(traffic.main, 'main'), ...usage(traffic.subagents, 'subagents')],
  },
  {
    name: 'ctxb_session_growth_tokens',
    type: 'gauge',
    help: 'Estimated tokens that were put into the context of the main thread, by what they came from.',
    samples: ({ growth }) => Object.entries(growth).flatMap(([source, tokens]) => one(tokens, { source })),
  },
  {
    name: 'ctxb_session_compactions',
    type: 'gauge',
    help: 'Compactions by who wanted them: claude itself, claude where ctxb had placed its trigger, the caller, ctxb.',
    samples: ({ compactions }) =>
      (['claude', 'placed', 'caller', 'ctxb'] as const).flatMap((by) =>
        one(compactions.filter((compaction) => compaction.by === by).length, { by }),
      ),
  },
  {
    name: 'ctxb_session_cost_usd',
    type: 'gauge',
    help: 'Cost in US dollars, where it is known.',
    samples: ({ cost }) => one(cost.usd),
  },
  {
    name: 'ctxb_session_lines',
    type: 'gauge',
    help: 'Lines of the recording; unknown and malformed ones are among all.',
    samples: ({ lines: { total, unknown, malformed } }) => [
      ...one(total, { kind: 'all' }),
      ...one(unknown, { kind: 'unknown' }),
      ...one(malformed, { kind: 'malformed' }),
    ],
  },
];

/** The report in the text format of Prometheus (0.0.4), for instance for the textfile collector of the node exporter. */
export const prometheus = collected(({ sessions }) => {
  const named = labelled(sessions);
  return FAMILIES.map(({ samples, ...family }) =>
    familyText(
      family,
      named.flatMap(({ session, labels }) =>
        samples(session).map((sample) => ({ ...sample, labels: { ...labels, ...sample.labels } })),
      ),
    ),
  ).join('');
});

/** Two samples with the same labels would make all of it unreadable, so a file that was named twice is told apart. */
function labelled(sessions: readonly SessionSummary[]) {
  const seen = new Map<string, number>();
  return sessions.map((session) => {
    const { file, sessionId } = session;
    const key = JSON.stringify([file, sessionId]);
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return { session, labels: { file: count === 1 ? file : `${file} (${count})`, session: sessionId ?? '' } };
  });
}

function usage({ input, cacheCreation, cacheRead, output }: SessionSummary['traffic']['main'], thread: string) {
  const kinds = { input, cache_creation: cacheCreation, cache_read: cacheRead, output };
  return Object.entries(kinds).flatMap(([kind, value]) => one(value, { thread, kind }));
}
