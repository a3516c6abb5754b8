import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { contextOf, type Message, type Usage } from '../../src/standin/answer.ts';
import type { Scenario } from '../support/standin/scenario.ts';
import { type Standin, startStandin } from '../support/standin/server.ts';

let standin: Standin | undefined;

afterEach(() => standin?.close());

async function start(scenario: Scenario): Promise<Standin> {
  standin = await startStandin(scenario);
  return standin;
}

function post(url: string, body: unknown, path = '/v1/messages'): Promise<Response> {
  return fetch(url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
}

async function ask(url: string, body: unknown = PROMPT): Promise<Message> {
  return (await (await post(url, body)).json()) as Message;
}

const PROMPT = { model: 'claude-x', messages: [{ role: 'user', content: 'hello' }] };

describe('plain answers', () => {
  it('answers in the shape of the API', async () => {
    const { url } = await start({ calls: [{ text: 'Hello.', context: 50_000, usage: { output: 7 } }] });
    const response = await post(url, PROMPT);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      id: 'msg_standin_0001',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: 4,
        cache_creation_input_tokens: 29_996,
        cache_read_input_tokens: 20_000,
        output_tokens: 7,
      },
    });
  });

  it('numbers messages and tool calls over the whole run', async () => {
    const tools = [{ name: 'Bash', input: { command: 'true' } }];
    const { url } = await start({ calls: [{ tools }, { tools: [...tools, ...tools] }] });
    const first = await ask(url);
    const second = await ask(url);
    expect([first.id, second.id]).toEqual(['msg_standin_0001', 'msg_standin_0002']);
    expect([first.stop_reason, first.content[0]?.id]).toEqual(['tool_use', 'toolu_standin_0001']);
    expect(second.content.map(({ id }) => id)).toEqual(['toolu_standin_0002', 'toolu_standin_0003']);
  });

  it('answers a request for a title in the requested shape, and consumes no call for it', async () => {
    const { url } = await start({ calls: [{ text: 'one' }] });
    const properties = {
      title: { type: 'string' },
      kind: { enum: ['bug', 'feature'] },
      tags: { type: 'array' },
      size: { type: 'integer' },
      done: { type: 'boolean' },
    };
    const format = { type: 'json_schema', schema: { type: 'object', properties } };
    const title = { ...PROMPT, system: 'You are naming a session.', output_config: { format } };
    const [block] = (await ask(url, title)).content;
    expect(JSON.parse(String(block?.text))).toEqual({
      title: 'Nothing in particular',
      kind: 'bug',
      tags: [],
      size: 0,
      done: false,
    });
    expect((await ask(url)).content).toEqual([{ type: 'text', text: 'one' }]);
  });

  it('continues with the last context when the calls are used up', async () => {
    const { url } = await start({ calls: [{ text: 'one', context: 90_000 }] });
    await post(url, PROMPT);
    const { usage, stop_reason } = await ask(url);
    expect(contextOf(usage)).toBe(90_000);
    expect(stop_reason).toBe('end_turn');
  });

  it('continues with a small context after a summary', async () => {
    const { url } = await start({ calls: [{ text: 'one', context: 90_000 }], summary: { text: 'short' } });
    await ask(url);
    const asking = { messages: [{ role: 'user', content: 'Your task is to create a detailed summary of it.' }] };
    const [summary, next] = [await ask(url, asking), await ask(url)];
    expect([contextOf(summary.usage), contextOf(next.usage)]).toEqual([90_000, 20_000]);
    expect(summary.content).toEqual([{ type: 'text', text: 'short' }]);
  });

  it('returns `afterLast` when the calls are used up', async () => {
    const { url } = await start({ calls: [], afterLast: { text: 'The rest.' } });
    expect((await ask(url)).content[0]?.text).toBe('The rest.');
  });

  it('calls a function for each call, with the request and its number', async () => {
    const { url } = await start({ calls: ({ body }, index) => ({ text: `${body.model} ${index}` }) });
    await post(url, PROMPT);
    expect((await ask(url)).content[0]?.text).toBe('claude-x 1');
  });
});

describe('streamed answers', () => {
  it('sends the events of the API in order, and each block in pieces', async () => {
    const call = {
      thinking: 'Hm, well',
      text: 'Grüße 👋 an alle',
      tools: [{ name: 'Read', input: { file_path: '/a' } }],
    };
    const { url } = await start({ calls: [{ ...call, context: 1000, usage: { output: 321 } }] });
    const response = await post(url, { ...PROMPT, stream: true });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = parseEvents(await response.text());
    expect(events.map(({ name }) => name)).toEqual(events.map(({ data }) => data.type));
    expect(collapse(events.map(({ name }) => name))).toEqual([
      'message_start',
      'ping',
      ...Array.from({ length: 3 }, () => ['content_block_start', 'content_block_delta', 'content_block_stop']).flat(),
      'message_delta',
      'message_stop',
    ]);
    const deltas = events.flatMap(({ data }) =>
      data.delta && data.type === 'content_block_delta' ? [data.delta] : [],
    );
    expect(joined(deltas, 'thinking')).toBe(call.thinking);
    expect(joined(deltas, 'text')).toBe(call.text);
    expect(JSON.parse(joined(deltas, 'partial_json'))).toEqual({ file_path: '/a' });
    expect(deltas.filter(({ type }) => type === 'text_delta').length).toBeGreaterThan(1);
  });

  it('sends the true output tokens only at the end', async () => {
    const { url } = await start({ calls: [{ text: 'x', context: 1000, usage: { output: 321 } }] });
    const events = parseEvents(await (await post(url, { ...PROMPT, stream: true })).text());
    const dataOf = (type: string) => events.find(({ name }) => name === type)?.data;
    expect(dataOf('message_start')?.message?.usage).toMatchObject({ input_tokens: 4, output_tokens: 1 });
    expect(dataOf('message_delta')?.usage).toMatchObject({ input_tokens: 4, output_tokens: 321 });
  });
});

