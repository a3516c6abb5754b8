import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isCtxbError } from '../../errors.ts';
import type { Studio } from './studio.ts';
import { studioPage } from './studio-page.ts';

const TOKEN_BYTES = 32;

/** Serves the page on a random port of 127.0.0.1, at a `url` that contains a random token. */
export async function startStudioServer(studio: Studio, style: string) {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const server = createServer(async (request, response) => {
    // An exception must not end the server.
    const reply = await answer(request, { host, token, studio, style }).catch(faultReply);
    response.writeHead(reply.status, {
      ...SECURITY_HEADERS,
      'content-type': `text/${reply.type}; charset=utf-8`,
      ...reply.headers,
    });
    response.end(reply.text);
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

interface Reply {
  readonly status: number;
  readonly type: 'html' | 'css' | 'plain';
  readonly text: string;
  readonly headers?: { readonly location: string };
}

/** Maximum bytes of a form. A form of 1,000 steps needs less. */
const FORM_LIMIT = 1024 * 1024;

interface Place {
  readonly host: string;
  readonly token: string;
  readonly studio: Studio;
  readonly style: string;
}

async function answer(request: IncomingMessage, { host, token, studio, style }: Place): Promise<Reply> {
  const { method, headers, url = '' } = request;
  // Other pages in the browser do not know the token. A host name that was rebound to this machine (DNS rebinding)
  // differs from `host`.
  if (headers.host !== host || (headers.origin ?? `http://${host}`) !== `http://${host}`) return plain(403);
  const [path = '', query] = url.split('?');
  const isAt = (file: string) => timingSafeEqual(digest(path), digest(`/${token}/${file}`));
  if (method === 'GET' && isAt('style.css')) return { status: 200, type: 'css', text: style };
  if (method === 'GET' && isAt('')) return page({ ...studio(), ...(query === 'saved' && { message: 'Saved' }) });
  if (method !== 'POST' || !isAt('')) return plain(404);
  if (!(Number(headers['content-length']) <= FORM_LIMIT)) return plain(400);
  return page(studio(new Map(new URLSearchParams(await text(request)))));
}

function page(view: ReturnType<Studio>): Reply {
  const { status } = view;
  if (status === 303) return { status, type: 'html', text: '', headers: { location: '?saved' } };
  return { status, type: 'html', text: studioPage(view) };
}

function plain(status: number, text = String(status)): Reply {
  return { status, type: 'plain', text: `${text}\n` };
}

function faultReply(error: unknown): Reply {
  if (isCtxbError(error)) return plain(422, error.message);
  return plain(500, `This is a bug in ctxb: ${error instanceof Error ? error.stack : error}`);
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  // With `no-referrer`, a browser would send `Origin: null` with the form.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};
