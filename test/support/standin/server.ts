import { EventEmitter, on, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { formatEvent, type Message, type StreamEvent, streamEvents } from '../../../src/standin/answer.ts';
import { beginStream, countOf, disconnectSignal, sendJson, serve } from '../../../src/standin/server.ts';
import type { Call, CallError, RecordedRequest, RequestBody, Scenario } from './scenario.ts';
import { createScript } from './script.ts';

/** A total number of requests, or a predicate for one of them. */
export type Condition = number | ((request: RecordedRequest) => boolean);

export type Standin = Awaited<ReturnType<typeof startStandin>>;

/** Checks requests by the rules of the API. */
export interface Referee {
  /** @returns the reason why the API would refuse it */
  readonly judge: (request: RecordedRequest) => string | undefined;
  readonly noteAnswer: (body: RequestBody, content: Message['content']) => void;
}

/** Starts the stand-in of the demonstration and the doctor with what tests need: it fails as the API does. */
export async function startStandin(scenario: Scenario, referee?: Referee) {
  const script = createScript(scenario);
  const answers: Message[] = [];
  const closing = new AbortController();
  const arriving = createArrivals(closing.signal);
  const standin = await serve(async (request, response) => {
    arriving.add(request);
    await answer(request, response).catch((error) => sendFault(response, error));
  });
  const { server } = standin;
  const { port } = server.address() as AddressInfo;

  /** A request that the API would refuse uses up no call of the scenario. */
  async function answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    if (request.kind === 'count') return sendJson(response, 200, countOf(request));
    const refusal = referee?.judge(request);
    if (refusal !== undefined) return sendError(response, { status: 400, message: refusal });
    const message = await say(script.next(request), request, response);
    if (message === undefined) return;
    answers.push(message);
    referee?.noteAnswer(request.body, message.content);
  }

  /** @returns what was said, unless it was no message */
  async function say(call: Call, request: RecordedRequest, response: ServerResponse): Promise<Message | undefined> {
    if (call.delayMs) await delay(call.delayMs, undefined, { signal: disconnectSignal(response) });
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

  return {
    ...standin,
    /** All answers, with their billed usage. */
    answers: answers as readonly Message[],
    waitFor: (condition: Condition) => arriving.waitFor(condition, standin.requests),
    /** Refuses every connection until `up`; ends also the answers under way. */
    down: standin.close,
    /** Listens on the same port again, and continues the scenario. */
    async up(): Promise<void> {
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close(): Promise<void> {
      closing.abort();
      return standin.close();
    },
  };
}

function sendStream(response: ServerResponse, message: Message, { stops, drops, usageAtEnd }: Call): void {
  beginStream(response);
  const events = streamEvents(message).flatMap(inPieces);
  const [first] = events;
  if (usageAtEnd && first) {
    events[0] = { ...first, message: { ...Object(first.message), usage: { input_tokens: 0, output_tokens: 0 } } };
  }
  const half = events.slice(0, events.length / 2);
  for (const event of stops || drops ? half : events) response.write(formatEvent(event));
  if (drops) drop(response);
  else if (!stops) response.end();
}

const PIECES = 3;

/** Like the API, sends a text in several events. Cuts between characters, so that no piece ends in half a pair. */
function inPieces(event: StreamEvent): StreamEvent[] {
  const delta = Object(event.delta);
  const [field] = ['text', 'thinking', 'partial_json'].filter((name) => name in delta);
  if (event.type !== 'content_block_delta' || field === undefined) return [event];
  const characters = Array.from(String(delta[field]));
  const size = Math.max(1, Math.ceil(characters.length / PIECES));
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, at) => {
    const piece = characters.slice(at * size, (at + 1) * size).join('');
    return { ...event, delta: { ...delta, [field]: piece } };
  });
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

/** Reports an error of the scenario to the client, with a status that Claude Code does not retry. */
function sendFault(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else sendError(response, { status: 400, message: `The scenario failed: ${String(error)}` });
}

/** The API's error object, with the texts that the API uses for a status unless the call says otherwise. */
function buildError({ status, type, message }: CallError): object {
  const usual = USUAL_ERRORS[status] ?? { type: 'api_error', message: 'Internal server error' };
  return {
    type: 'error',
    error: { type: type ?? usual.type, message: message ?? usual.message },
    request_id: 'req_standin',
  };
}

const USUAL_ERRORS: Readonly<Record<number, { type: string; message: string }>> = {
  400: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  402: { type: 'billing_error', message: 'Your credit balance is too low' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
  529: { type: 'overloaded_error', message: 'Overloaded' },
};

function createArrivals(closing: AbortSignal) {
  const arriving = new EventEmitter();
  // Each one that waits listens.
  arriving.setMaxListeners(0);
  return {
    add: (request: RecordedRequest) => void arriving.emit('request', request),
    /** Resolves with the first request that fits, past or to come. Rejects when the stand-in is closed before. */
    async waitFor(condition: Condition, requests: readonly RecordedRequest[]): Promise<RecordedRequest> {
      const fits = typeof condition === 'number' ? ({ index }: RecordedRequest) => index === condition - 1 : condition;
      const past = requests.find(fits);
      if (past) return past;
      for await (const [request] of on(arriving, 'request', { signal: closing })) if (fits(request)) return request;
      throw new Error('The stand-in was closed before the request came');
    },
  };
}
