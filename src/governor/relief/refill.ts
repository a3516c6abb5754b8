import type { Event } from '../../stream/events.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';
import { remember } from '../remember.ts';

/** What has come into the context since it was last relieved, by tool and file, in characters. */
export interface Refill {
  /** Tool calls under way: what they are counted under, and what each does. */
  readonly open: Readonly<Record<string, { readonly label: string; readonly title: string }>>;
  readonly chars: Readonly<Record<string, number>>;
}

export const NO_REFILL: Refill = { open: {}, chars: {} };

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

/** UTF-16 units. */
const TITLE_LENGTH = 300;

export function refillAfter(refill: Refill, event: Event): Refill {
  if (event.kind === 'result') return { ...refill, open: {} };
  if (event.kind === 'boundary' || event.kind === 'reset') return NO_REFILL;
  if (event.kind === 'assistant' && event.subagent === null) {
    return event.blocks.reduce((so, block) => (block.type === 'tool_use' ? begun(so, block) : so), refill);
  }
  if (event.kind !== 'user' || event.role !== 'tool-result' || event.subagent !== null) return refill;
  return event.blocks.reduce((so, block) => (block.type === 'tool_result' ? ended(so, block) : so), refill);
}

function begun(refill: Refill, { id, name, input }: { id: string; name: string; input: unknown }): Refill {
  const fields = fieldsOf(input);
  const file = textOf(fields.file_path) ?? textOf(fields.path) ?? textOf(fields.notebook_path);
  const label = file === undefined ? name : `${name} ${file}`;
  const title = `${label} ${textOf(fields.command) ?? ''}`.trim().slice(0, TITLE_LENGTH);
  return { ...refill, open: remember(refill.open, id, { label, title }, LIMIT) };
}

function ended(refill: Refill, { toolUseId, text }: { toolUseId: string; text: string }): Refill {
  const call = Object.hasOwn(refill.open, toolUseId) ? refill.open[toolUseId] : undefined;
  if (call === undefined) return refill;
  const { label } = call;
  const { [toolUseId]: _, ...open } = refill.open;
  return { open, chars: remember(refill.chars, label, (refill.chars[label] ?? 0) + text.length, LIMIT) };
}

/** What is under way, in a few words; empty: nothing. */
export function openTools({ open }: Refill): string {
  return Object.values(open)
    .map(({ title }) => title)
    .join('; ');
}

/** The three largest, with their sizes. */
export function refillText({ chars }: Refill): string {
  const largest = Object.entries(chars)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3);
  return largest.map(([label, count]) => `${label} (${count} characters)`).join(', ');
}
