import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Values as OTLP/JSON has them: 64-bit integers are texts. */
interface AnyValue {
  readonly stringValue?: string;
  readonly intValue?: string | number;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** The environment of a program that sends to it: by default it waits for two seconds, which a busy machine may need. */
export const SENDS = { OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_TIMEOUT: '30000' };

type Plain = string | number | boolean | undefined;

export interface ReceivedPoint {
  readonly name: string;
  readonly unit: string;
  /** Of a histogram: the sum. */
  readonly value: number;
  readonly count: number | undefined;
  readonly attributes: Readonly<Record<string, Plain>>;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
}

/** An OTLP receiver on loopback. What came as JSON can be looked into. */
export interface OtlpReceiver extends AsyncDisposable {
  /** For `--otlp`. */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** The newest figure of each series. */
  points(name?: string): ReceivedPoint[];
  resource(): Readonly<Record<string, Plain>>;
}

/** @param answer status of each answer; `never`: none comes */
export async function startOtlpReceiver(answer: number | 'never' = 200): Promise<OtlpReceiver> {
  const requests: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { url: path = '', headers } = request;
    requests.push({ path, type: headers['content-type'], headers, body: Buffer.concat(chunks) });
    if (answer === 'never') return;
    response.writeHead(answer, { 'content-type': 'application/json' });
    response.end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    points: (name) => pointsIn(requests).filter((point) => name === undefined || point.name === name),
    resource: () => plain(parts(requests)[0]?.resourceMetrics?.[0]?.resource?.attributes ?? []),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}

interface Part {
  readonly resourceMetrics?: readonly {
    readonly resource?: { readonly attributes: readonly KeyValue[] };
    readonly scopeMetrics: readonly { readonly metrics: readonly RawMetric[] }[];
  }[];
}

interface RawMetric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly dataPoints: readonly RawPoint[] };
  readonly gauge?: { readonly dataPoints: readonly RawPoint[] };
  readonly histogram?: { readonly dataPoints: readonly RawPoint[] };
}

interface RawPoint {
  readonly attributes: readonly KeyValue[];
  readonly asInt?: string | number;
  readonly asDouble?: number;
  readonly sum?: number;
  readonly count?: string | number;
}

function parts(requests: readonly ReceivedRequest[]): Part[] {
  const fitting = requests.filter(({ path }) => path === '/v1/metrics');
  return fitting.map(({ body }) => JSON.parse(body.toString()) as Part);
}

function pointsIn(requests: readonly ReceivedRequest[]): ReceivedPoint[] {
  const metrics = parts(requests).flatMap(({ resourceMetrics = [] }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
  );
  const newest = new Map<string, ReceivedPoint>();
  for (const { name, unit, sum, gauge, histogram } of metrics) {
    for (const point of (sum ?? gauge ?? histogram)?.dataPoints ?? []) {
      const attributes = plain(point.attributes);
      const value = Number(point.asInt ?? point.asDouble ?? point.sum);
      const count = point.count === undefined ? undefined : Number(point.count);
      newest.set(`${name} ${JSON.stringify(attributes)}`, { name, unit, value, count, attributes });
    }
  }
  return [...newest.values()];
}

function plain(attributes: readonly KeyValue[]): Record<string, Plain> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue({ stringValue, intValue, doubleValue, boolValue }: AnyValue): Plain {
  return stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue));
}
