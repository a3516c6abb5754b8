import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as v from 'valibot';
import { parsed } from '../../core/protocol/fields.ts';
import { isCtxbError } from '../../errors.ts';
import { budgets } from '../file/flow-schema.ts';
import type { BudgetKey, StudioView } from './studio-view.ts';

/** The edited file. Each function may throw a `CtxbError`, which the page shows. */
export interface Studio {
  view(request: StudioRequest): StudioView | 'changed';
  save(request: StudioRequest): StudioView | 'changed';
}

/** A file of the page, by its name in the URL; '' is the page itself. */
export type Assets = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

const TOKEN_BYTES = 32;

/**
 * Serves the page on a random port of the loopback interface, under a random token, which is in the `url`.
 */
export async function startStudioServer(studio: Studio, assets: Assets) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = createServer((request, response) => {
    const place = placeOf(request, { host, token });
    void replyTo(request, place, studio, assets)
      // The page shows the error, and the server goes on: drafts are not lost.
      .catch((error) =>
        json(500, { message: `This is a bug in ctxb: ${error instanceof Error ? error.stack : error}` }),
      )
      .then((reply) => send(response, reply));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}/${token}/`,
    async close(): Promise<void> {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export type StudioServer = Awaited<ReturnType<typeof startStudioServer>>;

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** 409: the file has changed since the page loaded it; 422: another error of the user's. */
async function replyTo(
  request: IncomingMessage,
  place: string | undefined,
  studio: Studio,
  assets: Assets,
): Promise<Reply> {
  if (place === undefined) return refusal(request, 403);
  const asset = assets.get(place);
  if (request.method === 'GET' && asset !== undefined) return { status: 200, ...asset };
  if (request.method !== 'POST' || (place !== 'view' && place !== 'save')) return refusal(request, 404);
  const asked = await readRequest(request);
  if (asked === undefined) return refusal(request, 400);
  try {
    const result = studio[place](asked);
    return result === 'changed' ? json(409, { message: CHANGED }) : json(200, result);
  } catch (error) {
    if (isCtxbError(error)) return json(422, { message: error.message });
    throw error;
  }
}

const CHANGED = 'The file has been changed by something else since it was loaded; nothing was written.';

function refusal(request: IncomingMessage, status: number): Reply {
  // The body is not read.
  request.resume();
  return { status, type: 'text/plain', text: `${status}\n` };
}

function json(status: number, body: object): Reply {
  return { status, type: 'application/json', text: JSON.stringify(body) };
}

function send(response: ServerResponse, { status, type, text }: Reply): void {
  response.writeHead(status, { ...GUARDED, 'content-type': `${type}; charset=utf-8` });
  response.end(text);
}

/** Headers of every answer: no framing, no scripts but the page's own, no caching. */
const GUARDED: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The path of a request below the token; undefined where it must be refused. Another page in the same browser does not
 * know the token, and a host name that was rebound to this machine is not our host.
 */
function placeOf(request: IncomingMessage, { host, token }: { host: string; token: string }): string | undefined {
  const { headers, url = '' } = request;
  if (headers.host !== host) return undefined;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return undefined;
  const [, given = '', place] = /^\/([^/?#]*)\/([^/?#]*)$/.exec(url) ?? [];
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token)) ? place : undefined;
}

/** Edits of a thousand steps have fewer bytes. */
const LIMIT = 1024 * 1024;

const keys = Object.keys(budgets.entries) as BudgetKey[];

const requestSchema = v.object({
  // Of the file that the edits are for; without it they are for the file as it is now.
  hash: v.optional(v.string()),
  edits: v.array(
    v.object({ step: v.nullable(v.string()), key: v.picklist(keys), value: v.pipe(v.string(), v.maxLength(100)) }),
  ),
});

export type StudioRequest = v.InferOutput<typeof requestSchema>;

/** undefined: the page does not send such a request. */
async function readRequest(request: IncomingMessage): Promise<StudioRequest | undefined> {
  // A form of another site could send anything else without asking the browser.
  if (request.headers['content-type'] !== 'application/json') return undefined;
  const chunks: Buffer[] = [];
  let length = 0;
  // A destroyed request could not be answered.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LIMIT) return undefined;
    chunks.push(chunk);
  }
  const { success, output } = v.safeParse(requestSchema, parsed(Buffer.concat(chunks).toString('utf8')));
  return success ? output : undefined;
}

const FILES = [
  { name: '', file: 'index.html', type: 'text/html' },
  { name: 'style.css', file: 'style.css', type: 'text/css' },
  { name: 'page.js', file: 'page.js', type: 'text/javascript' },
] as const;

export function readAssets(folder: string): Assets {
  return new Map(FILES.map(({ name, file, type }) => [name, { type, text: readFileSync(join(folder, file), 'utf8') }]));
}
