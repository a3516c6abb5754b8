import { readFileSync } from 'node:fs';
import { fieldsOf } from '../../src/core/protocol/fields.ts';
import { findIn } from '../../src/replay/read/line-feed.ts';
import type { RecordedCall } from '../../src/replay/recorded-items.ts';
import { createSessionReplay } from '../../src/replay/session-replay.ts';
import { runWith } from '../support/governor.ts';
import { unmasked } from '../support/unmasked.ts';

/**
 * The calls of a session log as they are foreseen from what a run sees of them: claude's stream has a placeholder for
 * the output of a call until its turn ends, and no attachment but what was said while a turn ran.
 */
export function callsAsStream(file: string): readonly RecordedCall[] {
  const replay = createSessionReplay({
    run: runWith({ mode: 'replay' }),
    series: true,
    mask: unmasked,
  });
  for (const text of readFileSync(file, 'utf8').split('\n')) {
    const found = findIn(text);
    if (found.kind === 'value' && isOnlyInLog(found.value)) continue;
    if (found.kind === 'value' && found.value.type === 'assistant') hideOutput(found.value.message);
    replay.line(found);
  }
  return replay.summary(file).series ?? [];
}

function isOnlyInLog({ type, attachment }: Readonly<Record<string, unknown>>): boolean {
  return type === 'attachment' && fieldsOf(attachment).type !== 'queued_command';
}

function hideOutput(message: unknown): void {
  const { usage } = fieldsOf(message);
  if (typeof usage === 'object')
    Object.assign(message as object, { stop_reason: null, usage: { ...usage, output_tokens: 1 } });
}
