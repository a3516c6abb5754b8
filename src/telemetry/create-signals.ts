import type { Decision } from '../core/governor/decisions.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { createCalls } from './calls.ts';
import { createInterventions } from './interventions.ts';
import { createLevels } from './levels.ts';
import type { Attributes, Seen, Signal } from './signal.ts';
import { createTurns } from './turns.ts';

/** The signals of a run, step by step. Pure: the sender gets them with their times. */
export interface Signals {
  /** @param t milliseconds since the epoch */
  begin(t: number): Signal[];
  see(seen: Seen): Signal[];
  decided(decision: Decision, t: number): Signal[];
  end(t: number, state: GovernorState, exitCode: number): Signal[];
}

const RUN = 'run';

export function createSignals(): Signals {
  const levels = createLevels();
  const calls = createCalls();
  const turns = createTurns();
  const interventions = createInterventions();

  /** The innermost span under way. */
  const current = () => interventions.handoff ?? turns.span ?? RUN;

  return {
    begin: (t) => [
      { kind: 'start', span: RUN, name: 'ctxb.run', role: 'internal', parent: undefined, t, attributes: {} },
    ],
    see: (seen) => [
      ...turns.begin(seen, RUN),
      ...calls.see(seen, current()),
      ...interventions.see(seen, current()),
      ...levels.see(seen),
      ...turns.end(seen),
      // What was said too late for a turn begins the next one with its result.
      ...turns.begin(seen, RUN),
    ],
    decided: (decision, t) => interventions.decided(decision, t, current()),
    end: (t, state, exitCode) => [
      ...calls.settle(state),
      ...interventions.close(t),
      ...turns.close(t, state),
      { kind: 'end', span: RUN, t, attributes: runAttributes(state, exitCode), error: runError(state, exitCode) },
    ],
  };
}

function runAttributes({ run, session, turn, gauge }: GovernorState, exitCode: number): Attributes {
  return {
    'process.exit.code': exitCode,
    'ctxb.mode': run.mode,
    'ctxb.run.turns': turn.ended,
    'ctxb.run.calls': gauge.calls,
    'ctxb.context.peak': gauge.peak,
    ...(session.id !== undefined && { 'gen_ai.conversation.id': session.id }),
  };
}

function runError({ outcome }: GovernorState, exitCode: number): string | undefined {
  return exitCode === 0 ? undefined : (outcome ?? `exit_${exitCode}`);
}
