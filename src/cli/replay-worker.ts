// The program of a thread of `ctxb replay`; see src/replay/threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { ReadAheadTask } from '../replay/read/read-ahead.ts';
import type { SharedWork } from '../replay/threads.ts';
import { enableCompileCache } from '../store/files/compile-cache.ts';

enableCompileCache();
void run(workerData as SharedWork | ReadAheadTask, (message) => parentPort?.postMessage(message));

async function run(task: SharedWork | ReadAheadTask, tell: (message: unknown) => void): Promise<void> {
  if ('file' in task) return (await import('../replay/read/read-ahead.ts')).sendLines(task, tell);
  const [{ replayInThread }, { redact }] = await Promise.all([
    import('../replay/threads.ts'),
    import('../store/masks/redact.ts'),
  ]);
  return replayInThread(task, { stdin: process.stdin, mask: redact }, tell);
}
