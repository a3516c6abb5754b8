import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { explainFlow } from '../../../src/flow/report/explain.ts';
import type { Studio } from '../../../src/flow/studio/studio.ts';
import { startStudioServer } from '../../../src/flow/studio/studio-server.ts';
import { flowOf, flowStep } from '../../support/packs.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

const flow = flowOf([flowStep({ id: 'one' })]);
const explained = explainFlow(flow, { cwd: '/nowhere', outputs: () => undefined });
const VIEW = { file: 'job.yaml', hash: 'abc', flow, explained, run: undefined, isChanged: false, status: 200 };

let studio: Studio;
let server: Awaited<ReturnType<typeof startStudioServer>>;

beforeEach(async () => {
  studio = (form = new Map()) => ({ ...VIEW, form });
  server = await startStudioServer((form) => studio(form), 'a {}');
});
afterEach(() => server.close());

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** As any program could ask: `fetch` would not send these headers. */
function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  return new Promise<{ status: number | undefined; headers: object; text: string }>((resolve, reject) => {
    const asked = request(url, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const post = (place: string, body: string, headers: Asked['headers'] = FORM) =>
  ask(`${server.url}${place}`, { method: 'POST', headers, body });

describe('the address', () => {
  it('is on loopback, with a new token each time', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/);
    const other = await startStudioServer(studio, '');
    expect(new URL(other.url).pathname).not.toBe(new URL(server.url).pathname);
    await other.close();
  });

  it('serves a page that loads nothing from elsewhere and is not cached', async () => {
    expect(await ask(server.url)).toMatchObject({
      status: 200,
      text: expect.stringContaining('<h1>flow</h1>'),
      headers: {
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      },
    });
  });

  it.each([
    { name: 'no token', path: () => '/' },
    { name: 'another token', path: (token: string) => `/${token.slice(1)}x/` },
    { name: 'part of the token', path: (token: string) => `/${token.slice(0, -1)}/` },
    { name: 'the token elsewhere', path: (token: string) => `/?token=${token}` },
    { name: 'a place that there is not', path: (token: string) => `/${token}/other` },
    { name: 'a place above', path: (token: string) => `/${token}/../x` },
  ])('refuses a request with $name', async ({ path }) => {
    const [, token = ''] = new URL(server.url).pathname.split('/');
    const { status, headers } = await ask(new URL(server.url).origin + path(token));
    expect(status).not.toBe(200);
    expect(headers).toHaveProperty('content-security-policy');
  });

  it.each([
    { name: 'another host, as after rebinding a name', headers: { host: 'example.com' } },
    { name: 'the host without its port', headers: { host: '127.0.0.1' } },
    { name: 'another origin', headers: { origin: 'http://127.0.0.1:1' } },
    { name: 'no origin that is one', headers: { origin: 'null' } },
  ])('refuses a request with $name, even with the token', async ({ headers }) => {
    expect(await ask(server.url, { headers })).toMatchObject({ status: 403 });
    expect(await post('', 'action=save', { ...FORM, ...headers })).toMatchObject({ status: 403 });
  });
});

describe('forms', () => {
  it('reach the studio, field by field', async () => {
    let asked: unknown;
    studio = (form = new Map()) => {
      asked = [...form];
      return { ...VIEW, form, status: 303 };
    };
    const { status, headers } = await post('', 'hash=abc&action=save&one.preset=lean&one.historyOlderChars=1+000');
    expect([status, headers]).toMatchObject([303, { location: '?saved' }]);
    expect(asked).toEqual([
      ['hash', 'abc'],
      ['action', 'save'],
      ['one.preset', 'lean'],
      ['one.historyOlderChars', '1 000'],
    ]);
  });

  it('are answered with their values and the message', async () => {
    studio = (form = new Map()) => ({ ...VIEW, form, status: 409, message: 'the file <has> changed' });
    const { status, text } = await post('', 'hash=old&one.preset=lean');
    expect([status, text]).toEqual([409, expect.stringContaining('the file &lt;has&gt; changed')]);
    expect(text).toContain('<option selected>lean</option>');
  });

  it('for the style are refused', async () => {
    expect(await post('style.css', 'action=save')).toMatchObject({ status: 404 });
    expect(await ask(`${server.url}style.css`)).toMatchObject({ status: 200, text: 'a {}' });
  });

  it('report that they were saved', async () => {
    expect((await ask(`${server.url}?saved`)).text).toContain('role="alert">Saved<');
  });

  it("report errors in ctxb's words", async () => {
    studio = () => {
      throw new CtxbError('store', 'the disk is full');
    };
    expect(await post('', 'hash=abc&action=save')).toMatchObject({ status: 422, text: 'the disk is full\n' });
  });

  it('report a bug, and the server continues', async () => {
    const works = studio;
    studio = () => {
      throw new TypeError('no such thing');
    };
    const bug = { status: 500, text: expect.stringContaining('a bug in ctxb: TypeError: no such thing') };
    expect(await post('', 'hash=abc')).toMatchObject(bug);
    studio = works;
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });

  it('are refused if too long or of unknown length, and the server continues', async () => {
    expect(await post('', `hash=${'x'.repeat(2 * 1024 * 1024)}`)).toMatchObject({ status: 400 });
    expect(await post('', 'hash=abc', { ...FORM, 'transfer-encoding': 'chunked' })).toMatchObject({ status: 400 });
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });
});
