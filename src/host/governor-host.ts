import { createCallIdentity } from '../core/governor/call-identity.ts';
import type { Action } from '../core/governor/decisions.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { step } from '../core/governor/step.ts';

export interface Transition {
  readonly input: Input;
  readonly before: GovernorState;
  readonly after: GovernorState;
  readonly actions: readonly Action[];
}

export interface HostOptions<Extra> {
  /** Called before an input is processed. `extra` was fed with it. */
  readonly onInput?: (input: Input, extra: Extra | undefined) => void;
  /**
   * Executes the actions. Called twice if an input also contains an earlier call. May feed further inputs immediately,
   * or queue them with `tellLater`.
   */
  readonly carryOut?: (transition: Transition, extra: Extra | undefined) => void;
  /** Milliseconds since the epoch. Default: the time of the last input. */
  readonly now?: () => number;
}

export type GovernorHost<Extra = undefined> = ReturnType<typeof createHost<Extra>>;

/** The loop around the governor that run, replay, the status line and the library share: input, step, effects. */
export function createHost<Extra = undefined>(
  start: GovernorState,
  { onInput, carryOut, now }: HostOptions<Extra> = {},
) {
  let state = start;
  let depth = 0;
  const later: OwnEvent[] = [];
  const calls = createCallIdentity();

  function apply(input: Input, extra: Extra | undefined): Transition {
    const before = state;
    state = step(before, input);
    const transition = { input, before, after: state, actions: state.actions };
    carryOut?.(transition, extra);
    return transition;
  }

  function applyAll(received: Input, extra: Extra | undefined): Transition {
    if (received.from !== 'claude') {
      onInput?.(received, extra);
      return apply(received, extra);
    }
    const input = { ...received, event: calls.identified(received.event) };
    onInput?.(input, extra);
    const call = calls.sizedBy(received.event);
    if (call === undefined) return apply(input, extra);
    const first = apply({ ...received, event: call }, undefined);
    const transition = apply(input, extra);
    return { ...transition, before: first.before, actions: [...first.actions, ...transition.actions] };
  }

  function feed(input: Input, extra?: Extra): Transition {
    depth++;
    try {
      const transition = applyAll(input, extra);
      if (depth > 1) return transition;
      for (let event = later.shift(); event !== undefined; event = later.shift()) tell(event);
      return transition;
    } finally {
      depth--;
    }
  }

  function tell(event: OwnEvent): void {
    feed({ t: now?.() ?? state.facts.now, from: 'ctxb', event });
  }

  return {
    get state() {
      return state;
    },
    feed,
    /** Feeds one of ctxb's own events, with the current time. */
    tell,
    /** Like `tell`, but waits until all actions of the input are executed. For the outcome of an action. */
    tellLater: (event: OwnEvent) => void later.push(event),
  };
}
