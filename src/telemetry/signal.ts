import type { Action } from '../core/governor/decisions.ts';
import type { Input } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';

/** One step of a run. */
export interface Seen {
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
  readonly actions: readonly Action[];
}

/** What a signal carries besides its value. Never words of the user's, of the agent's or of a path. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Something to be sent, as data. What is wrong at the end of a span is one word; an event is at one moment of it. */
export type Signal =
  | SpanStart
  | (OfSpan & { readonly kind: 'end'; readonly error: string | undefined })
  | (OfSpan & { readonly kind: 'event'; readonly name: string })
  | Measurement;

interface OfSpan {
  readonly span: string;
  /** Milliseconds since the epoch. */
  readonly t: number;
  readonly attributes: Attributes;
}

/** A span begins; the others name it by `span`. */
interface SpanStart extends OfSpan {
  readonly kind: 'start';
  readonly name: string;
  /** `client`: a call to the model. */
  readonly role: 'client' | 'internal';
  /** The span it is a part of; undefined: none. */
  readonly parent: string | undefined;
}

export type Measurement = Readonly<ReturnType<typeof measure>>;

export type Metric = keyof typeof INSTRUMENTS;

/**
 * Everything that is measured, by name. Names, units and bounds of `gen_ai.*` are those of the OpenTelemetry semantic
 * conventions for generative AI (semantic-conventions 1.45, in development there); the others are ctxb's own.
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
  'ctxb.compactions': counter('{compaction}', 'Compactions by who began them and how they ended'),
  'ctxb.handoffs': counter('{handoff}', 'Handoffs to a fresh context'),
  'ctxb.decisions': counter('{decision}', 'What was decided, by kind'),
  'gen_ai.client.token.usage': histogram('{token}', 'Tokens of each call of the main thread', (power) => 4 ** power),
  'gen_ai.client.operation.duration': histogram(
    's',
    'How long each call of the main thread took',
    (power) => 0.01 * 2 ** power,
  ),
};

/** Units are in the case-sensitive code of UCUM. */
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

/** Added to a counter, set on a gauge, recorded by a histogram: by the instrument. */
export function measure(metric: Metric, value: number, attributes: Attributes = {}) {
  return { kind: 'measure' as const, metric, value, attributes };
}

/** Spans of which one at a time is open, so that each ends once. */
export function createSpanSlot() {
  let open: string | undefined;
  return {
    /** The span that is open; undefined: none. */
    get span() {
      return open;
    },
    start(t: number, start: Omit<SpanStart, 'kind' | 'role' | 't'> & Partial<SpanStart>): Signal[] {
      open = start.span;
      return [{ kind: 'start', role: 'internal', ...start, t }];
    },
    /** @param measured what is counted with it */
    end(t: number, error: string | undefined, attributes: Attributes, ...measured: readonly Measurement[]): Signal[] {
      if (open === undefined) return [];
      const span = open;
      open = undefined;
      return [{ kind: 'end', span, t, attributes, error }, ...measured];
    },
  };
}
