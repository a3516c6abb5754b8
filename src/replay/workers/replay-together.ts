import type { Worker } from 'node:worker_threads';
import { CtxbError } from '../../errors.ts';
import { type ReplayOptions, replaySource } from '../replay.ts';
import { attempt, type Judged } from '../replay-all.ts';
import type { Source } from '../sources.ts';
import { createShare, type FromWorker, type Share, takeNext } from './work.ts';

/**
 * Judges recordings on this thread and another one, and hands them over in their order. What the other one leaves undone
 * when it fails, for want of memory or of open files, is done here.
 *
 * @param startWorker starts the other thread, which does what work.ts says; undefined: there is none
 */
export async function* replayTogether(
  sources: readonly Source[],
  options: ReplayOptions,
  startWorker: (share: Share) => Worker | undefined,
): AsyncGenerator<Judged> {
  const share = createShare(sources, options);
  const judged = new Map<number, Judged>();
  const other = listenTo(startWorker(share), (message) => {
    if (message.kind === 'bytes') options.onBytes?.(message.count);
    else judged.set(message.at, judgedOf(message));
  });
  try {
    for (const [at, source] of sources.entries()) {
      for (let found = judged.get(at); ; found = judged.get(at)) {
        if (found !== undefined) {
          judged.delete(at);
          yield found;
          break;
        }
        const next = takeNext(share);
        if (next !== undefined) judged.set(next.at, await attempt(() => replaySource(next.source, options)));
        else if (other.isGone) judged.set(at, await attempt(() => replaySource(source, options)));
        else await other.news();
      }
    }
  } finally {
    await other.stop();
  }
}

function judgedOf(message: Exclude<FromWorker, { readonly kind: 'bytes' }>): Judged {
  if (message.kind === 'found') return { found: message.found };
  return { fault: new CtxbError(message.code, message.message) };
}

function listenTo(worker: Worker | undefined, onMessage: (message: FromWorker) => void) {
  let wake = () => {};
  let isGone = worker === undefined;

  function end(): void {
    isGone = true;
    wake();
  }

  worker?.on('message', (message: FromWorker) => {
    onMessage(message);
    wake();
  });
  worker?.on('error', end);
  worker?.on('exit', end);
  return {
    /** It has failed, or has done its part: all that it found has been told. */
    get isGone() {
      return isGone;
    },
    /** Resolves when it has told something, or is gone. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
    async stop(): Promise<void> {
      await worker?.terminate();
    },
  };
}
