import type { Block } from '../../stream/events.ts';

/** A context size that was reported in text. */
export interface TextReport {
  readonly used: number;
  readonly window: number;
}

const REMINDER = /<system-reminder>([\s\S]*?)<\/system-reminder>/g;
const USAGE_LINE = /Token usage: (\d+)\/(\d+); \d+ remaining/;
const CONTEXT_LINE = /Context: \d+(?:\.\d+)?% \((\d+)\/(\d+) tokens\)/;

/**
 * The last report in the system reminders of a message. Only text blocks are read and only reminders in them: what a
 * tool printed can imitate a reminder, so tool results are not looked at.
 */
export function readTextReport(blocks: readonly Block[]): TextReport | undefined {
  return blocks
    .flatMap((block) => (block.type === 'text' ? [...block.text.matchAll(REMINDER)] : []))
    .map((reminder) => readReport(reminder[1] ?? ''))
    .findLast((report) => report !== undefined);
}

function readReport(text: string): TextReport | undefined {
  const found = USAGE_LINE.exec(text) ?? CONTEXT_LINE.exec(text);
  if (!found) return undefined;
  const [used, window] = [Number(found[1]), Number(found[2])];
  return window > 0 ? { used, window } : undefined;
}
