import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Lock, takeLock } from '../files/lock.ts';
import { processMark } from '../files/process-mark.ts';
import type { Faults } from '../files/store-error.ts';
import { openContextDir } from '../folders/context-dir.ts';

/** Places for reliefs that call the model, which all runs of a user share. */
export interface ReliefSlots {
  /** Takes one; false: there are others in all of them. */
  take(): boolean;
  leave(): void;
}

interface SlotOptions {
  readonly atOnce: number;
  /** Nobody keeps one for longer, in milliseconds: a run that is stopped in its middle would hold up the others. */
  readonly lifeMs: number;
  readonly onFault: Faults;
}

/** @param folder of the user's state; undefined, or where nothing can be written: each gets a place */
export function createReliefSlots(folder: string | undefined, { atOnce, lifeMs, onFault }: SlotOptions): ReliefSlots {
  let lock: Lock | undefined;

  return {
    take() {
      if (folder === undefined || lock !== undefined) return true;
      const now = Date.now();
      const [since, until] = [now, now + lifeMs].map((time) => new Date(time).toISOString());
      // A name of its own each time: whoever clears the last one away when its time is up must not hit this one.
      const runId = randomUUID();
      const holder = { ...processMark(process.pid), runId, since: String(since), until: String(until) };
      try {
        lock = takeLock(openContextDir(join(folder, 'shared')).within('reliefs'), holder, atOnce);
        return lock !== undefined;
      } catch (error) {
        onFault('reliefs are not kept apart from those of other runs', error);
        return true;
      }
    },
    leave() {
      try {
        lock?.release();
      } catch (error) {
        onFault('the place of a relief is not left', error);
      }
      lock = undefined;
    },
  };
}
