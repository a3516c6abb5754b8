import { callOutput } from '../core/governor/gauge/gauge.ts';
import type { Input } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import type { Usage } from '../core/protocol/events.ts';
import { contextOf } from '../core/protocol/usage.ts';
import { type Attributes, measure, type Seen, type Signal } from './signal.ts';

/** The calls of the main thread as spans, with what they used and how long they took. */
export interface Calls {
  /** @param parent the span under way */
  see(seen: Seen, parent: string): Signal[];
  /** No more comes of the call under way. */
  settle(state: GovernorState): Signal[];
}

interface OpenCall {
  readonly span: string;
  readonly messageId: string;
  readonly startedAt: number;
  readonly common: Attributes;
  readonly lastLineAt: number;
}

export function createCalls(): Calls {
  let open: OpenCall | undefined;
  /** When the model was last given something: about then the call was made that answers it. */
  let askedAt: number | undefined;

  function begin({ input, after }: Seen, usage: Usage, parent: string): Signal[] {
    const { gauge } = after;
    const startedAt = Math.min(askedAt ?? input.t, input.t);
    const common = commonOf(after);
    const messageId = gauge.call?.messageId ?? '';
    open = { span: `call ${gauge.calls}`, messageId, startedAt, common, lastLineAt: input.t };
    const model = common['gen_ai.request.model'];
    const attributes = { ...common, ...identityOf(after), ...usageOf(usage), 'ctxb.call': gauge.calls };
    const name = model === undefined ? 'chat' : `chat ${model}`;
    return [
      { kind: 'start', span: open.span, name, role: 'client', parent, t: startedAt, attributes },
      measure('ctxb.calls', 1, common),
      measure('gen_ai.client.token.usage', contextOf(usage), { ...common, 'gen_ai.token.type': 'input' }),
    ];
  }

  function settle({ gauge }: GovernorState): Signal[] {
    if (open === undefined) return [];
    const { span, startedAt, lastLineAt, common, messageId } = open;
    const output = gauge.call?.messageId === messageId ? Math.round(callOutput(gauge)) : 0;
    const attributes = {
      'gen_ai.usage.output_tokens': output,
      'ctxb.output.estimated': gauge.call?.outputKnown !== true,
    };
    open = undefined;
    askedAt = undefined;
    return [
      { kind: 'end', span, t: lastLineAt, attributes, error: undefined },
      measure('gen_ai.client.token.usage', output, { ...common, 'gen_ai.token.type': 'output' }),
      measure('gen_ai.client.operation.duration', Math.max(0, lastLineAt - startedAt) / 1000, common),
    ];
  }

  return {
    settle,
    see(seen, parent) {
      const { input, before, after } = seen;
      const { event } = input;
      const isNew = after.gauge.calls > before.gauge.calls && event.kind === 'assistant' && event.usage !== undefined;
      if (isNew) return [...settle(before), ...begin(seen, event.usage, parent)];
      if (event.kind === 'assistant' && event.subagent === null && open?.messageId === event.messageId) {
        open = { ...open, lastLineAt: input.t };
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
