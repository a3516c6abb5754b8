import { expect, it } from 'vitest';
import { destinations, wantsTelemetry } from '../../src/telemetry/destinations.ts';

type Environment = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly otlp?: string;
  readonly env?: Environment;
  readonly metrics?: object;
  readonly traces?: object;
  readonly faults?: readonly string[];
}

const PROTOBUF = { url: undefined, protocol: 'http/protobuf' };
const JSON_OWN = { url: undefined, protocol: 'http/json' };
const ANY = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each<Case>([
  { name: 'nothing is said' },
  {
    name: 'a URL',
    otlp: 'http://127.0.0.1:9090/api/v1/otlp/',
    metrics: { url: 'http://127.0.0.1:9090/api/v1/otlp/v1/metrics', protocol: 'http/protobuf' },
    traces: { url: 'http://127.0.0.1:9090/api/v1/otlp/v1/traces', protocol: 'http/protobuf' },
  },
  { name: 'an endpoint for both, which the SDK reads', env: ANY, metrics: PROTOBUF, traces: PROTOBUF },
  {
    name: 'the URL goes before the variable',
    otlp: 'https://collector',
    env: ANY,
    metrics: { url: 'https://collector/v1/metrics', protocol: 'http/protobuf' },
    traces: { url: 'https://collector/v1/traces', protocol: 'http/protobuf' },
  },
  { name: 'only metrics', env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/x' }, metrics: PROTOBUF },
  { name: 'only traces', env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' }, traces: PROTOBUF },
  { name: 'an empty variable is none', env: { OTEL_EXPORTER_OTLP_ENDPOINT: '' } },
  { name: 'no traces', env: { ...ANY, OTEL_TRACES_EXPORTER: 'none' }, metrics: PROTOBUF },
  { name: 'JSON', env: { ...ANY, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, metrics: JSON_OWN, traces: JSON_OWN },
  {
    name: 'JSON for one of them',
    env: { ...ANY, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
    metrics: PROTOBUF,
    traces: JSON_OWN,
  },
  {
    name: 'gRPC',
    env: { ...ANY, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
    metrics: PROTOBUF,
    faults: ['OTLP over grpc is not supported, only over HTTP'],
  },
  { name: 'the SDK is disabled', otlp: 'http://127.0.0.1:4318', env: { OTEL_SDK_DISABLED: 'TRUE' } },
  {
    name: 'no URL at all',
    otlp: 'collector:4318',
    faults: ['--otlp is not an http(s) URL', '--otlp is not an http(s) URL'],
  },
  {
    name: 'no URL in a variable',
    env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '127.0.0.1' },
    faults: ['OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is not an http(s) URL'],
  },
])('$name', ({ otlp, env = {}, metrics, traces, faults = [] }) => {
  expect(destinations(otlp, env)).toEqual({ metrics, traces, faults });
  const isAsked = metrics !== undefined || traces !== undefined || faults.length > 0;
  if (isAsked) expect(wantsTelemetry(otlp, env)).toBe(true);
});
