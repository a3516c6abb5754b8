import type { CompactionKind, Decision } from '../core/governor/decisions.ts';
import { isSaid } from '../core/governor/facts.ts';
import { callOutput } from '../core/governor/gauge/gauge.ts';
import type { Input } from '../core/governor/input.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { contextOf } from '../core/protocol/usage.ts';
import type { Judged } from '../host/governor-host.ts';
import type { Attributes, Measure } from './signal.ts';

/** The calls of the main thread: what they used and how long they took. */
export function createCalls(measure: Measure) {
  let call: { messageId: string; startedAt: number; lastLineAt: number; common: Attributes } | undefined;
  /** When the model was last given something: about then the call was made that answers it. */
  let askedAt: number | undefined;

  /** No more comes of the call under way. */
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
    see({ input, before, after }: Judged): void {
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
      // The result of a turn, which tells how much was written, is judged already.
      if (event.kind === 'result' || event.kind === 'exit' || asksModel(input)) settle(after);
      if (asksModel(input) || beginsTurn(before, after)) askedAt = t;
    },
  };
}

/** A prompt may have waited for the end of another turn. */
function beginsTurn({ turn: before }: GovernorState, { turn: after }: GovernorState): boolean {
  return after.phase !== 'idle' && (before.phase === 'idle' || after.ended > before.ended);
}

/** Something that claude has for the model to answer. */
function asksModel({ from, event }: Input): boolean {
  return from === 'claude' && isSaid(event);
}

function commonOf({ session, gauge }: GovernorState): Attributes {
  const model = session.model ?? gauge.call?.model;
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    ...(model !== undefined && { 'gen_ai.request.model': model }),
  };
}

/** Who started a compaction. */
type By = 'ctxb' | 'claude' | 'caller';

/** Compactions and handoffs by how they ended, and every decision. */
export function createInterventions(measure: Measure) {
  let compacting: By | undefined;
  let isHandingOver = false;

  function compacted(verdict: string, by = compacting, how: CompactionKind = 'summary'): void {
    if (by === undefined) return;
    compacting = undefined;
    const outcome = { 'ctxb.compaction.by': by, 'ctxb.compaction.how': how, 'ctxb.compaction.verdict': verdict };
    measure('ctxb.compactions', 1, outcome);
  }

  function handedOver(outcome: Attributes): void {
    if (isHandingOver) measure('ctxb.handoffs', 1, outcome);
    isHandingOver = false;
  }

  return {
    /** What claude does by itself, or for the caller. */
    see({ input: { event }, before }: Judged): void {
      if (before.operation.phase === 'compacting') return;
      if (event.kind === 'compact-status' && event.phase === 'compacting') compacting ??= 'claude';
      if (event.kind === 'compact-status' && event.phase === 'failed') compacted('failed');
      if (event.kind !== 'boundary') return;
      // Older versions say nothing before it, and none says before it who wanted it.
      compacted('success', event.trigger === 'manual' ? 'caller' : 'claude', isExact(before) ? 'exact' : 'summary');
    },
    decided(decision: Decision): void {
      const { kind } = decision;
      if (kind === 'compact') compacting ??= 'ctxb';
      if (kind === 'compacted' && compacting !== undefined) compacted(decision.verdict, 'ctxb', decision.how);
      if (kind === 'handoff') isHandingOver = true;
      if (kind === 'handed-over') {
        handedOver({ 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
      }
      if (kind === 'unrelieved') handedOver({ 'error.type': kind });
      measure('ctxb.decisions', 1, { 'ctxb.decision': kind });
      if (kind === 'cache-broken') {
        measure('ctxb.cache.rewritten', decision.tokens, { 'ctxb.cache.cause': decision.cause });
      }
    },
    /** The run is over. */
    close(): void {
      compacted('unfinished');
      handedOver({ 'error.type': 'unfinished' });
    },
  };
}
