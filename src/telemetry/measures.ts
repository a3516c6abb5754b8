import { type CompactionKind, type Decision, nameOf } from '../core/governor/decisions.ts';
import { isMainMessage } from '../core/governor/facts.ts';
import { callOutput } from '../core/governor/gauge/gauge.ts';
import type { Input } from '../core/governor/input.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { contextOf } from '../core/protocol/usage.ts';
import type { Transition } from '../host/governor-host.ts';
import type { Attributes, Measure } from './signal.ts';

/** Measures tokens and duration of the main thread's calls. */
export function createCalls(measure: Measure) {
  let call: { messageId: string; startedAt: number; lastLineAt: number; common: Attributes } | undefined;
  /** When the model last received input, which is about when the call that answers it started. */
  let askedAt: number | undefined;

  /** Ends the current call: no further lines of it follow. */
  function settle({ gauge }: GovernorState): void {
    if (call === undefined) return;
    const { startedAt, lastLineAt, common, messageId } = call;
    const output = gauge.call?.messageId === messageId ? Math.round(callOutput(gauge)) : 0;
    call = undefined;
    askedAt = undefined;
    measure('gen_ai.client.token.usage', output, { ...common, 'gen_ai.token.type': 'output' });
    measure('gen_ai.client.operation.duration', Math.max(0, lastLineAt - startedAt) / 1000, common);
  }

  return {
    settle,
    see({ input, before, after }: Transition): void {
      const { event, t } = input;
      const measured = after.facts.call;
      if (measured?.kind === 'assistant') {
        settle(before);
        const common = commonOf(after);
        const messageId = after.gauge.call?.messageId ?? '';
        call = { messageId, startedAt: Math.min(askedAt ?? t, t), lastLineAt: t, common };
        measure('ctxb.calls', 1, common);
        measure('gen_ai.client.token.usage', contextOf(measured.usage), { ...common, 'gen_ai.token.type': 'input' });
        return;
      }
      if (event.kind === 'assistant' && event.subagent === null && call?.messageId === event.messageId) {
        call.lastLineAt = t;
      }
      // The governor has already processed the result of the turn, which contains the final output tokens.
      if (event.kind === 'result' || event.kind === 'exit' || asksModel(input)) settle(after);
      if (asksModel(input) || beginsTurn(before, after)) askedAt = t;
    },
  };
}

/** A prompt may have waited for the end of another turn. */
function beginsTurn({ turn: before }: GovernorState, { turn: after }: GovernorState): boolean {
  return after.phase !== 'idle' && (before.phase === 'idle' || after.ended > before.ended);
}

/** Whether claude sends the model something to answer. */
function asksModel({ from, event }: Input): boolean {
  return from === 'claude' && isMainMessage(event);
}

function commonOf({ session, gauge }: GovernorState): Attributes {
  const model = session.model ?? gauge.call?.model;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    ...(model !== undefined && { 'gen_ai.request.model': model }),
  };
}

/** The initiator of a compaction. */
type By = 'ctxb' | 'claude' | 'caller';

/** Counts compactions and handoffs by outcome, and all decisions by kind. */
export function createInterventions(measure: Measure) {
  let compacting: By | undefined;
  let isHandingOver = false;

  function measureCompaction(verdict: string, by = compacting, how: CompactionKind = 'summary'): void {
    if (by === undefined) return;
    compacting = undefined;
    const outcome = { 'ctxb.compaction.by': by, 'ctxb.compaction.how': how, 'ctxb.compaction.verdict': verdict };
    measure('ctxb.compactions', 1, outcome);
  }

  function measureHandoff(outcome: Attributes): void {
    if (isHandingOver) measure('ctxb.handoffs', 1, outcome);
    isHandingOver = false;
  }

  return {
    /** Compactions that claude starts itself or for the caller. */
    see({ input: { event }, before }: Transition): void {
      if (before.operation.phase === 'compacting') return;
      if (event.kind === 'compact-status' && event.phase === 'compacting') compacting ??= 'claude';
      if (event.kind === 'compact-status' && event.phase === 'failed') measureCompaction('failed');
      if (event.kind !== 'boundary') return;
      // Older versions do not announce a compaction, and no announcement names its initiator.
      measureCompaction(
        'success',
        event.trigger === 'manual' ? 'caller' : 'claude',
        isExact(before) ? 'exact' : 'summary',
      );
    },
    decided(decision: Decision): void {
      const { kind } = decision;
      if (kind === 'compact') compacting ??= 'ctxb';
      if (kind === 'compacted' && compacting !== undefined) measureCompaction(decision.verdict, 'ctxb', decision.how);
      if (kind === 'handoff') isHandingOver = true;
      if (kind === 'handed-over') {
        measureHandoff({ 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
      }
      if (kind === 'give-up' && decision.of === 'run') measureHandoff({ 'error.type': 'unrelieved' });
      measure('ctxb.decisions', 1, { 'ctxb.decision': nameOf(decision) });
      if (kind === 'cache-lost' && decision.of === 'rewritten') {
        measure('ctxb.cache.rewritten', decision.tokens, { 'ctxb.cache.cause': decision.cause });
      }
    },
    /** Counts what the end of the run has interrupted. */
    close(): void {
      measureCompaction('unfinished');
      measureHandoff({ 'error.type': 'unfinished' });
    },
  };
}
