import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createStamper, promptLine, protocolLines, withUuid } from '../../src/run/caller-input.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const stamp = createStamper('00000000-0000-4000-8000-000000000000');

describe('a uuid is inserted into a user line', () => {
  it.each([
    { title: 'a plain line', line: '{"type":"user","message":{"role":"user","content":"x"}}' },
    { title: 'blanks and other orders', line: ' { "message":{"role":"user","content":"}"} , "type":"user" } ' },
    { title: 'a terminator', line: '{"type":"user","message":{"role":"user","content":"x"}}\r' },
    {
      title: 'a uuid in the message only',
      line: '{"type":"user","message":{"role":"user","content":"x","uuid":"inner"}}',
    },
  ])('$title', ({ line }) => {
    const stamped = withUuid(line, stamp);
    const { uuid } = JSON.parse(stamped) as { uuid: string };
    expect(uuid).toMatch(UUID);
    expect(stamped.replace(`,"uuid":"${uuid}"`, '')).toBe(line);
  });

  it.each([
    { title: 'one that has a uuid', line: '{"type":"user","uuid":"mine","message":{"content":"x"}}' },
    { title: 'another type', line: '{"type":"control_request","request_id":"1"}' },
    { title: 'no JSON', line: '{"type":"user"' },
    { title: 'nothing', line: '' },
  ])('$title stays unchanged', ({ line }) => {
    expect(withUuid(line, stamp)).toBe(line);
  });

  it('each line gets a different one', () => {
    expect(promptLine('x', stamp)).not.toBe(promptLine('x', stamp));
  });
});

describe('lines of the protocol', () => {
  it('arrive one at a time', async () => {
    const stdin = new PassThrough();
    const lines = protocolLines(stdin, undefined);
    stdin.end('a\nb\n');
    expect(await lines.next()).toEqual({ done: false, value: 'a\n' });
    expect(await lines.next()).toEqual({ done: false, value: 'b\n' });
    expect(await lines.next()).toEqual({ done: true, value: undefined });
  });

  it('are read without the byte order mark that claude accepts on each', async () => {
    const stdin = new PassThrough();
    const line = '{"type":"user","message":{"role":"user","content":"x"}}';
    stdin.end(`\ufeff${line}\n\ufeff${line}\n`);
    for await (const text of protocolLines(stdin, stamp)) expect(JSON.parse(text).uuid).toMatch(UUID);
    expect.assertions(2);
  });

  it('keep a byte order mark before anything that is no message', async () => {
    const stdin = new PassThrough();
    const lines = protocolLines(stdin, stamp);
    stdin.end('\ufeff\n\ufeffhello\n');
    expect(await lines.next()).toMatchObject({ value: '\ufeff\n' });
    expect(await lines.next()).toMatchObject({ value: '\ufeffhello\n' });
  });

  it.each([
    { title: 'fails', error: new Error('EIO') },
    { title: 'is destroyed', error: undefined },
  ])('end with an error when stdin $title', async ({ error }) => {
    const stdin = new PassThrough();
    const next = protocolLines(stdin, stamp).next();
    stdin.destroy(error);
    await expect(next).rejects.toThrow(error?.message ?? 'Premature close');
  });
});
