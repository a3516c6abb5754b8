import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import type { Studio, StudioView } from '../../../src/flow/studio/file-studio.ts';
import { type StudioServer, startStudioServer } from '../../../src/flow/studio/studio-server.ts';

const SIZE = { value: 50_000, source: 'flow' };
const EFFECTIVE = { contextBudgetChars: SIZE, historyRecentChars: SIZE, historyOlderChars: SIZE };
const OWN = { own: { contextBudgetChars: '50000' }, effective: EFFECTIVE, warnings: [] };
const FLOW = { name: 'job', profile: undefined, window: 200_000, budgets: OWN, steps: [] };
const VIEW = { file: 'job.yaml', hash: 'abc', findings: [], flow: FLOW, isChanged: false } as unknown as StudioView;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

let answers: Studio;
let server: StudioServer;

beforeEach(async () => {
  answers = { view: () => ({ ...VIEW, flow: undefined }), save: () => 'saved' };
  const studio: Studio = { view: (edits) => answers.view(edits), save: (...asked) => answers.save(...asked) };
  server = await startStudioServer(studio, 'a {}');
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
    const other = await startStudioServer(answers, '');
    expect(new URL(other.url).pathname).not.toBe(new URL(server.url).pathname);
    await other.close();
  });

  it('serves a page that loads nothing from elsewhere and is not cached', async () => {
    expect(await ask(server.url)).toMatchObject({
      status: 200,
      text: expect.stringContaining('job.yaml is not a flow that can be run'),
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
  it('become edits of changed values, on the level in the address', async () => {
    let asked: unknown;
    answers = {
      view: () => VIEW,
      save: (...given) => {
        asked = given;
        return 'saved';
      },
    };
    const { status, headers } = await post('', 'hash=abc&action=save&preset=lean&contextBudgetChars=50000&other=1');
    expect([status, headers]).toMatchObject([303, { location: '?level=&saved' }]);
    expect(asked).toEqual([[{ step: null, key: 'preset', value: 'lean' }], 'abc']);
    await post('?level=one', 'hash=abc&action=save&historyOlderChars=900');
    expect(asked).toEqual([[{ step: 'one', key: 'historyOlderChars', value: '900' }], 'abc']);
  });

  it.each([
    { name: 'a place that there is not', place: 'other', method: 'GET' },
    { name: 'a form for the style', place: 'style.css', method: 'POST' },
  ])('ignore $name', async ({ place, method }) => {
    expect(await ask(`${server.url}${place}`, { method })).toMatchObject({ status: 404 });
  });

  it.each([
    { name: 'while it is shown', body: 'hash=old&action=view&preset=lean', save: 'saved' as const },
    { name: 'while it is saved', body: 'hash=abc&action=save&preset=lean', save: 'changed' as const },
  ])('report a changed file and keep the typed values, $name', async ({ body, save }) => {
    answers = { view: () => VIEW, save: () => save };
    const { status, text } = await post('', body);
    expect([status, text]).toEqual([409, expect.stringContaining('nothing was written')]);
    expect(text).toContain('<option value="lean" selected>');
  });

  it("report errors in ctxb's words", async () => {
    answers.save = () => {
      throw new CtxbError('store', 'the disk <is> full');
    };
    answers.view = () => VIEW;
    const told = { status: 422, text: expect.stringContaining('the disk &lt;is&gt; full') };
    expect(await post('', 'hash=abc&action=save')).toMatchObject(told);
  });

  it('report a bug, and the server continues', async () => {
    const { view } = answers;
    answers.view = () => {
      throw new TypeError('no such thing');
    };
    const bug = { status: 500, text: expect.stringContaining('a bug in ctxb: TypeError: no such thing') };
    expect(await post('', 'hash=abc')).toMatchObject(bug);
    answers.view = view;
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });

  it('are refused if too long, and the server continues', async () => {
    expect(await post('', `hash=${'x'.repeat(2 * 1024 * 1024)}`)).toMatchObject({ status: 400 });
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });
});
