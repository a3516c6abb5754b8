// What a thread runs that reads for another one; see replay-threads.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { type ReadingTask, readFor } from '../replay/workers/read-for.ts';

if (parentPort) await readFor(workerData as ReadingTask, parentPort);
