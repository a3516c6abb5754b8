import type { HookAnswer } from '../../governor/effects.ts';

/** The answer in the shape claude takes it. */
export function hookOutput({ hook, output, specific = {} }: HookAnswer, context: string | undefined): object {
  const told = context === undefined || context === '' ? {} : { additionalContext: defused(context) };
  const own = { ...specific, ...told };
  return Object.keys(own).length === 0 ? output : { ...output, hookSpecificOutput: { hookEventName: hook, ...own } };
}

/** claude puts the context between tags, which a text from a tool must not close. */
function defused(text: string): string {
  return text.replace(/<(?=\s*\/?\s*system-reminder)/gi, '‹');
}
