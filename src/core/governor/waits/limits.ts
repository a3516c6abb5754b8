import type { Event } from '../../protocol/events.ts';
import type { GovernorState } from '../state.ts';
import { changed, decided, keep, type Step } from '../steps.ts';
import type { Limits } from './waits-state.ts';

/** Notes how much of the account's limits is used, and announces what has come near. */
export function followLimits(state: GovernorState, event: Event): Step {
  if (event.kind !== 'rate-limit') return keep(state);
  const used = { ...state.limits.used, ...event.limits };
  const near = Object.entries(event.limits).filter(
    ([name, { share }]) => share !== undefined && share >= state.run.policy.limits.warnAt && name !== event.rejected,
  );
  const news = near.filter(([name, { resetsAt }]) => !state.limits.said.includes(mark(name, resetsAt)));
  const said = [...state.limits.said, ...news.map(([name, { resetsAt }]) => mark(name, resetsAt))].slice(
    -REMEMBERED_NOTICES,
  );
  const told = { ...state.told, warnings: [...state.told.warnings, ...news.map(warning)] };
  const next = changed(state, { limits: { used, hit: event.rejected, said }, told });
  return keep(
    next,
    news.map(([limit, { share, resetsAt }]) => {
      const reason = 'a usage limit comes near';
      return { kind: 'usage-limit', ...decided(next, reason), level: 'warn', limit, share, resetsAt } as const;
    }),
  );

  function warning([name, { share = 0, resetsAt }]: (typeof near)[number]): string {
    const when =
      resetsAt === undefined ? '' : `, which resets in ${Math.ceil((resetsAt - state.now) / 60_000)} minutes`;
    return `${Math.round(share * 100)} % of the ${limitName(name)} usage limit of this account is used${when}: bring the work into a state from which it can be taken up again.`;
  }
}

const REMEMBERED_NOTICES = 16;

/** The same limit after its reset is another. */
function mark(name: string, resetsAt: number | undefined): string {
  return `${name} ${resetsAt ?? ''}`;
}

/** `five_hour` as a person says it: `five-hour`. */
export function limitName(name: string): string {
  return name.replaceAll('_', '-');
}

/** When the limit that was hit resets, in milliseconds since the epoch; undefined: it is not known. */
export function resetOf({ hit, used }: Limits): number | undefined {
  return hit === undefined ? undefined : used[hit]?.resetsAt;
}
