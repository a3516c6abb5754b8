import { fieldsOf, listOf } from '../core/protocol/fields.ts';

/** Whether the hooks in settings include a PreCompact hook. */
export function namesCompactionHook(hooks: unknown): boolean {
  return listOf(fieldsOf(hooks).PreCompact).some((entry) => listOf(fieldsOf(entry).hooks).length > 0);
}
