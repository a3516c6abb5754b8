import { costUsd, isComputed } from '../core/governor/cost/cost.ts';
import { largestShare, peakShare } from '../core/governor/gauge/model-windows.ts';
import { savedUsd } from '../core/governor/relief/accounts.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { AssistantEvent } from '../core/protocol/events.ts';
import { hasNoInput, NO_USAGE } from '../core/protocol/usage.ts';
import type { Cutter } from '../core/text/words.ts';
import { createInputReader, type RecordingLine } from './input-reader.ts';
import { createCompactions } from './observers/compactions.ts';
import { type Answer, createLedger } from './observers/ledger.ts';
import type { ObservedLine } from './observers/observer.ts';
import { createPrompts } from './observers/prompts.ts';
import { createUnlogged } from './observers/unlogged-agents.ts';
import type { ReadLine } from './read/line-feed.ts';
import type { UnloggedAgent } from './recorded-items.ts';
import type { SessionFigures } from './summary.ts';

/** An answer whose figures are known. */
export interface CountedAnswer {
  readonly answer: Answer;
  readonly t: number;
  readonly number: number;
  readonly microUsd: number;
}

/**
 * Collects the figures of a recording, equal in light and full replays. Mutable, because a recording can have millions
 * of lines.
 */
export function createFigures(cut: Cutter, keeps: { readonly prompts: boolean; readonly usage: boolean }) {
  const lines = { total: 0, unknown: 0, malformed: 0 };
  let lost = 0;
  /** Ids of calls without usage on any line so far. */
  const unsized = new Set<string>();
  /** Ids of rows that a compaction kept. A fork has them without their usage, which counts in the original. */
  const kept = new Set<string>();
  const time: { first: number | null; last: number | null } = { first: null, last: null };
  const reader = createInputReader();
  const compactions = createCompactions();
  const ledger = createLedger(keeps.usage);
  const prompts = createPrompts(cut, keeps.prompts);
  const unlogged = createUnlogged();
  let at = 0;
  let project: string | null = null;
  let peakCall = 0;

  function count(line: RecordingLine): void {
    if (line.kind === 'malformed') {
      lines.malformed++;
      if (line.lost) lost++;
    }
    if (line.kind !== 'input') return;
    const { event } = line.input;
    if (event.kind === 'malformed' && !event.isBlank) lines.malformed++;
    if (event.kind === 'unknown') lines.unknown++;
  }

  function noteSize({ isSynthetic, messageId, usage = NO_USAGE, blocks, uuid = '' }: AssistantEvent): void {
    if (!hasNoInput(usage)) unsized.delete(messageId);
    // Skip empty rows, which claude leaves of an answer that another model has taken over.
    else if (!isSynthetic && blocks.length > 0 && !kept.has(uuid)) unsized.add(messageId);
  }

  function note({ input, before, after }: ObservedLine): void {
    const { t, event } = input;
    if (after.gauge.peak > before.gauge.peak) peakCall = after.gauge.calls;
    if (event.kind === 'assistant') noteSize(event);
    if (event.kind === 'boundary') for (const id of event.kept ?? []) kept.add(id);
    if ('cwd' in event && event.cwd !== undefined) project ??= event.cwd;
    pass(t);
  }

  function pass(t: number): void {
    if (t === 0) return;
    // Not in order: a log that Claude Code rewrites begins with its newest lines.
    time.first = Math.min(time.first ?? t, t);
    time.last = Math.max(time.last ?? 0, t);
  }

  return {
    get at() {
      return at;
    },
    read(read: ReadLine): RecordingLine {
      if (!read.followsText) at++;
      const line = reader.read(read);
      if (line.kind !== 'blank' && !read.followsText) lines.total++;
      count(line);
      return line;
    },
    /** @returns false for a repeated line */
    see(seen: ObservedLine): boolean {
      compactions.see(seen);
      // claude repeats rows after a compaction.
      if (seen.after.facts.isRepeat) return false;
      ledger.see(seen);
      prompts.see(seen);
      unlogged.see(seen);
      note(seen);
      return true;
    },
    /** Accounts for a line of which only the time matters. @param t milliseconds since the epoch; 0 if unknown */
    pass,
    /** The time of an answer, without reading the rest of its row; undefined for a repeated answer. */
    timeOf(...row: Parameters<typeof reader.timeOf>): number | undefined {
      at++;
      lines.total++;
      return reader.timeOf(...row);
    },
    /** Accounts for a call of the main thread whose figures are known. */
    count({ answer, t, number, microUsd }: CountedAnswer, isPeak: boolean): void {
      unsized.delete(answer.messageId);
      ledger.add(answer, t === 0 ? null : t, number, microUsd);
      if (isPeak) peakCall = number;
    },
    get dialect() {
      return reader.dialect;
    },
    prompt: prompts.first,
    prompts: prompts.all,
    compactions: compactions.found,
    /** The figures except those that light and full replays compute differently. */
    found: (file: string, state: GovernorState) => {
      const { session, gauge } = state;
      const [peakFraction, largest] = [peakShare(gauge), largestShare(gauge)];
      return {
        file,
        sessionId: session.id ?? null,
        dialect: reader.dialect ?? 'stream',
        claudeCodeVersion: session.version ?? null,
        model: session.model ?? null,
        project,
        prompt: prompts.first(),
        ...ledger.found(),
        time,
        window: { tokens: gauge.window.tokens ?? null, source: gauge.window.source },
        calls: gauge.calls,
        context: {
          peak: gauge.peak,
          peakFraction,
          ...(largest !== peakFraction && { largestFraction: largest }),
          peakCall,
        },
        // In a stream, claude's own cost includes subagents.
        cost: costOf(state, reader.dialect === 'session' ? unlogged.found() : []),
        lines: { ...lines, ...(lost > 0 && { lost }), ...(unsized.size > 0 && { unsized: unsized.size }) },
      } satisfies Omit<SessionFigures, 'compactions'>;
    },
  };
}

function costOf(state: GovernorState, unlogged: readonly UnloggedAgent[]) {
  const { known, unpriced } = state.limits.cost;
  const computed = isComputed(state.limits.cost);
  const saved = savedUsd(state);
  return {
    usd: known ? costUsd(state) : null,
    computed,
    ...(unpriced !== undefined && computed && { unpriced }),
    ...(unlogged.length > 0 && { unlogged }),
    ...(saved !== 0 && { saved }),
  };
}
