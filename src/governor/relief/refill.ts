import type { Event } from '../../stream/events.ts';
import { fieldsOf, textOf } from '../../stream/fields.ts';

/** What has come into the context since it was last relieved, by tool and file, in characters. */
export interface Refill {
  /** Tool calls under way: what they are counted under, and what each does. */
  readonly open: readonly { readonly id: string; readonly label: string; readonly title: string }[];
  /** The results, each by itself until there are many. */
  readonly results: readonly Share[];
}

interface Share {
  readonly label: string;
  /** UTF-16 units. */
  readonly chars: number;
}

export const NO_REFILL: Refill = { open: [], results: [] };

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

/** UTF-16 units. */
const TITLE_LENGTH = 300;

export function refillAfter(refill: Refill, event: Event): Refill {
  if (event.kind === 'result') return { ...refill, open: [] };
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
  const open = [...refill.open.filter((call) => call.id !== id), { id, label, title }];
  return { open: open.slice(-LIMIT), results: refill.results };
}

function ended(refill: Refill, { toolUseId, text }: { toolUseId: string; text: string }): Refill {
  const call = refill.open.find(({ id }) => id === toolUseId);
  if (call === undefined) return refill;
  const results = [...refill.results, { label: call.label, chars: text.length }];
  return {
    open: refill.open.filter((other) => other !== call),
    results: results.length < 2 * LIMIT ? results : summed(results).slice(-LIMIT),
  };
}

/** One share for each label, in the order they were last seen in. */
function summed(results: readonly Share[]): Share[] {
  const sums = new Map<string, number>();
  for (const { label, chars } of results) {
    const sum = (sums.get(label) ?? 0) + chars;
    sums.delete(label);
    sums.set(label, sum);
  }
  return [...sums].map(([label, chars]) => ({ label, chars }));
}

/** What is under way, in a few words; empty: nothing. */
export function openTools({ open }: Refill): string {
  return open.map(({ title }) => title).join('; ');
}

/** The three largest, with their sizes. */
export function refillText({ results }: Refill): string {
  const largest = summed(results)
    .sort((a, b) => b.chars - a.chars)
    .slice(0, 3);
  return largest.map(({ label, chars }) => `${label} (${chars} characters)`).join(', ');
}
