import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isCtxbError } from '../../errors.ts';
import { type Edit, levelOf, type Studio } from './file-studio.ts';
import { FIELDS, studioPage } from './studio-page.ts';

const TOKEN_BYTES = 32;

/** Serves the page on a random port of 127.0.0.1, at a `url` that contains a random token. */
export async function startStudioServer(studio: Studio, style: string) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = createServer((request, response) => {
    void replyTo(request, urlOf(request, { host, token }), studio, style)
      // An exception must not end the server.
      .catch((error) => plain(500, `This is a bug in ctxb: ${error instanceof Error ? error.stack : error}`))
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
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

async function replyTo(
  request: IncomingMessage,
  place: { readonly file: string; readonly query: URLSearchParams } | undefined,
  studio: Studio,
  style: string,
): Promise<Reply> {
  // Discard the body of a refused request.
  if (place?.file !== '') request.resume();
  if (place === undefined) return plain(403);
  const { file, query } = place;
  const isGet = request.method === 'GET';
  if (isGet && file === 'style.css') return { status: 200, headers: { 'content-type': 'text/css' }, text: style };
  const level = query.get('level') || null;
  if (isGet && file === '') {
    const notice = query.has('saved') ? { notice: 'Saved' } : {};
    return page(200, studioPage(studio.view([]), { level, edits: [], ...notice }));
  }
  if (file !== '' || request.method !== 'POST') return plain(404);
  const form = await readForm(request);
  return form === undefined ? plain(400) : answer(studio, level, form);
}

const FILE_CHANGED = 'The file has been changed by something else since it was loaded; nothing was written.';

/** Shows or saves the changes in the form. Unsaved values stay in the form. */
function answer(studio: Studio, level: Edit['step'], form: URLSearchParams): Reply {
  const now = studio.view([]);
  const own = levelOf(now.flow, level)?.own ?? {};
  const edits = FIELDS.flatMap(({ key }): Edit[] => {
    const value = form.get(key)?.trim() ?? '';
    return value === String(own[key] ?? '') ? [] : [{ step: level, key, value }];
  });
  try {
    const hash = form.get('hash') ?? '';
    const outcome = form.get('action') === 'save' ? studio.save(edits, hash) : undefined;
    if (outcome === 'saved') {
      return { status: 303, headers: { location: `?level=${encodeURIComponent(level ?? '')}&saved` }, text: '' };
    }
    if (outcome === 'changed' || hash !== now.hash) {
      return page(409, studioPage(now, { level, edits, notice: FILE_CHANGED }));
    }
    return page(200, studioPage(studio.view(edits), { level, edits }));
  } catch (error) {
    if (isCtxbError(error)) return page(422, studioPage(now, { level, edits, notice: error.message }));
    throw error;
  }
}

function plain(status: number, text = String(status)): Reply {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: `${text}\n` };
}

function page(status: number, text: string): Reply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, text };
}

function send(response: ServerResponse, { status, headers, text }: Reply): void {
  response.writeHead(status, { ...GUARDED, ...headers });
  response.end(text);
}

/** Headers of every response: no framing, no scripts, no caching. */
const GUARDED: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, a browser would send `Origin: null` with the form.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * The file and query below the token; undefined if the request must be refused. Other pages in the browser do not know
 * the token, and a host name rebound to this machine (DNS rebinding) does not match `host`.
 */
function urlOf({ headers, url = '' }: IncomingMessage, { host, token }: { host: string; token: string }) {
  if (headers.host !== host) return undefined;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return undefined;
  const [, urlToken = '', file = '', query] = /^\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/.exec(url) ?? [];
  const digest = (text: string) => hash('sha256', text, 'buffer');
  return timingSafeEqual(digest(urlToken), digest(token)) ? { file, query: new URLSearchParams(query) } : undefined;
}

/** Maximum size of a form in bytes; five values of at most a hundred characters need less. */
const LIMIT = 16 * 1024;

/** Returns undefined for a form larger than the page can send. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = '';
  // Keep the request open, because destroying it would also prevent the response.
  for await (const chunk of request.setEncoding('latin1').iterator({ destroyOnReturn: false })) {
    text += chunk;
    if (text.length > LIMIT) break;
  }
  request.resume();
  return text.length > LIMIT ? undefined : new URLSearchParams(text);
}
