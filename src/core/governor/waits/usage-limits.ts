import type { LimitUse, RateLimitEvent } from '../../protocol/events.ts';
import type { GovernorState } from '../state.ts';
import { changed, decided, type Line, type Step, toStep } from '../steps.ts';
import type { Limits } from './waits-state.ts';

/** Records the used shares of the account's limits, and announces those that reach the warning level. */
export function followLimits(state: GovernorState, { event }: Line<RateLimitEvent>): Step {
  const used = { ...state.limits.used, ...event.limits };
  const { warnAt } = state.run.policy.limits;
  const isNear = ([name, { share }]: NamedLimit) => share !== undefined && share >= warnAt && name !== event.rejected;
  const news = Object.entries(event.limits).filter(
    (limit) => isNear(limit) && !state.limits.said.includes(mark(limit)),
  );
  const marks = [...state.limits.said, ...news.map(mark)].slice(-REMEMBERED_NOTICES);
  const notices = { ...state.told, warnings: [...state.told.warnings, ...news.map(warning)] };
  const next = changed(state, { limits: { used, hit: event.rejected, said: marks }, told: notices });
  return toStep(
    next,
    news.map(([limit, { share, resetsAt }]) =>
      decided(next, 'usage-limit', 'a usage limit comes near', { level: 'warn', limit, share, resetsAt }),
    ),
  );

  function warning([name, { share = 0, resetsAt }]: NamedLimit): string {
    const when =
      resetsAt === undefined ? '' : `, which resets in ${Math.ceil((resetsAt - state.now) / 60_000)} minutes`;
    return `${Math.round(share * 100)} % of the ${limitName(name)} usage limit of this account is used${when}: bring the work into a state from which it can be taken up again.`;
  }
}

type NamedLimit = readonly [name: string, use: LimitUse];

const REMEMBERED_NOTICES = 16;

/** Key of a limit that was announced. After its reset it can be announced again. */
function mark([name, { resetsAt }]: NamedLimit): string {
  return `${name} ${resetsAt ?? ''}`;
}

/** A limit's name for messages: `five-hour` for `five_hour`. */
export function limitName(name: string): string {
  return name.replaceAll('_', '-');
}

/** Reset of the limit that was hit, in milliseconds since the epoch; undefined if unknown. */
export function resetOf(limits: Limits): number | undefined {
  return hitOf(limits)?.resetsAt;
}

export function hitOf({ hit, used }: Limits): LimitUse | undefined {
  return hit === undefined ? undefined : used[hit];
}
