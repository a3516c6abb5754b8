import { once } from 'node:events';
import type { Child, ChildEnd } from '../../session/child.ts';
import { decodeLine } from '../../stream/decode.ts';
import type { Event } from '../../stream/events.ts';
import { createFramer } from '../../stream/frame.ts';
import { Contradiction } from '../contradiction.ts';

/** What a claude has said, as it is understood in a run. */
export interface Heard {
  readonly events: readonly Event[];
  /** How it has ended; undefined while it has not. */
  readonly end: () => ChildEnd | undefined;
  /**
   * Looks again after each line, until there is something to be found.
   *
   * @param what it is, for the one who reads that it never came
   * @throws Contradiction when claude has ended, or the patience is at its end
   */
  wait<T>(what: string, look: () => T | undefined): Promise<T>;
}

/** UTF-16 units of claude's stderr that are shown where it has ended too early. */
const STDERR_LENGTH = 500;

/** Listens to all that claude says. */
export function listen(child: Child, patience: AbortSignal, onEvent: (event: Event) => void): Heard {
  const events: Event[] = [];
  const waiting = new Set<() => void>();
  let end: ChildEnd | undefined;
  let stderr = '';

  const framer = createFramer();
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of framer.push(chunk)) {
      const event = decodeLine(line.toString());
      events.push(event);
      onEvent(event);
    }
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-STDERR_LENGTH);
  });
  void Promise.all([child.ended, once(child.stdout, 'end')]).then(([how]) => {
    end = how;
    wake();
  });
  patience.addEventListener('abort', wake);

  function wake(): void {
    for (const look of [...waiting]) look();
    waiting.clear();
  }

  return {
    events,
    end: () => end,
    async wait(what, look) {
      for (;;) {
        const found = look();
        if (found !== undefined) return found;
        if (patience.aborted) throw new Contradiction(`${what} did not come`);
        if (end !== undefined) {
          throw new Contradiction(`${what}: claude ended before (${endText(end)}) ${stderr.trim()}`.trim());
        }
        await new Promise<void>((resolve) => waiting.add(resolve));
      }
    },
  };
}

function endText({ code, signal }: ChildEnd): string {
  return signal ?? `exit code ${code}`;
}
