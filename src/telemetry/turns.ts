import type { GovernorState } from '../core/governor/state.ts';
import { type Attributes, measure, type Seen, type Signal } from './signal.ts';

/** The turns of the caller, and those that claude starts by itself, as spans. */
export interface Turns {
  /** The turn under way; undefined: none. */
  readonly span: string | undefined;
  /** What begins, before anything else of a step. */
  begin(seen: Seen, parent: string): Signal[];
  /** What ends, after everything else of it. */
  end(seen: Seen): Signal[];
  /** The run is over. */
  close(t: number, state: GovernorState): Signal[];
}

export function createTurns(): Turns {
  let span: string | undefined;
  let count = 0;

  function start({ input, after }: Seen, parent: string): Signal[] {
    if (span !== undefined || after.turn.phase === 'idle') return [];
    span = `turn ${++count}`;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.agent.name': 'claude-code',
      'ctxb.turn': count,
      'ctxb.turn.started_by': after.turn.startedBy,
      ...sessionOf(after),
    };
    const name = 'invoke_agent claude-code';
    return [{ kind: 'start', span, name, role: 'internal', parent, t: input.t, attributes }];
  }

  function stop(t: number, state: GovernorState, error: string | undefined, attributes: Attributes = {}): Signal[] {
    if (span === undefined) return [];
    const ended = span;
    span = undefined;
    const all = { ...attributes, ...sessionOf(state) };
    const outcome = error === undefined ? {} : { 'error.type': error };
    return [{ kind: 'end', span: ended, t, attributes: all, error }, measure('ctxb.turns', 1, outcome)];
  }

  return {
    get span() {
      return span;
    },
    begin: start,
    end(seen) {
      const { input, before, after } = seen;
      const { event, t } = input;
      if (event.kind === 'result' && after.turn.ended > before.turn.ended) {
        const error = event.isError ? (event.terminalReason ?? event.subtype) : undefined;
        return stop(t, after, error, { 'ctxb.turn.calls': before.turn.calls, 'ctxb.context.tokens': after.gauge.used });
      }
      // claude is gone, and its turn with it.
      return before.turn.phase !== 'idle' && after.turn.phase === 'idle' ? stop(t, after, 'process_ended') : [];
    },
    close: (t, state) => stop(t, state, 'interrupted'),
  };
}

function sessionOf({ session }: GovernorState): Attributes {
  return {
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
    ...(session.version !== undefined && { 'gen_ai.agent.version': session.version }),
  };
}
