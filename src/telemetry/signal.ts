/** Attributes of a metric. They never contain text of the user or the agent, or paths. */
export type Attributes = Readonly<Record<string, string>>;

/** Adds to a counter, sets a gauge, or records a value in a histogram, depending on the metric. */
export type Measure = (metric: Metric, value: number, attributes?: Attributes) => void;

export type Metric = keyof typeof INSTRUMENTS;

/**
 * All metrics by name. Names, units and bounds of `gen_ai.*` follow the OpenTelemetry semantic conventions for
 * generative AI (semantic-conventions 1.45, status: development); the others are ctxb's own.
 */
export const INSTRUMENTS = {
  'ctxb.context.tokens': gauge('{token}', 'Size of the next request to the model'),
  'ctxb.context.window': gauge('{token}', 'Size of the context window'),
  'ctxb.limit.utilization': gauge('1', 'Used share of a usage limit of the account'),
  'ctxb.context.utilization': gauge('1', 'Share of the context window that the next request takes'),
  'ctxb.context.zone': gauge('{context}', '1 for the zone that the context is in, 0 for the others'),
  'ctxb.prompts': counter('{prompt}', 'Prompts of the caller that were sent'),
  'ctxb.turns': counter('{turn}', 'Turns that are over'),
  'ctxb.calls': counter('{call}', 'Calls of the main thread'),
  'ctxb.cost': counter('USD', 'What the run has cost, subagents included'),
  'ctxb.saved': gauge('USD', 'What compacting has saved beside claude alone; below 0 it has cost more'),
  'ctxb.compactions': counter('{compaction}', 'Compactions by who began them and how they ended'),
  'ctxb.handoffs': counter('{handoff}', 'Handoffs to a fresh context'),
  'ctxb.cache.rewritten': counter('{token}', 'Tokens written to the prompt cache again, by what has changed'),
  'ctxb.decisions': counter('{decision}', 'What was decided, by kind'),
  'gen_ai.client.token.usage': histogram('{token}', 'Tokens of each call of the main thread', (power) => 4 ** power),
  'gen_ai.client.operation.duration': histogram(
    's',
    'How long each call of the main thread took',
    (power) => 0.01 * 2 ** power,
  ),
};

/** Units are UCUM case-sensitive codes. */
function gauge(unit: string, description: string) {
  return { type: 'gauge' as const, options: { unit, description } };
}

function counter(unit: string, description: string) {
  return { type: 'counter' as const, options: { unit, description } };
}

function histogram(unit: string, description: string, boundary: (power: number) => number) {
  const explicitBucketBoundaries = Array.from({ length: 14 }, (_, power) => boundary(power));
  return { type: 'histogram' as const, options: { unit, description, advice: { explicitBucketBoundaries } } };
}
