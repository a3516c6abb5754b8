import { fieldsOf, listOf } from '../core/protocol/fields.ts';

/** Whether hooks of settings include one before a compaction. */
export function namesCompactionHook(hooks: unknown): boolean {
  return listOf(fieldsOf(hooks).PreCompact).some((entry) => listOf(fieldsOf(entry).hooks).length > 0);
}