describe('refusals', () => {
  it.each([
    { status: 400, type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    { status: 429, type: 'rate_limit_error', message: /rate limit/ },
    { status: 500, type: 'api_error', message: /Internal/ },
    { status: 529, type: 'overloaded_error', message: 'Overloaded' },
  ])('send $type for $status', async ({ status, type, message }) => {
    const { url } = await start({ calls: [{ error: { status } }, { text: 'fine again' }] });
    const response = await post(url, { ...PROMPT, stream: true });
    expect(response.status).toBe(status);
    const body = (await response.json()) as { error: { message: string } };
    expect(body).toMatchObject({ type: 'error', error: { type } });
    expect(body.error.message).toMatch(message);
    expect((await post(url, PROMPT)).status).toBe(200);
  });

  it('contain the message of the call', async () => {
    const { url } = await start({ calls: [{ error: { status: 403, type: 'permission_error', message: 'no' } }] });
    expect(await ask(url)).toMatchObject({
      error: { type: 'permission_error', message: 'no' },
    });
  });

  it('report an error thrown by the scenario', async () => {
    const { url } = await start({
      calls: () => {
        throw new Error('no such step');
      },
    });
    const response = await post(url, PROMPT);
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('no such step')]);
  });

  it.each([
    { name: 'another path', method: 'POST', path: '/v1/models' },
    { name: 'another method', method: 'GET', path: '/v1/messages' },
  ])('refuses $name', async ({ method, path }) => {
    const { url, requests } = await start({ calls: [] });
    const response = await fetch(url + path, { method, ...(method === 'POST' ? { body: '{}' } : {}) });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } });
    expect(requests).toHaveLength(1);
  });
});

describe('the record', () => {
  it('counts tokens at four characters each, without consuming a call', async () => {
    const { url, requests } = await start({ calls: [{ text: 'first' }] });
    const counted = await (await post(url, PROMPT, '/v1/messages/count_tokens?beta=true')).json();
    expect(counted).toEqual({ input_tokens: Math.ceil(JSON.stringify(PROMPT).length / 4) });
    expect((await ask(url)).content[0]?.text).toBe('first');
    expect(requests).toEqual([
      { index: 0, path: '/v1/messages/count_tokens', kind: 'count', body: PROMPT, at: expect.any(Number) },
      { index: 1, path: '/v1/messages', kind: 'main', body: PROMPT, at: expect.any(Number) },
    ]);
  });

  it('waits for past and future requests', async () => {
    const { url, waitFor } = await start({ calls: [] });
    const second = waitFor(2);
    await post(url, PROMPT);
    const other = waitFor(({ body }) => body.model === 'claude-y');
    await post(url, { ...PROMPT, model: 'claude-y' });
    expect((await waitFor(1)).index).toBe(0);
    expect([(await second).index, (await other).index]).toEqual([1, 1]);
  });

  it('ends waiting and delayed answers on close', async () => {
    const { url, waitFor, close } = await start({ calls: [{ text: 'late', delayMs: 3_600_000 }] });
    const answer = post(url, PROMPT).catch((error: Error) => error);
    const never = waitFor(() => false).catch((error: Error) => error);
    await waitFor(1);
    await close();
    expect(await answer).toBeInstanceOf(Error);
    expect(await never).toBeInstanceOf(Error);
    await expect(fetch(url)).rejects.toThrow();
    standin = undefined;
  });
});

it('listens on the loopback interface only', async () => {
  const { url } = await start({ calls: [] });
  expect(new URL(url).hostname).toBe('127.0.0.1');
  const outside = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).filter((one) => !one.internal));
  for (const { address } of outside.filter(({ family }) => family === 'IPv4')) {
    await expect(fetch(`http://${address}:${new URL(url).port}/`)).rejects.toThrow();
  }
});

/** An event as a client reads it; each type has only some of the fields. */
interface WireEvent {
  readonly type: string;
  readonly message?: Message;
  readonly usage?: Usage;
  readonly delta?: Readonly<Record<string, string>>;
}

function parseEvents(text: string): { name: string; data: WireEvent }[] {
  const records = text.split('\n\n').filter((record) => record !== '');
  return records.map((record) => {
    const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(record) ?? [];
    return { name, data: JSON.parse(data) as WireEvent };
  });
}

function collapse(names: string[]): string[] {
  return names.filter((name, i) => name !== names[i - 1]);
}

function joined(deltas: readonly Readonly<Record<string, string>>[], field: string): string {
  return deltas.map((delta) => delta[field] ?? '').join('');
}
