import { orElse } from '../errors.ts';
import type { Environment } from '../io.ts';

export type Destination = Exclude<ReturnType<typeof destination>, string | undefined>;

/**
 * Without `--otlp` or a variable of the OpenTelemetry SDK nothing is sent; the SDK would try this machine.
 *
 * @param base the URL without `/v1/metrics`
 * @returns a text describes a fault; undefined disables telemetry; without `url`, the exporter reads the environment
 */
export function destination(base: string | undefined, env: Environment) {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return undefined;
  const variable = ENDPOINTS.find((each) => env[each]) ?? '';
  const endpoint = base ?? env[variable];
  if (!endpoint || env.OTEL_METRICS_EXPORTER?.trim() === 'none') return undefined;
  if (!/^https?:$/.test(orElse(() => new URL(endpoint).protocol, '')))
    return `${base === undefined ? variable : '--otlp'} is not an http(s) URL`;
  const protocol = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return `OTLP over ${protocol} is not supported, only over HTTP`;
  return { url: base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/metrics`, protocol } as const;
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
