import type { Environment } from '../io.ts';

const ENDPOINTS = [
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT',
  'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
];

/** Whether the user has said where telemetry goes. In a file of its own: most runs need not load the rest. */
export function wantsTelemetry(otlp: string | undefined, env: Environment): boolean {
  return otlp !== undefined || ENDPOINTS.some((name) => Boolean(env[name]));
}
