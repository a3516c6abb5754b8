import type { Input, OwnEvent } from '../core/governor/input.ts';
import { commandOf } from '../core/protocol/blocks.ts';
import type { ExactPlan, ExactReceipt } from '../core/protocol/exact-plan.ts';
import { fieldsOf, isFields, listOf, textsOf } from '../core/protocol/fields.ts';
import { type Faults, tryOrReport } from '../store/files/store-error.ts';
import { type ModFolder, makeModFolder } from '../store/runs/mod-folder.ts';

/** @param isGuarded whether a hook of the user guards the context */
export function createExactMod(isGuarded: () => boolean, onFault: Faults) {
  let folder: ModFolder | undefined;
  let written = '';

  const attempt = <T>(work: () => T) => tryOrReport(onFault, 'compactions are not exact', work);

  return {
    /** Writes the mod to a new folder, unless the context is guarded. */
    arm() {
      // Each claude process must prove that it runs its mod.
      folder?.remove();
      written = '';
      const guarded = isGuarded();
      folder = guarded ? undefined : attempt(() => makeModFolder());
      return { path: folder?.path, guarded };
    },
    whenAlive: (callback: () => void) => void attempt(() => folder?.whenAlive(callback)),
    plan(plan: ExactPlan): void {
      const text = JSON.stringify(plan);
      if (text === written) return;
      attempt(() => folder?.plan(plan));
      written = text;
    },
    /** Reports the mod's work before the first line that depends on it is processed. */
    seen(input: Input): readonly OwnEvent[] {
      if (folder === undefined || !mayTellOfCompaction(input)) return [];
      const { receipt, kept } = attempt(() => folder?.takeReceipt()) ?? {};
      return isReceipt(receipt) ? [{ kind: 'exact-receipt', receipt, kept: textsIn(kept) }] : [];
    },
    close: () => attempt(() => folder?.remove()),
  };
}

function mayTellOfCompaction({ from, event }: Input): boolean {
  if (from !== 'claude') return false;
  if (event.kind === 'boundary' || event.kind === 'compact-status') return true;
  if (event.kind !== 'control-request') return false;
  const { hook_event_name: hook } = fieldsOf(event.request.input);
  return hook === 'PostCompact' || hook === 'SessionStart';
}

function textsIn(messages: unknown): string[] {
  const list = (value: unknown) => listOf(value).map(fieldsOf);
  return list(messages).flatMap(({ text, toolUses, toolResults }) => [
    ...textsOf([text]).map((text) => commandOf(text) ?? text),
    ...list(toolUses).flatMap(({ input }) => textsOf(Object.values(fieldsOf(input)))),
    ...list(toolResults).flatMap((result) => textsOf([result.text])),
  ]);
}

/** Whether the mod has written the file in this shape. A torn file or a file of another program is not a receipt. */
function isReceipt(value: unknown): value is ExactReceipt {
  const { version, before, after, prompts, steps, whole } = fieldsOf(value);
  return version === 1 && [before, after, prompts, steps].every(isFields) && Array.isArray(whole);
}
