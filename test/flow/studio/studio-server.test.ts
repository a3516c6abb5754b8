import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxbError } from '../../../src/errors.ts';
import { type Studio, type StudioServer, startStudioServer } from '../../../src/flow/studio/studio-server.ts';
import type { StudioView } from '../../../src/flow/studio/studio-view.ts';

const VIEW: StudioView = { file: 'job.yaml', hash: 'abc', findings: [], flow: undefined, diff: [] };
const ASSETS = new Map([['', { type: 'text/html', text: '<p>page</p>' }]]);
const JSON_BODY = { 'content-type': 'application/json' };

let answers: Studio;
let server: StudioServer;

beforeEach(async () => {
  answers = { view: () => VIEW, save: () => VIEW };
  const studio: Studio = { view: (asked) => answers.view(asked), save: (asked) => answers.save(asked) };
  server = await startStudioServer(studio, ASSETS);
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

const post = (place: string, body: string, headers: Asked['headers'] = JSON_BODY) =>
  ask(`${server.url}${place}`, { method: 'POST', headers, body });

describe('the address', () => {
  it('is on loopback, with a token that is never the same', async () => {
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/$/);
    const other = await startStudioServer(answers, ASSETS);
    expect(new URL(other.url).pathname).not.toBe(new URL(server.url).pathname);
    await other.close();
  });

  it('serves the page, which may load nothing from elsewhere and is kept nowhere', async () => {
    expect(await ask(server.url)).toMatchObject({
      status: 200,
      text: '<p>page</p>',
      headers: {
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
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
    expect(await post('view', '{"edits":[]}', { ...JSON_BODY, ...headers })).toMatchObject({ status: 403 });
  });
});

describe('requests', () => {
  it('hands on what the page asks', async () => {
    const edits = [{ step: null, key: 'preset', value: 'lean' }];
    answers = { ...answers, save: (asked) => ({ ...VIEW, hash: JSON.stringify(asked) }) };
    const { status, text } = await post('save', JSON.stringify({ hash: 'abc', edits }));
    expect(status).toBe(200);
    expect(JSON.parse(JSON.parse(text).hash)).toEqual({ hash: 'abc', edits });
  });

  it.each([
    { name: 'another type', body: '{"edits":[]}', headers: { 'content-type': 'text/plain' } },
    { name: 'no JSON', body: '{' },
    { name: 'no edits', body: '{}' },
    { name: 'a key that is no budget', body: '{"edits":[{"step":null,"key":"__proto__","value":""}]}' },
    { name: 'a value that is no text', body: '{"edits":[{"step":null,"key":"preset","value":1}]}' },
    { name: 'a value that is too long', body: `{"edits":[{"step":null,"key":"preset","value":"${'x'.repeat(101)}"}]}` },
  ])('refuses $name', async ({ body, headers }) => {
    expect(await post('view', body, headers)).toMatchObject({ status: 400 });
  });

  it.each([
    { name: 'a place that there is not', place: 'other', method: 'GET' },
    { name: 'the page by POST', place: '', method: 'POST' },
    { name: 'a save by GET', place: 'save', method: 'GET' },
  ])('knows nothing of $name', async ({ place, method }) => {
    expect(await ask(`${server.url}${place}`, { method })).toMatchObject({ status: 404 });
  });

  it('says that the file is another one by now', async () => {
    answers = { ...answers, save: () => 'changed' };
    expect(await post('save', '{"edits":[]}')).toMatchObject({
      status: 409,
      text: expect.stringContaining('nothing was'),
    });
  });

  it('says in our own words why not', async () => {
    answers.save = () => {
      throw new CtxbError('store', 'the disk is full');
    };
    expect(await post('save', '{"edits":[]}')).toMatchObject({ status: 422, text: '{"message":"the disk is full"}' });
  });

  it('says what a bug is, and lives on', async () => {
    answers.view = () => {
      throw new TypeError('no such thing');
    };
    const bug = { status: 500, text: expect.stringContaining('a bug in ctxb: TypeError: no such thing') };
    expect(await post('view', '{"edits":[]}')).toMatchObject(bug);
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });

  it('refuses a request that is too long, and lives on', async () => {
    const long = `{"edits":[],"x":"${'x'.repeat(2 * 1024 * 1024)}"}`;
    expect(await post('view', long)).toMatchObject({ status: 400 });
    expect(await ask(server.url)).toMatchObject({ status: 200 });
  });
});
