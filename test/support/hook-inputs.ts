import { readFileSync } from 'node:fs';
import type { HookEvent } from '../../src/hook/hook-events.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Inputs of the newest Claude Code at a terminal; test/e2e/terminal-inputs.test.ts makes and holds them. */
export const INPUTS_FILE = new URL('../../fixtures/terminal/inputs.json', import.meta.url);

/** What kind of input it is: the hook with its source, reason or trigger. */
export function kindOfInput({ hook_event_name: hook, source, reason, trigger }: Fields): string {
  return [hook, source ?? reason ?? trigger].filter(Boolean).join(' ');
}

export function recordedInputs(): Readonly<Record<string, Fields>> {
  return JSON.parse(readFileSync(INPUTS_FILE, 'utf8')) as Record<string, Fields>;
}

/**
 * The input of a hook in the shape that claude gives it, with `fields` in the place of the recorded ones.
 *
 * @param promptId of the prompt under way, where claude names one
 */
export function hookInput(hook: HookEvent, fields: Fields, promptId: string): Fields {
  const kind = kindOfInput({ ...fields, hook_event_name: hook });
  const recorded = recordedInputs()[kind] ?? recordedInputs()[hook];
  if (recorded === undefined) throw new Error(`no input of a hook was recorded for ${kind}`);
  return { ...recorded, ...('prompt_id' in recorded ? { prompt_id: promptId } : {}), ...fields };
}
