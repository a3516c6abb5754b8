import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attributes,
  type Context,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import manifest from '../../package.json' with { type: 'json' };
import type { Environment } from '../io.ts';
import type { Destination, Destinations } from './destinations.ts';
import { INSTRUMENTS, type Metric, type OpenSpan, type Sink } from './signal.ts';

export type Sender = ReturnType<typeof createSender>;

interface SenderOptions extends Pick<Destinations, 'metrics' | 'traces'> {
  /** A UUID; tells this run's figures from those of others. */
  readonly runId: string;
  readonly env: Environment;
  /** Told why something could not be sent. */
  readonly onFault: (fault: string) => void;
}

/** How long a single export, and everything that is left at the end of the run, may take. */
const PATIENCE_MS = 2_000;

/** The SDK's own default for `OTEL_METRIC_EXPORT_INTERVAL`. */
const INTERVAL_MS = 60_000;

const NAME = 'ctxb';

/** Hands signals to the OpenTelemetry SDK, which sends them in batches. */
export function createSender({ metrics, traces, runId, env, onFault }: SenderOptions) {
  const resource = resourceOf(runId);
  const meters = metrics && meterProvider(metrics, resource, env, onFault);
  const tracers = traces && tracerProvider(traces, resource, env, onFault);
  const tracer = tracers?.getTracer(NAME, manifest.version);
  const sink: Sink = {
    start: tracer === undefined ? () => NO_SPAN : startWith(tracer),
    measure: meters === undefined ? () => {} : measureWith(meters.getMeter(NAME, manifest.version)),
  };
  return {
    sink,
    /** Sends what is left, for as long as `OTEL_EXPORTER_OTLP_TIMEOUT` says, else two seconds. Never rejects. */
    async close(): Promise<void> {
      const over = new AbortController();
      const ms = patienceOf(env, ['METRICS', 'TRACES']) ?? PATIENCE_MS;
      const late = delay(ms, undefined, { signal: over.signal }).catch(() => {});
      await Promise.race([Promise.allSettled([meters?.shutdown(), tracers?.shutdown()]), late]);
      over.abort();
    },
  };
}

/** Names the sender. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over it. */
function resourceOf(runId: string): Resource {
  const own = { 'service.name': NAME, 'service.version': manifest.version, 'service.instance.id': runId };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

type Fault = SenderOptions['onFault'];

function meterProvider(to: Destination, resource: Resource, env: Environment, onFault: Fault): MeterProvider {
  const Exporter = to.protocol === 'http/json' ? JsonMetricExporter : OTLPMetricExporter;
  const exporter = watched(new Exporter(exporterConfig(to, env, 'METRICS')), onFault);
  const exportIntervalMillis = millisecondsIn(env.OTEL_METRIC_EXPORT_INTERVAL) ?? INTERVAL_MS;
  const timeout = millisecondsIn(env.OTEL_METRIC_EXPORT_TIMEOUT) ?? exportIntervalMillis;
  const exportTimeoutMillis = Math.min(timeout, exportIntervalMillis);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
  return new MeterProvider({ resource, readers: [reader] });
}

function tracerProvider(to: Destination, resource: Resource, env: Environment, onFault: Fault): BasicTracerProvider {
  const Exporter = to.protocol === 'http/json' ? JsonTraceExporter : OTLPTraceExporter;
  const exporter = watched(new Exporter(exporterConfig(to, env, 'TRACES')), onFault);
  return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}

type SignalName = 'METRICS' | 'TRACES';

/** Options win over the SDK's variables, so only what these do not say is given. */
function exporterConfig({ url }: Destination, env: Environment, signal: SignalName) {
  return {
    ...(url !== undefined && { url }),
    ...(patienceOf(env, [signal]) === undefined && { timeoutMillis: PATIENCE_MS }),
  };
}

function patienceOf(env: Environment, signals: readonly SignalName[]): number | undefined {
  const own = signals.map((signal) => millisecondsIn(env[`OTEL_EXPORTER_OTLP_${signal}_TIMEOUT`]));
  const given = [...own, millisecondsIn(env.OTEL_EXPORTER_OTLP_TIMEOUT)].filter((ms) => ms !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}

function millisecondsIn(text: string | undefined): number | undefined {
  const ms = Number(text?.trim() || Number.NaN);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

interface Exporter<Items> {
  export(items: Items, done: (result: { readonly code: number; readonly error?: Error }) => void): void;
}

/** The SDK does not report failed exports, so each result is checked. */
function watched<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>, onFault: Fault): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined) onFault(result.error.message || String(result.code));
      done(result);
    });
  return exporter;
}

const METRICS = Object.keys(INSTRUMENTS) as Metric[];

function measureWith(meter: Meter): Sink['measure'] {
  const all = new Map(METRICS.map((metric) => [metric, instrument(meter, metric)]));
  return (metric, value, attributes = {}) => all.get(metric)?.(value, attributes);
}

function instrument(meter: Meter, metric: Metric): (value: number, attributes: Attributes) => void {
  const { type, options } = INSTRUMENTS[metric];
  if (type === 'counter') {
    const counter = meter.createCounter(metric, options);
    return (value, attributes) => counter.add(value, attributes);
  }
  const level = type === 'gauge' ? meter.createGauge(metric, options) : meter.createHistogram(metric, options);
  return (value, attributes) => level.record(value, attributes);
}

const NO_SPAN: OpenSpan = { event() {}, end() {} };

function startWith(tracer: Tracer): Sink['start'] {
  const contexts = new WeakMap<OpenSpan, Context>();
  return (name, startTime, attributes, parent, role) => {
    const kind = role === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
    const within = (parent && contexts.get(parent)) ?? ROOT_CONTEXT;
    const span = tracer.startSpan(name, { kind, startTime, attributes }, within);
    const open: OpenSpan = {
      event: (event, t, about) => void span.addEvent(event, about, t),
      end(t, about, error) {
        span.setAttributes(about);
        if (error !== undefined) {
          span.setAttribute('error.type', error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: error });
        }
        span.end(t);
      },
    };
    contexts.set(open, trace.setSpan(ROOT_CONTEXT, span));
    return open;
  };
}
