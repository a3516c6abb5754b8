// The program of a thread of `ctxb replay`; see src/replay/threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { Share } from '../replay/threads.ts';
import { enableCompileCache } from '../store/files/compile-cache.ts';

enableCompileCache();
void Promise.all([import('../replay/threads.ts'), import('../store/masks/redact.ts')]).then(([{ work }, { redact }]) =>
  work(workerData as Share, { stdin: process.stdin, mask: redact }, (message) => parentPort?.postMessage(message)),
);
