import type { CompactionKind, Decision } from '../core/governor/decisions.ts';
import { isSaid } from '../core/governor/facts.ts';
import { callOutput } from '../core/governor/gauge/gauge.ts';
import type { Input } from '../core/governor/input.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { isCompacting } from '../core/governor/steps.ts';
import { contextOf, type Usage } from '../core/protocol/usage.ts';
import type { Judged } from '../host/governor-host.ts';
import type { Attributes, OpenSpan, Sink } from './signal.ts';

/** The calls of the main thread as spans, with what they used and how long they took. */
export function createCalls({ start, measure }: Sink) {
  let span: OpenSpan | undefined;
  let call = { messageId: '', startedAt: 0, lastLineAt: 0, common: {} as Attributes };
  /** When the model was last given something: about then the call was made that answers it. */
  let askedAt: number | undefined;

  function begin({ input, after }: Judged, usage: Usage, parent: OpenSpan): void {
    const { gauge } = after;
    const common = commonOf(after);
    const startedAt = Math.min(askedAt ?? input.t, input.t);
    call = { messageId: gauge.call?.messageId ?? '', startedAt, lastLineAt: input.t, common };
    const model = common['gen_ai.request.model'];
    const attributes = { ...common, ...identityOf(after), ...usageOf(usage), 'ctxb.call': gauge.calls };
    span = start(model === undefined ? 'chat' : `chat ${model}`, startedAt, attributes, parent, 'client');
    measure('ctxb.calls', 1, common);
    measure('gen_ai.client.token.usage', contextOf(usage), { ...common, 'gen_ai.token.type': 'input' });
  }

  /** No more comes of the call under way. */
  function settle({ gauge }: GovernorState): void {
    if (span === undefined) return;
    const { startedAt, lastLineAt, common, messageId } = call;
    const output = gauge.call?.messageId === messageId ? Math.round(callOutput(gauge)) : 0;
    const isEstimated = gauge.call?.outputKnown !== true;
    span.end(lastLineAt, { 'gen_ai.usage.output_tokens': output, 'ctxb.output.estimated': isEstimated }, undefined);
    span = undefined;
    askedAt = undefined;
    measure('gen_ai.client.token.usage', output, { ...common, 'gen_ai.token.type': 'output' });
    measure('gen_ai.client.operation.duration', Math.max(0, lastLineAt - startedAt) / 1000, common);
  }

  return {
    settle,
    see(judged: Judged, parent: OpenSpan): void {
      const { input, before, after } = judged;
      const { event } = input;
      const measured = after.facts.call;
      if (measured?.kind === 'assistant') {
        settle(before);
        begin(judged, measured.usage, parent);
        return;
      }
      if (event.kind === 'assistant' && event.subagent === null && call.messageId === event.messageId) {
        call.lastLineAt = input.t;
      }
      // The result of a turn, which tells how much was written, is judged already.
      if (endsCall(input)) settle(after);
      if (asksModel(input) || beginsTurn(before, after)) askedAt = input.t;
    },
  };
}

function endsCall(input: Input): boolean {
  return input.event.kind === 'result' || input.event.kind === 'exit' || asksModel(input);
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

function identityOf({ session, gauge }: GovernorState): Attributes {
  const { model, messageId } = gauge.call ?? { model: undefined, messageId: '' };
  return {
    ...(model !== undefined && { 'gen_ai.response.model': model }),
    ...(messageId !== '' && { 'gen_ai.response.id': messageId }),
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
  };
}

/** The convention counts what came from the cache as input too. */
function usageOf(usage: Usage): Attributes {
  return {
    'gen_ai.usage.input_tokens': contextOf(usage),
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheCreation,
  };
}

/** Who started a compaction. */
type By = 'ctxb' | 'claude' | 'caller';

/** Compactions and handoffs as spans; every other decision as an event of the span under way. */
export function createInterventions({ start, measure }: Sink) {
  let compaction: OpenSpan | undefined;
  let handoff: OpenSpan | undefined;
  let startedBy: By = 'ctxb';

  function compact(by: By, t: number, parent: OpenSpan, attributes: Attributes = {}): void {
    if (compaction !== undefined) return;
    startedBy = by;
    compaction = start('ctxb.compaction', t, attributes, parent);
  }

  function compacted(t: number, verdict: string, by = startedBy, how: CompactionKind = 'summary', costs = {}): void {
    if (compaction === undefined) return;
    const outcome = { 'ctxb.compaction.by': by, 'ctxb.compaction.how': how, 'ctxb.compaction.verdict': verdict };
    compaction.end(t, { ...outcome, ...costs }, verdict === 'success' ? undefined : verdict);
    compaction = undefined;
    measure('ctxb.compactions', 1, outcome);
  }

  function handedOver(t: number, error: string | undefined, attributes: Attributes = {}): void {
    if (handoff === undefined) return;
    const outcome = error === undefined ? attributes : { 'error.type': error };
    handoff.end(t, outcome, error);
    handoff = undefined;
    measure('ctxb.handoffs', 1, outcome);
  }

  function show(decision: Decision, t: number, parent: OpenSpan): void {
    const { kind } = decision;
    if (kind === 'compact') compact('ctxb', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
    else if (kind === 'compacted') {
      compacted(t, decision.verdict, 'ctxb', decision.how, { 'ctxb.cost': decision.costUsd });
    } else if (kind === 'handoff') {
      handoff = start('ctxb.handoff', t, { 'ctxb.context.tokens': decision.gauge.predicted }, parent);
    } else if (kind === 'handed-over') {
      handedOver(t, undefined, { 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
    } else if (kind === 'unrelieved' && handoff !== undefined) handedOver(t, 'unrelieved');
    else parent.event(`ctxb.${kind}`, t, figuresOf(decision));
  }

  return {
    /** The handoff under way, whose turns are ctxb's own. */
    handoff: () => handoff,
    /** What claude does by itself, or for the caller. */
    see({ input: { event, t }, before }: Judged, parent: OpenSpan): void {
      if (isCompacting(before.compaction)) return;
      if (event.kind === 'compact-status' && event.phase === 'compacting') compact('claude', t, parent);
      if (event.kind === 'compact-status' && event.phase === 'failed') compacted(t, 'failed');
      if (event.kind !== 'boundary') return;
      // Older versions say nothing before it, and none says before it who wanted it.
      const by = event.trigger === 'manual' ? 'caller' : 'claude';
      compact(by, t, parent);
      compacted(t, 'success', by, isExact(before) ? 'exact' : 'summary');
    },
    decided(decision: Decision, t: number, parent: OpenSpan): void {
      show(decision, t, parent);
      measure('ctxb.decisions', 1, { 'ctxb.decision': decision.kind });
      if (decision.kind === 'cache-broken')
        measure('ctxb.cache.rewritten', decision.tokens, { 'ctxb.cache.cause': decision.cause });
    },
    /** The run is over. */
    close(t: number): void {
      compacted(t, 'unfinished');
      handedOver(t, 'unfinished');
    },
  };
}

/** Only figures: reasons and paths can hold words of the user's. */
function figuresOf(decision: Decision): Attributes {
  const { predicted, fraction } = decision.gauge;
  const own = Object.entries(decision).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const named = own.map(([name, value]) => [
    `ctxb.${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
    value,
  ]);
  return { 'ctxb.context.tokens': predicted, 'ctxb.context.utilization': fraction, ...Object.fromEntries(named) };
}
