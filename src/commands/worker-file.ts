/** The bundle that a thread of `ctxb replay` runs, as seen from any other. It holds all that makes the judgement. */
export const WORKER_FILE = new URL('../commands/replay-worker.js', import.meta.url);
