/** Attributes of a metric. They never contain text of the user or the agent, or paths. */
export type Attributes = Readonly<Record<string, string>>;

/** Adds to a counter, sets a gauge, or records a value in a histogram, depending on the metric. */
export type Measure = (metric: Metric, value: number, attributes?: Attributes) => void;

export type Metric = keyof typeof INSTRUMENTS;

/** All metrics by name. */
export const INSTRUMENTS = {
  'ctxb.context.tokens': gauge('{token}', 'Size of the next request to the model'),
  'ctxb.context.window': gauge('{token}', 'Size of the context window'),
  'ctxb.context.utilization': gauge('1', 'Share of the context window that the next request takes'),
  'ctxb.cost': counter('USD', 'What the run has cost, subagents included'),
  'ctxb.saved': gauge('USD', 'What compacting has saved beside claude alone; below 0 it has cost more'),
  'ctxb.compactions': counter('{compaction}', 'Compactions by who began them and how they ended'),
  'ctxb.handoffs': counter('{handoff}', 'Handoffs to a fresh context'),
  'ctxb.cache.rewritten': counter('{token}', 'Tokens written to the prompt cache again, by what has changed'),
  'ctxb.decisions': counter('{decision}', 'What was decided, by kind'),
};

/** Units are UCUM case-sensitive codes. */
function gauge(unit: string, description: string) {
  return { type: 'gauge' as const, options: { unit, description } };
}

function counter(unit: string, description: string) {
  return { type: 'counter' as const, options: { unit, description } };
}
