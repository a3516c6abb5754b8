// What a thread of `ctxb replay` runs; see replay-threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import type { Share } from '../replay/workers/share.ts';
import { work } from '../replay/workers/work.ts';
import { redact } from '../store/redact.ts';

await work(workerData as Share, { stdin: process.stdin, mask: redact }, (message) => parentPort?.postMessage(message));
