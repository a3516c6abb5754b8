import { type Fields, jsonText } from './fields.ts';

/** Fields of an attachment that hold what the model is given, in the versions that write it. */
const GIVEN = ['snippet', 'content', 'files', 'addedLines', 'addedBlocks', 'prompt'];

/** Attachments that only the person sees, or that say what ran and not what came of it. */
const UNSEEN = new Set(['hook_system_message', 'hook_cancelled', 'hook_non_blocking_error', 'command_permissions']);

/** What an attachment of a session log puts into the context: changed files, reminders, lists of tools and skills. */
export function attachedText(attachment: Fields): string {
  if (typeof attachment.type !== 'string' || UNSEEN.has(attachment.type)) return '';
  return GIVEN.flatMap((name) => textsIn(attachment[name])).join('\n');
}

function textsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [jsonText(value)];
  return value.map((item) => (typeof item === 'string' ? item : jsonText(item)));
}
