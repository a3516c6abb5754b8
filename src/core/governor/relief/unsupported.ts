import { isAtLeast } from '../../protocol/version.ts';
import type { Policy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, decide, type Line } from '../steps.ts';
import { NOT_EXACT } from './relief-state.ts';

/**
 * The first version of Claude Code that can load a mod while it runs (2.1.300 ignores `add_plugins`). With an older
 * one, every start would have to wait for the mod.
 */
export const OLDEST_SUPPORTED = '2.1.301';

/**
 * Only measures a claude that is too old: no reliefs, no cut results, no change of its trigger. Limits that the user
 * set still apply. Announced once for each version.
 */
export function passThroughOlder(state: GovernorState, { before }: Line): GovernorState {
  const { version } = state.session;
  const isOlder = version !== undefined && !isAtLeast(version, OLDEST_SUPPORTED);
  if (!isOlder) return state;
  const run = { ...state.run, policy: measureOnlyPolicy(state.run.policy) };
  const measuring = changedIn(changedIn(changed(state, { run }), 'control', { trigger: 'off' }), 'exact', NOT_EXACT);
  if (before.session.version === version) return measuring;
  return decide(measuring, 'unavailable:relief', `Claude Code ${version} is not supported`);
}

function measureOnlyPolicy(policy: Policy): Policy {
  return {
    ...policy,
    compaction: { ...policy.compaction, enabled: false },
    handoff: { ...policy.handoff, enabled: false },
    midTurn: { ...policy.midTurn, enabled: false },
    tools: { ...policy.tools, mode: 'off' },
    zones: { ...policy.zones, tellAgent: false },
  };
}
