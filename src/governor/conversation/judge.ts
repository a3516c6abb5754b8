import type { Event } from '../../stream/events.ts';
import { draftOf } from '../draft.ts';
import { TOOL_CALL_LIMIT } from '../gauge/character-estimate.ts';
import { crossedText, isCharactersOnly, predicted } from '../gauge/gauge.ts';
import { isRelieving } from '../phases.ts';
import { toPrompt } from '../prompts/prompt.ts';
import { closedLogTurn, openLogTurn } from '../prompts/turns.ts';
import { announceExpiry } from '../relief/cache-expiry.ts';
import { forgetFailures, type NextPrompt } from '../relief/compaction.ts';
import { latchAt } from '../relief/ladder.ts';
import { adviseRelief, dueRelief } from '../relief/relief.ts';
import type { GovernorState } from '../state.ts';
import { chain, decided, keep, type Step } from '../steps.ts';
import { noteFirstPrompt } from './send-prompt.ts';

/** Latches what was crossed; says so once. */
export function judgeLevel(state: GovernorState): Step {
  const { gauge, run } = state;
  // After a break there is only an estimate from before it: it proves nothing.
  if (gauge.basis === 'estimated' && gauge.calls > 0) return keep(state);
  // The last attempt failed at this very reading: trying again or warning again would change nothing.
  if (state.compaction.phase === 'idle' && state.compaction.triedAt === gauge.calls) return keep(state);
  // While a compaction is under way the figure is the one it is to bring down.
  if (gauge.basis === 'none' || isRelieving(state) || state.input === 'interrupted') return keep(state);
  const tired = isCharactersOnly(gauge) && gauge.characters.toolCalls >= TOOL_CALL_LIMIT;
  const level = tired ? (gauge.window.tokens ?? 0) : predicted(gauge);
  const latch = latchAt(state.latch, level, gauge.window.tokens, run.policy);
  if (latch === state.latch) return keep(state);
  const next = draftOf(state);
  next.latch = latch;
  const latched = latch === 'none' ? forgetFailures(next) : next;
  if (state.latch !== 'none' || latch === 'none') return keep(latched);
  const reason = tired
    ? `${gauge.characters.toolCalls} tool calls without any usage figures`
    : crossedText(gauge, run.policy.thresholds.warn);
  return keep(latched, [{ kind: 'warn', ...decided(latched, reason) }]);
}

/** What came in since the last call is a prediction until that call; only where characters are all, they count. */
export function isReading(state: GovernorState, event: Event): boolean {
  return event.kind !== 'user' || isCharactersOnly(state.gauge);
}

/** A prompt that shows in a recording: what would have been due before it was sent? */
export function judgeArrival(state: GovernorState, event: Event): Step {
  if (state.run.mode !== 'replay') return keep(state);
  const isLogPrompt = event.kind === 'user' && event.role === 'prompt' && event.subagent === null;
  const isNextTurn = event.kind === 'init' && state.turn.phase === 'idle';
  if (!isLogPrompt && !isNextTurn) return keep(state);
  if (!isLogPrompt) return chain(advise(state, 'unseen'), (next) => announceExpiry(next, 'unseen'));
  const prompt = toPrompt(event, '');
  const before = draftOf(state);
  before.turn = closedLogTurn(state);
  return chain(
    advise(before, prompt),
    (next) => announceExpiry(next, prompt),
    (next) => {
      const begun = draftOf(noteFirstPrompt(next, prompt));
      begun.turn = openLogTurn(next, prompt);
      return keep(begun);
    },
  );
}

function advise(state: GovernorState, next: NextPrompt): Step {
  const due = dueRelief(state, next);
  return due === undefined ? keep(state) : adviseRelief(state, due);
}
