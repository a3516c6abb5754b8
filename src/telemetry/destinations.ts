import type { Environment } from '../io.ts';

/** Where one kind of signal goes. */
export type Destination = Exclude<ReturnType<typeof destination>, string | undefined>;

export type Destinations = Readonly<ReturnType<typeof destinations>>;

const SIGNALS = { metrics: 'METRICS', traces: 'TRACES' } as const;

/**
 * What is sent where: to the URL of `--otlp`, else to where the variables of the OpenTelemetry SDK say. Where neither
 * says anything nothing is sent, unlike with the SDK, which would try a collector on this machine.
 *
 * @param base the URL without `/v1/metrics` or `/v1/traces`
 * @returns what is undefined is not sent; `faults` say why something cannot be sent as configured
 */
export function destinations(base: string | undefined, env: Environment) {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true')
    return { metrics: undefined, traces: undefined, faults: [] };
  const faults: string[] = [];
  const found = (signal: keyof typeof SIGNALS) => {
    const made = destination(signal, base, env);
    if (typeof made === 'string') faults.push(made);
    return typeof made === 'string' ? undefined : made;
  };
  return { metrics: found('metrics'), traces: found('traces'), faults };
}

/** A text is what is wrong. Without a `url` the exporter reads it from the environment. */
function destination(signal: keyof typeof SIGNALS, base: string | undefined, env: Environment) {
  const name = SIGNALS[signal];
  const variables = [`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT'];
  const variable = variables.find((each) => env[each]) ?? '';
  const given = base ?? env[variable];
  if (!given || env[`OTEL_${name}_EXPORTER`]?.trim() === 'none') return undefined;
  if (!isHttp(given)) return `${base === undefined ? variable : '--otlp'} is not an http(s) URL`;
  const protocol = env[`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`] || env.OTEL_EXPORTER_OTLP_PROTOCOL || 'http/protobuf';
  if (protocol !== 'http/protobuf' && protocol !== 'http/json')
    return `OTLP over ${protocol} is not supported, only over HTTP`;
  const url = base === undefined ? undefined : `${base.replace(/\/+$/, '')}/v1/${signal}`;
  return { url, protocol } as const;
}

function isHttp(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const ENDPOINT = /^OTEL_EXPORTER_OTLP_(?:METRICS_|TRACES_)?ENDPOINT$/;

/** Whether the user has set a destination for telemetry. */
export function wantsTelemetry(otlp: string | undefined, env: Environment): boolean {
  return otlp !== undefined || Object.entries(env).some(([name, value]) => ENDPOINT.test(name) && Boolean(value));
}
