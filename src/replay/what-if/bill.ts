import type { Usage } from '../../stream/events.ts';
import type { Relieved } from './pilot.ts';
import type { Step } from './steps.ts';

/** Says in which parts a context is billed. */
export interface Bill {
  /** A call of the main thread. */
  call(step: Step, moment: Moment & { readonly context: number; readonly relief: Relieved | undefined }): Usage;
  /** The call that writes a summary or a document: it reads all that there is. */
  relief(step: Step, moment: Moment & { readonly read: number; readonly relief: Relieved }): Usage;
}

interface Moment {
  /** Context of the call before, in tokens. */
  readonly before: number;
}

/** @param caches prompts are cached at all */
export function createBill(caches: boolean): Bill {
  /** The cache has what it had in the recording, in proportion: it was as cold after the same pauses. */
  const cached = ({ warm }: Step, before: number) => Math.round(before * (warm ?? (caches ? 1 : 0)));

  return {
    call(step, { before, context, relief }) {
      const { input, cacheCreation, cacheRead, billedOutput: output } = step.call;
      if (step.change === 'first' || step.change === 'fresh') {
        return { input, ...written(cacheCreation, step), cacheRead, output };
      }
      const hit = Math.min(context, relief === undefined ? cached(step, before) : caches ? relief.prefix : 0);
      const rest = context - hit;
      const plain = cacheCreation === 0 ? rest : Math.min(input, rest);
      return { input: plain, ...written(rest - plain, step), cacheRead: hit, output };
    },
    relief(step, { before, read, relief }) {
      const hit = Math.min(read, cached(step, before));
      const rest = read - hit;
      return { input: caches ? 0 : rest, ...written(caches ? rest : 0, step), cacheRead: hit, output: relief.output };
    },
  };
}

/** As much of what is written to the cache is kept for an hour as it was in the recorded call, in proportion. */
function written(cacheCreation: number, { call }: Step): Pick<Usage, 'cacheCreation' | 'cacheCreationHour'> {
  const share = call.cacheCreation > 0 ? (call.cacheCreationHour ?? 0) / call.cacheCreation : 0;
  const hour = Math.round(cacheCreation * share);
  return { cacheCreation, ...(hour > 0 && { cacheCreationHour: hour }) };
}
