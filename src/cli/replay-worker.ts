// What a thread of `ctxb replay` runs; see replay-threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { work } from '../replay/workers/work.ts';
import { redact } from '../store/masks/redact.ts';
import { openBookmarks } from './open-bookmarks.ts';
import type { WorkerTask } from './replay-threads.ts';

const { share, cache } = workerData as WorkerTask;
const own = { stdin: process.stdin, mask: redact, bookmarks: cache && openBookmarks(cache) };
await work(share, own, (message) => parentPort?.postMessage(message));
