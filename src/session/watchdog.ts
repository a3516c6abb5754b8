import { messageOf } from '../errors.ts';
/**
 * The answer to a callback claude waits for. claude's hooks fail closed: unanswered, they hang the turn or lose the
 * prompt. So an answer always goes out: `success` when the work is done in time, else `error`, with which claude goes
 * on as if there were no hook.
 */
export interface HookAnswer {
  readonly requestId: string;
  readonly output: object;
  /** What has to be done before the answer. May throw, may take too long. */
  readonly work: () => void | Promise<void>;
  readonly timeoutMs: number;
  readonly reply: (line: string) => void;
  readonly onFault: (message: string) => void;
}

/** Replies exactly once. Resolves when the reply is out. */
export async function answerHook(answer: HookAnswer): Promise<void> {
  const { requestId, output, timeoutMs, reply } = answer;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([Promise.resolve().then(answer.work), late]);
    reply(response({ subtype: 'success', request_id: requestId, response: output }));
  } catch (error) {
    const message = messageOf(error);
    reply(response({ subtype: 'error', request_id: requestId, error: `ctxb: ${message}` }));
    answer.onFault(message);
  } finally {
    clearTimeout(timer);
  }
}

function response(envelope: object): string {
  return JSON.stringify({ type: 'control_response', response: envelope });
}
