import type { BoundaryEvent, InitEvent, ModeEvent, ResetEvent } from '../../protocol/events.ts';
import type { StateEntry } from '../entry.ts';

/** Notices changes of the session's state from one line to the next. */
export interface States {
  init(event: InitEvent, t: number): StateEntry[];
  /** The model of an answer: session logs name it nowhere else. */
  model(model: string | undefined, t: number): StateEntry[];
  mode(mode: string | undefined, t: number): StateEntry[];
  change(event: ModeEvent | BoundaryEvent | ResetEvent, t: number): StateEntry[];
  /** Where the work stands, as the agent, a script or a person said it. */
  work(to: string, t: number): StateEntry[];
  /** A tool call that succeeded. */
  tool(name: string, agent: string | null, t: number): StateEntry[];
}

type Tracked = 'permission mode' | 'model' | 'session' | 'state';

export function createStates(): States {
  const now = new Map<Tracked, string>();
  let declared = false;

  function change(what: Tracked, to: string, t: number): StateEntry[] {
    const from = now.get(what);
    if (to === from) return [];
    now.set(what, to);
    return [from === undefined ? { kind: 'state', t, what, to } : { kind: 'state', t, what, from, to }];
  }

  /** The first value of a session is where it starts, not a change. */
  function track(what: Tracked, to: string | undefined, t: number): StateEntry[] {
    if (to === undefined) return [];
    const isFirst = !now.has(what);
    const entries = change(what, to, t);
    return isFirst ? [] : entries;
  }

  const mode = (to: string | undefined, t: number) => track('permission mode', to, t);
  return {
    mode,
    work: (to, t) => change('state', to, t),
    model: (to, t) => (declared ? [] : track('model', to, t)),
    init(event, t) {
      declared = true;
      return [
        ...track('session', event.sessionId, t),
        ...track('model', event.model, t),
        ...mode(event.permissionMode, t),
      ];
    },
    change(event, t) {
      switch (event.kind) {
        case 'mode':
          return mode(event.permissionMode, t);
        case 'boundary': {
          const size = event.preTokens === undefined ? '' : ` at ${event.preTokens} tokens`;
          return [{ kind: 'state', t, what: 'compaction', to: `${event.trigger}${size}` }];
        }
        case 'reset':
          return [{ kind: 'state', t, what: 'clear', to: 'a new conversation' }];
      }
    },
    tool(name, agent, t) {
      if (agent !== null || (name !== 'EnterPlanMode' && name !== 'ExitPlanMode')) return [];
      return [{ kind: 'state', t, what: 'plan mode', to: name === 'EnterPlanMode' ? 'entered' : 'left' }];
    },
  };
}
