import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseFields } from '../core/protocol/fields.ts';
import { estimateTokens } from './answer.ts';
import { classify } from './classify.ts';
import type { RecordedRequest, RequestBody } from './scenario.ts';

export type Standin = Awaited<ReturnType<typeof serve>>;

export type Answer = (request: RecordedRequest, response: ServerResponse) => Promise<void>;

const MESSAGES = '/v1/messages';
const PATHS = [MESSAGES, `${MESSAGES}/count_tokens`];

/** Starts a stand-in for the API. Any path but messages and token counts returns 404. */
export async function serve(answer: Answer) {
  const requests: RecordedRequest[] = [];
  const base = `/${randomBytes(16).toString('hex')}`;
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : '';
    const body: RequestBody = parseFields(await text(incoming));
    const request = {
      index: requests.length,
      path,
      kind: classify(path, incoming.headers, body),
      body,
      at: Date.now(),
    };
    if (path !== '') requests.push(request);
    if (incoming.method === 'POST' && PATHS.includes(path)) await answer(request, response);
    else sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: 'Not found' } });
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    /** For ANTHROPIC_BASE_URL. Its path has a random token that other users of the machine do not know. */
    url: `http://127.0.0.1:${port}${base}`,
    requests: requests as readonly RecordedRequest[],
    server,
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function countOf({ body }: RecordedRequest) {
  return { input_tokens: estimateTokens(body) };
}

export function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
}

/** Aborted when the client disconnects or the stand-in closes, so that no delay outlives its request. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort());
  return disconnected.signal;
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_standin' });
  response.end(JSON.stringify(body));
}
