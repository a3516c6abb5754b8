import type { Attributes, Meter } from '@opentelemetry/api';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import manifest from '../../package.json' with { type: 'json' };
import type { Environment } from '../io.ts';
import { INSTRUMENTS, type Measure, type Metric } from './create-signals.ts';
import type { Destination } from './destinations.ts';

export type Sender = ReturnType<typeof createSender>;

/** Default limit in milliseconds for a single export, and for the final export at the end of the run. */
const DEFAULT_TIMEOUT_MS = 2_000;

const NAME = 'ctxb';

export function createSender(to: Destination, runId: string, env: Environment, onFault: (fault: string) => void) {
  const Exporter = to.protocol === 'http/json' ? JsonMetricExporter : OTLPMetricExporter;
  const exporter = watchExporter(new Exporter(exporterConfig(to, env)), onFault);
  const readers = [new PeriodicExportingMetricReader({ exporter })];
  const meters = new MeterProvider({ resource: resourceOf(runId), readers });
  return {
    measure: measureWith(meters.getMeter(NAME, manifest.version)),
    /** Sends the remaining metrics, within `OTEL_EXPORTER_OTLP_TIMEOUT` or two seconds. Never rejects. */
    async close(): Promise<void> {
      await meters.shutdown({ timeoutMillis: timeoutOf(env) ?? DEFAULT_TIMEOUT_MS }).catch(() => {});
    },
  };
}

/** Identifies the sender. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override it. */
function resourceOf(runId: string): Resource {
  const own = { 'service.name': NAME, 'service.version': manifest.version, 'service.instance.id': runId };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** The exporter's options. They override the SDK's variables, so they contain only what no variable sets. */
function exporterConfig({ url }: Destination, env: Environment) {
  return {
    ...(url !== undefined && { url }),
    ...(timeoutOf(env) === undefined && { timeoutMillis: DEFAULT_TIMEOUT_MS }),
  };
}

function timeoutOf(env: Environment): number | undefined {
  return millisecondsIn(env.OTEL_EXPORTER_OTLP_METRICS_TIMEOUT) ?? millisecondsIn(env.OTEL_EXPORTER_OTLP_TIMEOUT);
}

function millisecondsIn(text: string | undefined): number | undefined {
  const ms = Number(text?.trim() || Number.NaN);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

/** The SDK does not report failed exports, so check each result. */
function watchExporter(exporter: PushMetricExporter, onFault: (fault: string) => void): PushMetricExporter {
  const send = exporter.export.bind(exporter);
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined) onFault(result.error.message || String(result.code));
      done(result);
    });
  return exporter;
}

const METRICS = Object.keys(INSTRUMENTS) as Metric[];

function measureWith(meter: Meter): Measure {
  const all = new Map(METRICS.map((metric) => [metric, instrument(meter, metric)]));
  return (metric, value, attributes = {}) => all.get(metric)?.(value, attributes);
}

function instrument(meter: Meter, metric: Metric): (value: number, attributes: Attributes) => void {
  const [type, unit, description] = INSTRUMENTS[metric];
  const options = { unit, description };
  if (type === 'counter') {
    const counter = meter.createCounter(metric, options);
    return (value, attributes) => counter.add(value, attributes);
  }
  const level = meter.createGauge(metric, options);
  return (value, attributes) => level.record(value, attributes);
}
