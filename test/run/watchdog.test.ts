import { describe, expect, it } from 'vitest';
import { answerHook } from '../../src/run/executor.ts';

const never = () => new Promise<void>(() => {});

async function answer(work: () => void | Promise<void>, timeoutMs = 10_000) {
  const replies: unknown[] = [];
  const faults: string[] = [];
  await answerHook({
    requestId: 'r1',
    output: { systemMessage: 'x' },
    work,
    timeoutMs,
    reply: (line) => replies.push(JSON.parse(line)),
    onFault: (message) => faults.push(message),
  });
  return { replies, faults };
}

function failure(error: string): object {
  return { type: 'control_response', response: { subtype: 'error', request_id: 'r1', error } };
}

describe('a hook is answered exactly once', () => {
  it.each([
    { title: 'work that is done at once', work: () => {} },
    { title: 'work that takes a moment', work: () => Promise.resolve() },
  ])('$title: success', async ({ work }) => {
    const { replies, faults } = await answer(work);
    expect(replies).toEqual([
      {
        type: 'control_response',
        response: { subtype: 'success', request_id: 'r1', response: { systemMessage: 'x' } },
      },
    ]);
    expect(faults).toEqual([]);
  });

  it.each([
    {
      title: 'work that throws',
      work: () => {
        throw new Error('disk full');
      },
      message: 'disk full',
    },
    { title: 'work that rejects', work: () => Promise.reject(new Error('disk full')), message: 'disk full' },
    { title: 'work that rejects with no error', work: () => Promise.reject('odd'), message: 'odd' },
  ])('$title: error, with which claude goes on', async ({ work, message }) => {
    expect(await answer(work)).toEqual({ replies: [failure(`ctxb: ${message}`)], faults: [message] });
  });

  it('work that never ends: error when the time is over', async () => {
    const message = 'not done after 5 ms';
    expect(await answer(never, 5)).toEqual({ replies: [failure(`ctxb: ${message}`)], faults: [message] });
  });

  it('work that fails after the time is over is not answered again', async () => {
    let fail = (_: Error) => {};
    const work = () =>
      new Promise<void>((_, reject) => {
        fail = reject;
      });
    const { replies } = await answer(work, 5);
    fail(new Error('too late'));
    await Promise.resolve();
    expect(replies).toEqual([failure('ctxb: not done after 5 ms')]);
  });
});
