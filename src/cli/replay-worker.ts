// What a thread of `ctxb replay` runs; see src/replay/threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { type Share, work } from '../replay/threads.ts';
import { redact } from '../store/masks/redact.ts';

const own = { stdin: process.stdin, mask: redact };
void work(workerData as Share, own, (message) => parentPort?.postMessage(message));
