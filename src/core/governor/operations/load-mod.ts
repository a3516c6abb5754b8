import type { ControlResponseEvent } from '../../protocol/events.ts';
import { fieldsOf, listOf } from '../../protocol/fields.ts';
import { predictedTokens } from '../gauge/gauge.ts';
import { request } from '../prompts/own-lines.ts';
import { workingSetOf } from '../relief/accounts.ts';
import { summaryBound } from '../relief/beside-summary.ts';
import { isModLoading, keptTokensLimit, MIN_RELIEVED } from '../relief/exact.ts';
import type { ExactState } from '../relief/relief-state.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, clearTimer, emit, setTimer } from '../steps.ts';
import { IDLE } from './operation.ts';

/** Time for claude to load the mod, and then for the mod to respond. */
const LOADING_TIMEOUT_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 3_000;

/** Share of claude's trigger. Above it, ctxb renews the plan at every call. */
const PLAN_RENEWAL_SHARE = 0.6;

/** Loads the mod when the context is large enough, and keeps the plan ready for a compaction within a turn. */
export function prepareExact(state: GovernorState): GovernorState {
  const { exact } = state.relief;
  if (exact.phase === 'off') return state;
  if (exact.phase === 'unarmed') return predictedTokens(state.gauge) >= MIN_RELIEVED ? armMod(state) : state;
  // claude waits while ctxb writes the plan, so ctxb does so only near the trigger, or for prompts that the mod cannot
  // see.
  const { trigger } = state.process.control;
  const isNear = typeof trigger !== 'number' || predictedTokens(state.gauge) >= PLAN_RENEWAL_SHARE * trigger;
  return isNear || exact.midTurn.length > 0 ? planExact(state) : state;
}

/** @param isOwn whether ctxb compacts now */
export function planExact(state: GovernorState, isOwn = false): GovernorState {
  const { phase, midTurn, prompts } = state.relief.exact;
  if (phase !== 'ready') return state;
  const bound = summaryBound(state, isOwn);
  const { keep, kept } = bound ?? workingSetOf(state);
  const budget = keptTokensLimit(state, kept);
  return emit(state, { kind: 'plan-exact', budget, summary: bound?.summary, keep, midTurn, prompts });
}

/** Loads the mod in a resumed session, where a compaction may come at the next call. */
export function prepareResumedSession(state: GovernorState): GovernorState {
  return state.session.version === undefined || predictedTokens(state.gauge) < MIN_RELIEVED
    ? state
    : loadModFirst(state);
}

/** Loads the mod before a compaction, unless it is off or loaded. */
export function loadMod(state: GovernorState): GovernorState {
  return state.relief.exact.phase === 'unarmed' ? armMod(state) : state;
}

export function loadModFirst(state: GovernorState): GovernorState {
  const next = loadMod(state);
  return next.relief.exact.phase === 'arming' ? changed(next, { operation: { phase: 'loading' } }) : next;
}

/** Reason not to load the mod: claude would skip the user's PreCompact hook, which may protect the context. */
const GUARDED = 'a PreCompact hook would not be called (--compaction exact skips it)';

function armMod(state: GovernorState): GovernorState {
  if (state.process.control.phase === 'closed') return state;
  const isGuarded = listOf(fieldsOf(state.process.control.initialize?.hooks).PreCompact).length > 0;
  if (state.run.policy.compaction.how === 'auto' && isGuarded) return disableMod(state, GUARDED);
  return emit(
    changedIn(state, 'exact', { phase: 'arming' }),
    { kind: 'arm-exact' },
    setTimer('exact', LOADING_TIMEOUT_MS),
  );
}

/** Asks claude to load the mod from its folder. `add_plugins` keeps the other plugins. */
export function onExactFolder(state: GovernorState, path: string | undefined, isGuarded = false): GovernorState {
  if (!isModLoading(state)) return state;
  if (isGuarded) return disableMod(state, GUARDED);
  if (path === undefined) return disableMod(state, 'the mod could not be written');
  return request(state, 'load-mod', {
    subtype: 'reload_plugins',
    add_plugins: [{ type: 'local', path }],
    // With another list of tools, claude would pay for the whole context again.
    hold_on_cache_impact: true,
  });
}

export function onModLoaded(state: GovernorState, { ok, response }: ControlResponseEvent): GovernorState {
  if (!isModLoading(state)) return state;
  if (!ok) return disableMod(state, 'claude refuses to load the mod');
  if (response.held === true) return disableMod(state, 'loading the mod would change the tools');
  const timer = state.relief.exact.phase === 'arming' ? [setTimer('exact', RESPONSE_TIMEOUT_MS)] : [];
  return emit(state, { kind: 'prove-exact' }, ...timer);
}

export function onExactProved(state: GovernorState): GovernorState {
  if (!isModLoading(state)) return state;
  const ready = endLoading(state, { phase: 'ready', why: undefined });
  return emit(planExact(ready), CLEAR_TIMER);
}

/**
 * Stops waiting for the mod. `--bare`, `--safe-mode`, `disableAllHooks` and managed settings keep claude from loading
 * it, without an error. On a busy machine, the mod may load later.
 */
export function stopWaitingForMod(state: GovernorState): GovernorState {
  const { version } = state.session;
  const name = version === undefined ? 'this claude' : `Claude Code ${version}`;
  const late = { phase: 'late', why: `${name} does not run the mod` } as const;
  return state.relief.exact.phase === 'arming' ? endLoading(state, late) : state;
}

const CLEAR_TIMER = clearTimer('exact');

function endLoading(state: GovernorState, exact: Partial<ExactState>): GovernorState {
  const next = changedIn(state, 'exact', exact);
  return next.operation.phase === 'loading' ? changed(next, { operation: IDLE }) : next;
}

function disableMod(state: GovernorState, why: string): GovernorState {
  return emit(endLoading(state, { phase: 'off', why }), CLEAR_TIMER);
}
