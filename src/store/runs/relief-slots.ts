import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Lock, takeLock } from '../files/lock.ts';
import { processMark } from '../files/process-mark.ts';
import type { Faults } from '../files/store-error.ts';
import { openContextDir } from '../folders/context-dir.ts';

interface SlotOptions {
  readonly atOnce: number;
  /** Nobody keeps one for longer, in milliseconds: a run that is stopped in its middle would hold up the others. */
  readonly lifeMs: number;
  readonly onFault: Faults;
}

/**
 * Places for reliefs that call the model, which all runs of a user share.
 *
 * @param folder of the user's state; undefined, or where nothing can be written: each gets a place
 */
export function createReliefSlots(folder: string | undefined, { atOnce, lifeMs, onFault }: SlotOptions) {
  let lock: Lock | undefined;

  return {
    /** Takes one; false: there are others in all of them. */
    take(): boolean {
      if (folder === undefined || lock !== undefined) return true;
      const now = Date.now();
      const time = { since: new Date(now).toISOString(), until: new Date(now + lifeMs).toISOString() };
      // A name of its own each time: whoever clears the last one away when its time is up must not hit this one.
      const holder = { ...processMark(process.pid), runId: randomUUID(), ...time };
      try {
        lock = takeLock(openContextDir(join(folder, 'shared')).within('reliefs'), holder, atOnce);
        return lock !== undefined;
      } catch (error) {
        onFault('reliefs are not kept apart from those of other runs', error);
        return true;
      }
    },
    leave(): void {
      try {
        lock?.release();
      } catch (error) {
        onFault('the place of a relief is not left', error);
      }
      lock = undefined;
    },
  };
}
