import { randomBytes } from 'node:crypto';
import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { buildError, estimateTokens, formatEvent, type Message, streamEvents } from './answer.ts';
import { classify } from './classify.ts';
import type { Call, CallError, RecordedRequest, RequestBody, Scenario } from './scenario.ts';
import { createScript, type Script } from './script.ts';

/** How many requests there must be in all, or what one of them must look like. */
export type Condition = number | ((request: RecordedRequest) => boolean);

export type Standin = Awaited<ReturnType<typeof startStandin>>;

/** Judges the messages that are asked for as the API would. */
export interface Referee {
  /** @returns why the API would refuse it */
  readonly judge: (request: RecordedRequest) => string | undefined;
  readonly noteAnswer: (body: RequestBody, content: Message['content']) => void;
}

interface StandinOptions {
  readonly now?: () => number;
  readonly referee?: Referee;
}

interface Exchange {
  readonly request: RecordedRequest;
  readonly response: ServerResponse;
}

/** Starts a stand-in that answers as `scenario` says, on a random port of the loopback interface only. */
export async function startStandin(scenario: Scenario, { now = Date.now, referee }: StandinOptions = {}) {
  const script = createScript(scenario);
  const answers: Message[] = [];
  const closing = new AbortController();
  const log = createLog(closing.signal);
  const base = `/${randomBytes(16).toString('hex')}`;
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    if (!pathname.startsWith(`${base}/`)) return sendError(response, { status: 404 });
    const body = parseBody(await text(incoming));
    const path = pathname.slice(base.length);
    const kind = classify(path, incoming.headers, body ?? {});
    const request = { index: log.requests.length, path, kind, body: body ?? {}, at: now() };
    log.add(request);
    if (incoming.method !== 'POST' || !PATHS.includes(path)) sendError(response, { status: 404 });
    else if (body === undefined) sendError(response, { status: 400, message: 'The request body is not a JSON object' });
    else await judged({ request, response }).catch((error) => sendFault(response, error));
  }

  /** A request that the API would refuse uses up no call of the scenario. */
  async function judged(exchange: Exchange): Promise<void> {
    const { request, response } = exchange;
    const message = request.path === MESSAGES ? referee?.judge(request) : undefined;
    if (message !== undefined) return sendError(response, { status: 400, message });
    const answered = await answer(exchange, script, closing.signal);
    if (answered === undefined) return;
    answers.push(answered);
    referee?.noteAnswer(request.body, answered.content);
  }

  async function listen(port: number): Promise<void> {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  }

  /** Refuses every connection until `up`; ends also the answers under way. */
  async function down(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    /** For ANTHROPIC_BASE_URL; always on 127.0.0.1, with a token in its path that others on the machine do not know. */
    url: `http://127.0.0.1:${port}${base}`,
    /** All requests so far, in order of arrival. Grows while the stand-in runs. */
    requests: log.requests as readonly RecordedRequest[],
    /** What was answered, each with what it is billed by. */
    answers: answers as readonly Message[],
    waitFor: log.waitFor,
    down,
    /** Listens again where it did before, and goes on with the scenario. */
    up: () => listen(port),
    /** Ends also the answers under way. */
    async close() {
      closing.abort();
      await down();
    },
  };
}

const MESSAGES = '/v1/messages';
const PATHS = [MESSAGES, `${MESSAGES}/count_tokens`];

/** @returns what was said, unless it was no message */
async function answer(exchange: Exchange, script: Script, closing: AbortSignal): Promise<Message | undefined> {
  const { request, response } = exchange;
  if (request.kind === 'count') {
    sendJson(response, 200, { input_tokens: estimateTokens(request.body) });
    return undefined;
  }
  const call = script.next(request);
  if (call.delayMs) await delay(call.delayMs, undefined, { signal: untilGone(response, closing) });
  await call.until;
  if (call.reset) {
    response.socket?.resetAndDestroy();
    return undefined;
  }
  for (const [name, value] of Object.entries(call.headers ?? {})) response.setHeader(name, value);
  if (call.error) {
    sendError(response, call.error);
    return undefined;
  }
  const message = script.message(call, request);
  if (request.body.stream) sendStream(response, message, call);
  else if (call.drops) drop(response);
  else sendJson(response, 200, message);
  return message;
}

/** Aborted when the client hangs up or the stand-in closes, so that no delay outlives the one who waits. */
function untilGone(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  return AbortSignal.any([gone.signal, closing]);
}

function sendStream(response: ServerResponse, message: Message, { stops, drops, usageAtEnd }: Call): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  const events = [...streamEvents(message, usageAtEnd)].map(formatEvent);
  const half = events.slice(0, events.length / 2);
  for (const event of stops || drops ? half : events) response.write(event);
  if (drops) drop(response);
  else if (!stops) response.end();
}

/** Resets the connection in the middle of an answer: white space means nothing in it, and tells when all has left. */
function drop(response: ServerResponse): void {
  response.write('\n', () => response.socket?.resetAndDestroy());
}

function sendError(response: ServerResponse, error: CallError): void {
  if (error.html !== undefined) {
    response.writeHead(error.status, { 'content-type': 'text/html' });
    return void response.end(error.html);
  }
  sendJson(response, error.status, buildError(error));
}

/** A scenario that throws is told to the client, with a status that Claude Code does not try again. */
function sendFault(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else sendError(response, { status: 400, message: `The scenario failed: ${String(error)}` });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_standin' });
  response.end(JSON.stringify(body));
}

function parseBody(body: string): RequestBody | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as RequestBody) : undefined;
  } catch {
    return undefined;
  }
}

function createLog(closing: AbortSignal) {
  const requests: RecordedRequest[] = [];
  const arriving = new EventEmitter();
  // Each one that waits listens.
  arriving.setMaxListeners(0);
  return {
    requests,
    add(request: RecordedRequest): void {
      requests.push(request);
      arriving.emit('request', request);
    },
    /** Resolves with the first request that fits, past or to come. Rejects when the stand-in is closed before. */
    async waitFor(condition: Condition): Promise<RecordedRequest> {
      const fits = typeof condition === 'number' ? ({ index }: RecordedRequest) => index === condition - 1 : condition;
      const past = requests.find(fits);
      if (past) return past;
      for await (const [request] of on(arriving, 'request', { signal: closing })) if (fits(request)) return request;
      throw new Error('The stand-in was closed before the request came');
    },
  };
}
