import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Resources of a process. */
export interface Held {
  /** Bytes of the heap after all that can be was let go of. */
  readonly heap: number;
  /** Timers, streams and the like that keep it alive. */
  readonly resources: number;
  /** Open files; 0 where the system does not tell. */
  readonly files: number;
  /** Listeners of the process itself. */
  readonly listeners: number;
}

export async function held(): Promise<Held> {
  // Closed resources disappear in the next round of the event loop.
  await new Promise(setImmediate);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return {
    heap: process.memoryUsage().heapUsed,
    resources: process.getActiveResourcesInfo().length,
    files: process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
  };
}
