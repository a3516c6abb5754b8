import type { Worker } from 'node:worker_threads';
import { CtxbError } from '../../errors.ts';
import { type ReplayOptions, replaySource } from '../replay.ts';
import { attempt, type Judged } from '../replay-all.ts';
import type { Source } from '../sources.ts';
import { createShare, type FromWorker, type Share, takeNext } from './work.ts';

/**
 * Judges recordings on several threads, of which this is one, and hands them over in their order. What a thread that has
 * failed leaves undone, for want of memory or of open files, is done here.
 *
 * @param startWorkers starts the other threads, each of which does what work.ts says
 */
export async function* replayTogether(
  sources: readonly Source[],
  options: ReplayOptions,
  startWorkers: (share: Share) => readonly Worker[],
): AsyncGenerator<Judged> {
  const share = createShare(sources, options);
  const judged = new Map<number, Judged>();
  const crew = createCrew(startWorkers(share), (message) => {
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
        else if (crew.isShort) judged.set(at, await attempt(() => replaySource(source, options)));
        else await crew.news();
      }
    }
  } finally {
    await crew.dismiss();
  }
}

function judgedOf(message: Exclude<FromWorker, { readonly kind: 'bytes' }>): Judged {
  if (message.kind === 'found') return { found: message.found };
  return { fault: new CtxbError(message.code, message.message) };
}

function createCrew(workers: readonly Worker[], onMessage: (message: FromWorker) => void) {
  let wake = () => {};
  let isShort = false;

  function fail(): void {
    isShort = true;
    wake();
  }

  for (const worker of workers) {
    worker.on('message', (message: FromWorker) => {
      onMessage(message);
      wake();
    });
    worker.on('error', fail);
    worker.on('exit', (code) => code !== 0 && fail());
  }
  return {
    /** One of them has failed. */
    get isShort() {
      return isShort;
    },
    /** Resolves when one of them has told something, or failed. */
    news: () => new Promise<void>((resolve) => (wake = resolve)),
    async dismiss(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
