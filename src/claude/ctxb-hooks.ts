import { fieldsOf, listOf, textOf } from '../core/protocol/fields.ts';

/** Commands of Claude Code's settings that call ctxb: by its name, with a version, by its path, by Node. */
export const CALLS_CTXB = /(?:^|[\s/\\'"])ctxb(?:@[\w.^~-]+|\.c?js)?['"]? (?:statusline|hook)$/;

/** Whether hooks of settings hold one that is called before a compaction, besides ctxb's own. */
export function namesCompactionHook(hooks: unknown): boolean {
  return commandsOf(hooks, 'PreCompact').some((command) => !CALLS_CTXB.test(command));
}

/** Whether ctxb's own hooks are among them, as `ctxb init` sets them up: they keep the notes and hand them back. */
export function namesOwnHooks(hooks: unknown): boolean {
  return commandsOf(hooks, 'SessionStart').some((command) => CALLS_CTXB.test(command));
}

function commandsOf(hooks: unknown, name: 'PreCompact' | 'SessionStart'): string[] {
  const entries = listOf(fieldsOf(hooks)[name]).flatMap((entry) => listOf(fieldsOf(entry).hooks));
  return entries.map((hook) => textOf(fieldsOf(hook).command)?.trim() ?? '');
}
