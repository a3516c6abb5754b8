import { type Answer, exactAnswer, refusal } from '../../core/exact/exact-answer.ts';
import type { Message } from '../../core/exact/message.ts';
import { predicted } from '../../core/governor/gauge/gauge.ts';
import { initialState } from '../../core/governor/initial-state.ts';
import { inTokens, type Policy } from '../../core/governor/policy.ts';
import { budgetOf, withExact } from '../../core/governor/relief/exact.ts';
import { latchAt } from '../../core/governor/relief/ladder.ts';
import { reliefNow } from '../../core/governor/relief/relief.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { createMemory } from '../../core/memory/memory.ts';
import { decodeLine } from '../../core/protocol/decode.ts';
import type { Event } from '../../core/protocol/events.ts';
import { fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { createHost } from '../../host/governor-host.ts';
import { replayRun } from '../../replay/replay-run.ts';
import { type Known, withCallAhead, withKnown } from '../../statusline/judge-status.ts';

/** A session at the terminal: the governor's judgement of claude's log of it, and the notes of what was done. */
export interface TerminalSession {
  /** As far as the log was read. */
  readonly state: GovernorState;
  /** The next lines of the log, whole. */
  read(lines: readonly string[]): void;
  /** The same with what claude says of its last call, which its log may not have yet. */
  judged(known: Known, now: number): GovernorState;
  /** Whether the context is to be compacted now that the turn is over. */
  isDue(known: Known, now: number): boolean;
  /** The context has reached the level of compacting. */
  isFull(known: Known): boolean;
  /** What stays of a conversation. @param heard what was said in mid-turn since the last compaction */
  compact(messages: readonly Message[], known: Known, heard: readonly string[]): Answer;
  /** For a context that begins with nothing of what was done. */
  handBack(): string | undefined;
  /** A document for who is to continue the work. @param t milliseconds since the epoch */
  handoff(t: number): string;
}

export interface TerminalOptions {
  readonly policy: Policy;
  /** How the agent looks for what is not in its context any more; undefined: it can't. */
  readonly recall: string | undefined;
}

/** Nothing leaves claude: the model is told again what it was told before. */
const unmasked = (text: string | readonly string[]) => (typeof text === 'string' ? text : text.join(''));

export function createTerminalSession({ policy, recall }: TerminalOptions): TerminalSession {
  const run = { ...replayRun(policy), ...(recall !== undefined && { recall }) };
  const host = createHost(withExact(initialState(run), { phase: 'ready' }));
  const memory = createMemory({ run, mask: unmasked });
  let triedAt: number | undefined;
  memory.add({ t: 0, from: 'ctxb', event: { kind: 'notes', path: '' } }, host.state);

  function judged(known: Known, at: number): GovernorState {
    const state = withCallAhead(withKnown(host.state, known), known, at);
    const { latch, gauge } = state;
    // The log does not say how large the window is.
    return { ...state, latch: latchAt(latch, predicted(gauge), gauge.window.tokens, policy) };
  }

  return {
    get state() {
      return host.state;
    },
    read(lines) {
      for (const line of lines) {
        const event = decodeLine(line);
        const input = { t: timeOf(event) ?? host.state.now, from: 'claude', event } as const;
        host.feed(input);
        memory.add(input, host.state);
      }
    },
    judged,
    isDue(known, at) {
      const state = withTry(judged(known, at), triedAt);
      const isDue = reliefNow(state)?.way === 'compact';
      if (isDue) triedAt = state.gauge.calls;
      return isDue;
    },
    isFull(known) {
      const { gauge } = judged(known, host.state.now);
      return predicted(gauge) >= inTokens(policy.thresholds.compact, gauge.window.tokens);
    },
    compact(messages, known, heard) {
      const state = withKnown(host.state, known);
      const midTurn = heard.map((text) => ({ text, after: '' }));
      try {
        return exactAnswer(messages, {
          version: 1,
          note: memory.exactNote(state),
          budget: budgetOf(state),
          midTurn,
        });
      } catch (error) {
        return refusal(messages, error instanceof Error ? error.message : String(error));
      }
    },
    handBack() {
      const hook = { kind: 'answer-hook', requestId: '', hook: 'SessionStart', output: {}, recall: 'lost' } as const;
      const { output } = memory.answer(hook, host.state);
      return textOf(fieldsOf(fieldsOf(output).hookSpecificOutput).additionalContext);
    },
    handoff: (t) => memory.handoff(host.state, t),
  };
}

function timeOf(event: Event): number | undefined {
  return 'timestamp' in event ? event.timestamp : undefined;
}

/** One that was tried in vain is not tried again at once. */
function withTry(state: GovernorState, triedAt: number | undefined): GovernorState {
  const { compaction } = state;
  return triedAt === undefined || compaction.phase !== 'idle'
    ? state
    : { ...state, compaction: { ...compaction, triedAt } };
}
