import type { ExactReceipt } from '../../exact/plan.ts';
import { toUsd } from '../cost/cost.ts';
import { priceAt } from '../cost/prices.ts';
import { writePrice } from '../cost/prompt-cache.ts';
import type { Reading } from '../gauge/gauge.ts';
import { inTokens } from '../policy.ts';
import { type GovernorState, NOT_COMPACTING } from '../state.ts';
import { chain, changed, changedIn, decided, keep, type Step } from '../steps.ts';
import { giveUpWhenUseless } from './compaction.ts';
import { NO_ECHO } from './exact.ts';
import { failuresAfterLanding, missesTarget, withLanding } from './ladder.ts';
import { priceOfModel } from './outlook.ts';
import type { Landing } from './relief-state.ts';

/** The first call after a relief shows what it freed. */
export function measureLanding(state: GovernorState): Step {
  const { relief, gauge } = state;
  const { landing } = relief;
  if (landing === undefined || gauge.basis !== 'measured') return keep(state);
  const freed = landing.before.predicted - gauge.used;
  const isMissed = missesTarget(state, gauge.used, gauge.window.tokens);
  if (landing.of === 'compaction') return measureCompaction(state, landing, freed, isMissed);
  const handed = relief.handed && { ...relief.handed, landing: gauge.used };
  const landed = changedIn(state, 'relief', { landing: undefined, due: undefined, useless: isMissed, handed });
  const reason = isMissed ? 'the handoff freed too little' : 'the handoff made room';
  return keep(landed, [{ kind: 'landed', ...decided(landed, reason), freed }]);
}

function measureCompaction(state: GovernorState, landing: Landing, freed: number, isMissed: boolean): Step {
  const { gauge, relief, run, compaction } = state;
  const target = inTokens(run.policy.compaction.target, gauge.window.tokens);
  const missed = `a compaction landed at ${gauge.used} tokens, above its target of ${target}`;
  const landings = withLanding(relief.landings, gauge.used);
  const known = changedIn(state, 'relief', { landings, due: isMissed ? missed : undefined, landing: undefined });
  const failures = landing.isOurs ? failuresAfterLanding(state, gauge.used, gauge.window.tokens) : compaction.failures;
  const landed = landing.isOurs ? changed(known, { compaction: { ...NOT_COMPACTING, failures } }) : known;
  const made = failures === 0 ? 'the compaction made room' : 'the compaction freed too little';
  return chain(
    landing.receipt === undefined
      ? keep(landed, landing.isOurs ? [{ kind: 'landed', ...decided(landed, made), freed }] : [])
      : tellExact(landed, landing.before, landing.receipt, freed),
    (next) => (landing.isOurs ? giveUpWhenUseless(next, compaction.failures) : keep(next)),
  );
}

function tellExact(state: GovernorState, before: Reading, exact: ExactReceipt, freed: number): Step {
  const reason = `${before.predicted} tokens before it`;
  const worth = worthOf(state, before.predicted);
  return keep(changedIn(state, 'exact', NO_ECHO), [
    { kind: 'landed', ...decided(state, reason), freed, exact, ...worth },
  ]);
}

/** In US dollars; nothing for a model without a price. A long prompt costs more for each of its tokens. */
function worthOf(state: GovernorState, before: number): { readonly savedUsd?: number; readonly onceUsd?: number } {
  const price = priceOfModel(state);
  if (price === undefined) return {};
  const { gauge, cache } = state;
  const rates = priceAt(price, gauge.used);
  const saved = before * priceAt(price, before).cacheRead - gauge.used * rates.cacheRead;
  const anew = Math.max(0, gauge.used - (gauge.first ?? 0)) * (writePrice(cache, rates) - rates.cacheRead);
  return { savedUsd: toUsd(Math.round(saved / 1_000_000)), onceUsd: toUsd(Math.round(anew / 1_000_000)) };
}
