import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createStamp, fixedPrompts, promptLine, protocolLines, withUuid } from '../../src/run/caller-input.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const stamp = createStamp('00000000-0000-4000-8000-000000000000');

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

describe('fixed prompts', () => {
  it('arrive in order, followed by the end', () => {
    const seen: string[] = [];
    fixedPrompts([promptLine('one', stamp), promptLine('two', stamp)]).start({
      line: (event, line) =>
        seen.push(`${event.kind} ${(JSON.parse(line) as { message: { content: string } }).message.content}`),
      end: () => seen.push('end'),
      mayContinue: (resume) => resume(),
    });
    expect(seen).toEqual(['user one', 'user two', 'end']);
  });
});

describe('lines of the protocol', () => {
  it('arrive one at a time: the next waits until claude accepts more', async () => {
    const stdin = new PassThrough();
    const input = protocolLines(stdin, undefined);
    const seen: string[] = [];
    let resume = () => {};
    let arrived = () => {};
    const next = () =>
      new Promise<void>((resolve) => {
        arrived = resolve;
      });
    const first = next();
    input.start({
      line: (_, line) => {
        seen.push(line);
        arrived();
      },
      end: () => {
        seen.push('end');
        arrived();
      },
      mayContinue: (go) => {
        resume = go;
      },
    });
    stdin.end('a\nb\n');
    await first;
    expect(seen).toEqual(['a\n']);
    const second = next();
    resume();
    await second;
    expect(seen).toEqual(['a\n', 'b\n']);
    const end = next();
    resume();
    await end;
    expect(seen).toEqual(['a\n', 'b\n', 'end']);
  });

  it('end when stdin fails', async () => {
    const stdin = new PassThrough();
    const input = protocolLines(stdin, undefined);
    const ended = new Promise<void>((end) => input.start({ line: () => {}, end, mayContinue: (go) => go() }));
    stdin.destroy(new Error('EIO'));
    await ended;
    expect(stdin.destroyed).toBe(true);
  });

  it('do not keep the process alive after stop', () => {
    const stdin = new PassThrough();
    const input = protocolLines(stdin, stamp);
    input.start({ line: () => {}, end: () => {}, mayContinue: (go) => go() });
    input.stop();
    expect(stdin.destroyed).toBe(true);
  });
});
