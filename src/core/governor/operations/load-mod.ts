import type { ControlResponseEvent } from '../../protocol/events.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import { predicted } from '../gauge/gauge.ts';
import { request } from '../prompts/own-lines.ts';
import { isLoading, LEAST_RELIEVED, planExact } from '../relief/exact.ts';
import type { Exact } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, clearTimer, keep, type Step, setTimer } from '../steps.ts';
import { IDLE } from './operation.ts';

/** How long claude may take to load the mod, and then the mod to give a sign of life. */
const LOADING_PATIENCE_MS = 10_000;
const LIFE_PATIENCE_MS = 3_000;

/** Share of claude's trigger from which on the plan is renewed with each call. */
const NEAR = 0.6;

/** Loads the mod once the context has grown, and keeps the plan up to date for a compaction in mid-turn. */
export function prepareExact(state: GovernorState): Step {
  const { exact, gauge } = state;
  if (exact.phase === 'off') return keep(state);
  if (exact.phase === 'unarmed') return predicted(gauge) >= LEAST_RELIEVED ? arm(state) : keep(state);
  // claude waits while the plan is written: that is not needed while its trigger is far.
  const { trigger } = state.control;
  const isNear = typeof trigger !== 'number' || predicted(gauge) >= NEAR * trigger;
  return isNear || exact.midTurn.length > 0 ? planExact(state) : keep(state);
}

/** A new process goes on with a session: the next call may be all that a compaction is away. */
export function prepareResumed(state: GovernorState): Step {
  const { version } = state.session;
  return version === undefined || predicted(state.gauge) < LEAST_RELIEVED ? keep(state) : awaitExact(state);
}

/** The prompts wait for the mod, where it may still come. */
export function awaitExact(state: GovernorState): Step {
  const armed = state.exact.phase === 'unarmed' ? arm(state) : keep(state);
  const isComing = armed.state.exact.phase === 'arming';
  return isComing ? keep(changed(armed.state, { operation: { phase: 'loading' } }), armed.actions) : armed;
}

/** claude does not ask a PreCompact hook where a mod answers, and such a hook may guard the context. */
function disarmGuarded(state: GovernorState): Step {
  return disarm(state, 'a PreCompact hook would not be asked (--compaction exact does without it)');
}

function arm(state: GovernorState): Step {
  if (state.control.phase === 'closed') return keep(state);
  const hooks = fieldsOf(state.control.initialize?.hooks).PreCompact;
  const isGuarded = Array.isArray(hooks) && hooks.length > 0;
  if (state.run.policy.compaction.how === 'auto' && isGuarded) return disarmGuarded(state);
  return keep(changedIn(state, 'exact', { phase: 'arming' }), [
    { kind: 'arm-exact' },
    setTimer('exact', LOADING_PATIENCE_MS),
  ]);
}

/** The mod lies in a folder. `add_plugins` adds it to what claude has loaded. */
export function onExactFolder(state: GovernorState, path: string | undefined, isGuarded = false): Step {
  if (!isLoading(state)) return keep(state);
  if (isGuarded) return disarmGuarded(state);
  if (path === undefined) return disarm(state, 'the mod could not be written');
  return request(state, 'load-mod', {
    subtype: 'reload_plugins',
    add_plugins: [{ type: 'local', path }],
    // Another list of tools would make claude pay for the whole context again.
    hold_on_cache_impact: true,
  });
}

export function onModLoaded(state: GovernorState, { ok, response }: ControlResponseEvent): Step {
  if (!isLoading(state)) return keep(state);
  if (!ok) return disarm(state, 'claude refuses to load the mod');
  if (response.held === true) return disarm(state, 'loading the mod would change the tools');
  const timer = state.exact.phase === 'arming' ? [setTimer('exact', LIFE_PATIENCE_MS)] : [];
  return keep(state, [{ kind: 'prove-exact' }, ...timer]);
}

export function onExactProved(state: GovernorState): Step {
  if (!isLoading(state)) return keep(state);
  const ready = settled(state, { phase: 'ready', why: undefined });
  return chain(planExact(ready), (next) => keep(next, [CLEAR]));
}

/**
 * claude has not loaded it in time, or it does not run: `--bare`, `--safe-mode`, `disableAllHooks` and managed settings
 * prevent it in silence. On a busy machine it may still come.
 */
export function giveUpArming(state: GovernorState): Step {
  const { version } = state.session;
  const name = version === undefined ? 'this claude' : `Claude Code ${version}`;
  const late = { phase: 'late', why: `${name} does not run the mod` } as const;
  return keep(state.exact.phase === 'arming' ? settled(state, late) : state);
}

const CLEAR = clearTimer('exact');

/** Nothing waits for the mod any more. */
function settled(state: GovernorState, exact: Partial<Exact>): GovernorState {
  const next = changedIn(state, 'exact', exact);
  return next.operation.phase === 'loading' ? changed(next, { operation: IDLE }) : next;
}

function disarm(state: GovernorState, why: string): Step {
  return keep(settled(state, { phase: 'off', why }), [CLEAR]);
}
