/** The bundle that a thread of `ctxb replay` runs, as seen from any other. It holds all that makes the judgement. */
export const WORKER_FILE = new URL('../commands/replay-worker.js', import.meta.url);

/** The bundle of a thread that reads for another one. */
export const READER_FILE = new URL('../commands/replay-reader.js', import.meta.url);
