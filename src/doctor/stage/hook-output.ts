import type { HookName } from '../../governor/actions.ts';
import type { Fields } from '../../stream/fields.ts';

/** The output of a hook that gives claude something, in the shape that claude takes it. */
export function hookOutput(hook: HookName, fields: Fields): Fields {
  return { hookSpecificOutput: { hookEventName: hook, ...fields } };
}
