import type { CompactionKind, Decision } from '../core/governor/decisions.ts';
import { callOutput } from '../core/governor/gauge/gauge.ts';
import type { Input } from '../core/governor/input.ts';
import { isExact } from '../core/governor/relief/exact.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { isCompacting } from '../core/governor/steps.ts';
import { contextOf, type Usage } from '../core/protocol/usage.ts';
import { type Attributes, createSpanSlot, measure, type Seen, type Signal } from './signal.ts';

/** The calls of the main thread as spans, with what they used and how long they took. */
export function createCalls() {
  const slot = createSpanSlot();
  let call = { messageId: '', startedAt: 0, lastLineAt: 0, common: {} as Attributes };
  /** When the model was last given something: about then the call was made that answers it. */
  let askedAt: number | undefined;

  function begin({ input, after }: Seen, usage: Usage, parent: string): Signal[] {
    const { gauge } = after;
    const common = commonOf(after);
    const startedAt = Math.min(askedAt ?? input.t, input.t);
    call = { messageId: gauge.call?.messageId ?? '', startedAt, lastLineAt: input.t, common };
    const model = common['gen_ai.request.model'];
    return [
      ...slot.start(startedAt, {
        span: `call ${gauge.calls}`,
        name: model === undefined ? 'chat' : `chat ${model}`,
        role: 'client',
        parent,
        attributes: { ...common, ...identityOf(after), ...usageOf(usage), 'ctxb.call': gauge.calls },
      }),
      measure('ctxb.calls', 1, common),
      measure('gen_ai.client.token.usage', contextOf(usage), { ...common, 'gen_ai.token.type': 'input' }),
    ];
  }

  /** No more comes of the call under way. */
  function settle({ gauge }: GovernorState): Signal[] {
    const { startedAt, lastLineAt, common, messageId } = call;
    const output = gauge.call?.messageId === messageId ? Math.round(callOutput(gauge)) : 0;
    const attributes = {
      'gen_ai.usage.output_tokens': output,
      'ctxb.output.estimated': gauge.call?.outputKnown !== true,
    };
    if (slot.span !== undefined) askedAt = undefined;
    return slot.end(
      lastLineAt,
      undefined,
      attributes,
      measure('gen_ai.client.token.usage', output, { ...common, 'gen_ai.token.type': 'output' }),
      measure('gen_ai.client.operation.duration', Math.max(0, lastLineAt - startedAt) / 1000, common),
    );
  }

  return {
    settle,
    see(seen: Seen, parent: string): Signal[] {
      const { input, before, after } = seen;
      const { event } = input;
      const isNew = after.gauge.calls > before.gauge.calls && event.kind === 'assistant' && event.usage !== undefined;
      if (isNew) return [...settle(before), ...begin(seen, event.usage, parent)];
      if (event.kind === 'assistant' && event.subagent === null && call.messageId === event.messageId) {
        call.lastLineAt = input.t;
      }
      // The result of a turn, which tells how much was written, is judged already.
      const settled = endsCall(input) ? settle(after) : [];
      if (asksModel(input) || beginsTurn(before, after)) askedAt = input.t;
      return settled;
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
  return from === 'claude' && event.kind === 'user' && event.subagent === null;
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
export function createInterventions() {
  const [compaction, handoff] = [createSpanSlot(), createSpanSlot()];
  let startedBy: By = 'ctxb';
  let count = 0;

  function start(name: 'compaction' | 'handoff', t: number, parent: string, attributes: Attributes): Signal[] {
    const slot = name === 'compaction' ? compaction : handoff;
    return slot.start(t, { span: `${name} ${++count}`, name: `ctxb.${name}`, parent, attributes });
  }

  function compact(by: By, t: number, parent: string, attributes: Attributes = {}): Signal[] {
    if (compaction.span !== undefined) return [];
    startedBy = by;
    return start('compaction', t, parent, attributes);
  }

  function compacted(
    t: number,
    verdict: string,
    by = startedBy,
    how: CompactionKind = 'summary',
    costs = {},
  ): Signal[] {
    const outcome = { 'ctxb.compaction.by': by, 'ctxb.compaction.how': how, 'ctxb.compaction.verdict': verdict };
    const error = verdict === 'success' ? undefined : verdict;
    return compaction.end(t, error, { ...outcome, ...costs }, measure('ctxb.compactions', 1, outcome));
  }

  function handedOver(t: number, error: string | undefined, attributes: Attributes = {}): Signal[] {
    const outcome = error === undefined ? attributes : { 'error.type': error };
    return handoff.end(t, error, outcome, measure('ctxb.handoffs', 1, outcome));
  }

  function spanOf(decision: Decision, t: number, parent: string): Signal[] | undefined {
    switch (decision.kind) {
      case 'compact':
        return compact('ctxb', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
      case 'compacted':
        return compacted(t, decision.verdict, 'ctxb', decision.how, { 'ctxb.cost': decision.costUsd });
      case 'handoff':
        return start('handoff', t, parent, { 'ctxb.context.tokens': decision.gauge.predicted });
      case 'handed-over':
        return handedOver(t, undefined, { 'ctxb.handoff.by': decision.by, 'ctxb.handoff.way': decision.way });
      case 'unrelieved':
        return handoff.span === undefined ? undefined : handedOver(t, 'unrelieved');
      default:
        return undefined;
    }
  }

  return {
    /** The handoff under way, whose turns are ctxb's own. */
    handoff,
    /** What claude does by itself, or for the caller. */
    see({ input: { event, t }, before }: Seen, parent: string): Signal[] {
      if (isCompacting(before.compaction)) return [];
      if (event.kind === 'compact-status' && event.phase === 'compacting') return compact('claude', t, parent);
      if (event.kind === 'compact-status' && event.phase === 'failed') return compacted(t, 'failed');
      if (event.kind !== 'boundary') return [];
      // Older versions say nothing before it, and none says before it who wanted it.
      const by = event.trigger === 'manual' ? 'caller' : 'claude';
      return [...compact(by, t, parent), ...compacted(t, 'success', by, isExact(before) ? 'exact' : 'summary')];
    },
    decided(decision: Decision, t: number, parent: string): Signal[] {
      const { kind } = decision;
      const event = { kind: 'event', span: parent, name: `ctxb.${kind}`, t, attributes: figuresOf(decision) } as const;
      return [...(spanOf(decision, t, parent) ?? [event]), measure('ctxb.decisions', 1, { 'ctxb.decision': kind })];
    },
    /** The run is over. */
    close: (t: number): Signal[] => [...compacted(t, 'unfinished'), ...handedOver(t, 'unfinished')],
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
