import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { isCtxbError } from '../../errors.ts';
import { GUARDED, placeOf } from './guard.ts';
import { readRequest, type StudioRequest } from './request.ts';
import type { StudioView } from './studio-view.ts';

/** The file that is edited, as the server sees it. Each may throw a `CtxbError`, which the page shows. */
export interface Studio {
  view(request: StudioRequest): StudioView | 'changed';
  save(request: StudioRequest): StudioView | 'changed';
}

/** A file of the page, by its name in the URL; '' is the page itself. */
export type Assets = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

export interface StudioServer {
  /** Only who knows it is answered; always on 127.0.0.1. */
  readonly url: string;
  close(): Promise<void>;
}

const TOKEN_BYTES = 32;

/** Serves the page on a random port of the loopback interface, under a random token. */
export async function startStudioServer(studio: Studio, assets: Assets): Promise<StudioServer> {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = createServer((request, response) => {
    const place = placeOf(request, { host: hostOf(server), token });
    if (place === undefined) return refuse(request, response, 403);
    answer({ request, response, place }, studio, assets).catch((error) => sendFault(response, error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://${hostOf(server)}/${token}/`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function hostOf(server: Server): string {
  const address = server.address();
  return typeof address === 'object' && address !== null ? `127.0.0.1:${address.port}` : '';
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly place: string;
}

async function answer(exchange: Exchange, studio: Studio, assets: Assets): Promise<void> {
  const { request, response, place } = exchange;
  const asset = assets.get(place);
  if (request.method === 'GET' && asset !== undefined) return send(response, 200, asset);
  if (request.method !== 'POST' || (place !== 'view' && place !== 'save')) return refuse(request, response, 404);
  const asked = await readRequest(request);
  if (asked === undefined) return refuse(request, response, 400);
  sendJson(response, ...outcome(() => studio[place](asked)));
}

/** 409: the file is not the one any more that the page knows; 422: our own words why not. */
function outcome(work: () => object | 'changed'): [status: number, body: object] {
  try {
    const result = work();
    return result === 'changed' ? [409, { message: CHANGED }] : [200, result as object];
  } catch (error) {
    if (isCtxbError(error)) return [422, { message: error.message }];
    throw error;
  }
}

const CHANGED = 'The file has been changed by something else since it was loaded; nothing was written.';

/** The page says so, and the studio lives on: what is typed is not lost. */
function sendFault(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy();
  else sendJson(response, 500, { message: `This is a bug in ctxb: ${error instanceof Error ? error.stack : error}` });
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  // What it wanted to say is not waited for.
  request.resume();
  send(response, status, { type: 'text/plain', text: `${status}\n` });
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  send(response, status, { type: 'application/json', text: JSON.stringify(body) });
}

function send(response: ServerResponse, status: number, { type, text }: { type: string; text: string }): void {
  response.writeHead(status, { ...GUARDED, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}
