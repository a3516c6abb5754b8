import { isMessage } from '../../core/governor/facts.ts';
import { estimateTokens, NO_CONTENT } from '../../core/governor/gauge/estimator.ts';
import type { Block, ToolUse } from '../../core/protocol/block.ts';
import type { UserRole } from '../../core/protocol/events.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { type Cutter, LINE_LENGTH } from '../../core/text/words.ts';
import type { Growth, RecordedResult } from '../recorded-items.ts';
import { createToolUses, type ObservedLine } from './observer.ts';

/** Length kept of a target in UTF-16 code units, so that a secret in its shown part is recognized. */
const TARGET_LENGTH = 2_000;

/** Measures what is added to the main thread's context, by source. @param onAdded called for each addition */
export function createGrowth(cut: Cutter, withResults: boolean, onAdded?: (source: string, tokens: number) => void) {
  const growth = new Map<string, number>();
  const results: TrackedResult[] = [];
  const uses = createToolUses((use) => ({ name: use.name, target: targetOf(use).slice(0, TARGET_LENGTH) }));
  let calls = 0;

  function add(block: Block, index: number, role: UserRole | 'answer', { line, after }: ObservedLine): void {
    const tokens = estimateTokens(after.facts.measured[index] ?? NO_CONTENT, after.gauge.calibration);
    if (tokens === 0) return;
    const use = role === 'answer' ? undefined : uses.of(block);
    const source = sourceOf(block, role, use?.name);
    growth.set(source, (growth.get(source) ?? 0) + tokens);
    onAdded?.(source, tokens);
    if (block.type !== 'tool_result' || !withResults) return;
    const call = after.gauge.calls + 1;
    results.push({ tool: source, target: use?.target ?? '', tokens, line, call, gone: undefined });
  }

  function addLine(seen: ObservedLine): void {
    const { event, from } = seen.input;
    if (from !== 'claude' || !isMessage(event)) return;
    // Record tool names before the check: results need them even if a back-end did not count the call.
    event.blocks.forEach(uses.see);
    // Claude Code wrote this text instead of the model, so it enters no context.
    if (event.kind === 'assistant' ? event.messageId !== seen.after.gauge.call?.messageId : event.isReplay) return;
    const role = event.kind === 'user' ? event.role : 'answer';
    for (const [index, block] of event.blocks.entries()) add(block, index, role, seen);
  }

  /** A result for the report. Masks only the reported results, because masking takes longer than everything else. */
  function shown({ gone, target, ...result }: TrackedResult): RecordedResult {
    const stayed = Math.max(0, (gone ?? calls) - result.call + 1);
    return { ...result, target: cut(target, LINE_LENGTH), stayed };
  }

  return {
    see(seen: ObservedLine): void {
      calls = seen.after.gauge.calls;
      if (seen.after.facts.replaced) for (const result of results) result.gone ??= calls;
      addLine(seen);
    },
    found: () => ({
      growth: Object.fromEntries(growth) as Growth,
      results: results.map(shown),
    }),
  };
}

/** A result, with the number of calls at which it left the context. */
interface TrackedResult extends Omit<RecordedResult, 'stayed'> {
  gone: number | undefined;
}

function sourceOf({ type }: Block, role: UserRole | 'answer', tool: string | undefined): string {
  if (type === 'tool_result' && role !== 'answer') return tool ?? 'other tools';
  return role === 'tool-result' ? 'notice' : role;
}

/** Tool parameters that name the target, in order of preference. */
const TARGETS = ['file_path', 'notebook_path', 'path', 'command', 'pattern', 'url', 'query', 'description', 'prompt'];

function targetOf({ input }: ToolUse): string {
  const fields = fieldsOf(input);
  return TARGETS.map((name) => textOf(fields[name])).find((text) => text !== undefined) ?? '';
}
