import { expect, it } from 'vitest';
import { destination } from '../../src/telemetry/destinations.ts';

type Environment = Readonly<Record<string, string>>;

interface Case {
  readonly name: string;
  readonly otlp?: string;
  readonly env?: Environment;
  /** A text is a fault. */
  readonly to?: object | string;
}

const PROTOBUF = { url: undefined, protocol: 'http/protobuf' };
const JSON_OWN = { url: undefined, protocol: 'http/json' };
const ANY = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

it.each<Case>([
  { name: 'nothing is said' },
  {
    name: 'a URL',
    otlp: 'http://127.0.0.1:9090/api/v1/otlp/',
    to: { url: 'http://127.0.0.1:9090/api/v1/otlp/v1/metrics', protocol: 'http/protobuf' },
  },
  { name: 'an endpoint for both, which the SDK reads', env: ANY, to: PROTOBUF },
  {
    name: 'the URL goes before the variable',
    otlp: 'https://collector',
    env: ANY,
    to: { url: 'https://collector/v1/metrics', protocol: 'http/protobuf' },
  },
  { name: 'only metrics', env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://m/x' }, to: PROTOBUF },
  { name: 'only traces', env: { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' } },
  { name: 'an empty variable is none', env: { OTEL_EXPORTER_OTLP_ENDPOINT: '' } },
  { name: 'no metrics', env: { ...ANY, OTEL_METRICS_EXPORTER: 'none' } },
  { name: 'JSON', env: { ...ANY, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, to: JSON_OWN },
  {
    name: 'gRPC',
    env: { ...ANY, OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: 'grpc' },
    to: 'OTLP over grpc is not supported, only over HTTP',
  },
  { name: 'the SDK is disabled', otlp: 'http://127.0.0.1:4318', env: { OTEL_SDK_DISABLED: 'TRUE' } },
  {
    name: 'no URL at all',
    otlp: 'collector:4318',
    to: '--otlp is not an http(s) URL',
  },
  {
    name: 'no URL in a variable',
    env: { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: '127.0.0.1' },
    to: 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT is not an http(s) URL',
  },
])('$name', ({ otlp, env = {}, to }) => {
  expect(destination(otlp, env)).toEqual(to);
});
