import type { ControlResponseEvent } from '../../protocol/events.ts';
import { fieldsOf, listOf } from '../../protocol/fields.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { request } from '../prompts/own-lines.ts';
import { workingSetOf } from '../relief/accounts.ts';
import { summaryBound } from '../relief/beside-summary.ts';
import { isModLoading, keptTokensLimit, MIN_RELIEVED } from '../relief/exact.ts';
import type { Exact } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, clearTimer, emit, setTimer } from '../steps.ts';
import { IDLE } from './operation.ts';

/** Time for claude to load the mod, and for the mod to respond after that. */
const LOADING_PATIENCE_MS = 10_000;
const RESPONSE_PATIENCE_MS = 3_000;

/** Share of claude's trigger above which every call renews the plan. */
const RENEWAL_SHARE = 0.6;

/** Loads the mod when the context is large enough, and keeps the plan up to date for a compaction within a turn. */
export function prepareExact(state: GovernorState): GovernorState {
  const { exact } = state.relief;
  if (exact.phase === 'off') return state;
  if (exact.phase === 'unarmed') return predictedTokens(state.gauge) >= MIN_RELIEVED ? armMod(state) : state;
  // claude waits while ctxb writes the plan: only near the trigger, or for prompts that the mod cannot see.
  const { trigger } = state.process.control;
  const isNear = typeof trigger !== 'number' || predictedTokens(state.gauge) >= RENEWAL_SHARE * trigger;
  return isNear || exact.midTurn.length > 0 ? planExact(state) : state;
}

export function planExact(state: GovernorState): GovernorState {
  const { phase, midTurn, prompts } = state.relief.exact;
  if (phase !== 'ready') return state;
  const bound = summaryBound(state);
  const { keep, kept } = bound ?? workingSetOf(state);
  const budget = keptTokensLimit(state, kept);
  return emit(state, { kind: 'plan-exact', budget, summary: bound?.summary, keep, midTurn, prompts });
}

/** Prepares a compaction in a resumed session, which may be due at the next call. */
export function prepareResumed(state: GovernorState): GovernorState {
  return state.session.version === undefined || predictedTokens(state.gauge) < MIN_RELIEVED ? state : awaitExact(state);
}

/** Loads the mod for a compaction that comes soon, if loading is possible. */
export function loadMod(state: GovernorState): GovernorState {
  return state.relief.exact.phase === 'unarmed' ? armMod(state) : state;
}

export function awaitExact(state: GovernorState): GovernorState {
  const next = loadMod(state);
  return next.relief.exact.phase === 'arming' ? changed(next, { operation: { phase: 'loading' } }) : next;
}

/** With a mod, claude would skip the user's PreCompact hook, which may protect the context. */
const GUARDED = 'a PreCompact hook would not be asked (--compaction exact does without it)';

function armMod(state: GovernorState): GovernorState {
  if (state.process.control.phase === 'closed') return state;
  const isGuarded = listOf(fieldsOf(state.process.control.initialize?.hooks).PreCompact).length > 0;
  if (state.run.policy.compaction.how === 'auto' && isGuarded) return disableMod(state, GUARDED);
  return emit(
    changedIn(state, 'exact', { phase: 'arming' }),
    { kind: 'arm-exact' },
    setTimer('exact', LOADING_PATIENCE_MS),
  );
}

/** Asks claude to load the mod from its folder. `add_plugins` adds it to the loaded plugins. */
export function onExactFolder(state: GovernorState, path: string | undefined, isGuarded = false): GovernorState {
  if (!isModLoading(state)) return state;
  if (isGuarded) return disableMod(state, GUARDED);
  if (path === undefined) return disableMod(state, 'the mod could not be written');
  return request(state, 'load-mod', {
    subtype: 'reload_plugins',
    add_plugins: [{ type: 'local', path }],
    // A changed list of tools would make claude pay for the whole context again.
    hold_on_cache_impact: true,
  });
}

export function onModLoaded(state: GovernorState, { ok, response }: ControlResponseEvent): GovernorState {
  if (!isModLoading(state)) return state;
  if (!ok) return disableMod(state, 'claude refuses to load the mod');
  if (response.held === true) return disableMod(state, 'loading the mod would change the tools');
  const timer = state.relief.exact.phase === 'arming' ? [setTimer('exact', RESPONSE_PATIENCE_MS)] : [];
  return emit(state, { kind: 'prove-exact' }, ...timer);
}

export function onExactProved(state: GovernorState): GovernorState {
  if (!isModLoading(state)) return state;
  const ready = endLoading(state, { phase: 'ready', why: undefined });
  return emit(planExact(ready), CLEAR);
}

/**
 * Stops waiting for the mod. `--bare`, `--safe-mode`, `disableAllHooks` and managed settings prevent it without an
 * error. On a busy machine it may still load later.
 */
export function giveUpArming(state: GovernorState): GovernorState {
  const { version } = state.session;
  const name = version === undefined ? 'this claude' : `Claude Code ${version}`;
  const late = { phase: 'late', why: `${name} does not run the mod` } as const;
  return state.relief.exact.phase === 'arming' ? endLoading(state, late) : state;
}

const CLEAR = clearTimer('exact');

function endLoading(state: GovernorState, exact: Partial<Exact>): GovernorState {
  const next = changedIn(state, 'exact', exact);
  return next.operation.phase === 'loading' ? changed(next, { operation: IDLE }) : next;
}

function disableMod(state: GovernorState, why: string): GovernorState {
  return emit(endLoading(state, { phase: 'off', why }), CLEAR);
}
