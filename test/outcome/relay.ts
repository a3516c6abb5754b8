import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { microUsdOf, priceFor } from '../../src/core/governor/cost/prices.ts';
import { contextOf, readUsage } from '../../src/core/protocol/usage.ts';
import { classify } from '../../src/standin/classify.ts';
import type { RecordedRequest, RequestBody } from '../support/standin/scenario.ts';
import type { Bill } from './api.ts';

/** An API that costs money. */
export interface RealApi {
  readonly url: string;
  readonly key: string;
  /** US dollars that may still be spent, by all variants together. */
  purse: number;
}

/** A server on this machine that hands requests on to an API, and counts what they cost. */
export interface Relay {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  readonly bill: Bill;
  close(): Promise<void>;
}

/** Headers that belong to one connection, or tell of bytes as they are no longer sent. */
const OF_CONNECTION = /^(host|connection|keep-alive|(content|accept|transfer)-encoding|content-length)$/;

/** Starts a relay. With an empty purse it refuses every call: a limit is exceeded by the call under way at most. */
export async function startRelay(api: RealApi): Promise<Relay> {
  const requests: RecordedRequest[] = [];
  const bill: Bill = { calls: 0, peak: 0, input: 0, cacheCreation: 0, cacheRead: 0, output: 0, usd: 0 };
  const base = `/${randomBytes(16).toString('hex')}`;

  async function relay(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '').slice(base.length);
    const sent = await text(incoming);
    const body = (sent === '' ? {} : JSON.parse(sent)) as RequestBody;
    const kind = classify(path.replace(/\?.*/, ''), incoming.headers, body);
    requests.push({ index: requests.length, path, kind, body, at: Date.now() });
    if (!incoming.url?.startsWith(`${base}/`)) return refuse(response, 404, 'there is nothing here');
    if (api.purse <= 0) return refuse(response, 400, 'the limit of --max-cost is reached');
    if (body.model !== undefined && priceFor(body.model, {}, null) === undefined) {
      return refuse(response, 400, `no price is known for ${body.model}, so --max-cost cannot be kept`);
    }
    const { method = 'GET' } = incoming;
    const answer = await fetch(api.url + path, { method, headers: kept(incoming), ...(sent !== '' && { body: sent }) });
    response.writeHead(
      answer.status,
      Object.fromEntries([...answer.headers].filter(([name]) => !OF_CONNECTION.test(name))),
    );
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) {
      pieces.push(piece);
      response.write(piece);
    }
    charge(body, Buffer.concat(pieces).toString());
    response.end();
  }

  function charge({ model }: RequestBody, answer: string): void {
    const usage = usageIn(answer);
    const price = priceFor(model, {}, null);
    if (usage === undefined || price === undefined) return;
    const usd = microUsdOf(usage, price) / 1e6;
    api.purse -= usd;
    bill.usd += usd;
    bill.calls += 1;
    bill.peak = Math.max(bill.peak, contextOf(usage));
    for (const part of ['input', 'cacheCreation', 'cacheRead', 'output'] as const) bill[part] += usage[part];
  }

  const server = createServer((incoming, response) => {
    relay(incoming, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${base}`,
    ...{ requests, bill },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function kept({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || OF_CONNECTION.test(name) ? [] : [[name, String(value)]],
    ),
  );
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
}

/** The usage of a message, streamed or whole: the last event that names a count has it. */
function usageIn(answer: string) {
  const events = answer.startsWith('{')
    ? [answer]
    : answer.split('\n').flatMap((line) => line.split(/^data: /)[1] ?? []);
  const usages = events.flatMap((event) => {
    const { type, usage, message } = JSON.parse(event) as {
      type?: string;
      usage?: object;
      message?: { usage?: object };
    };
    return type === 'error' ? [] : [message?.usage ?? usage ?? {}];
  });
  return readUsage(Object.assign({}, ...usages));
}
