import { contextOf, type Usage } from '../../protocol/usage.ts';
import { priceAt } from '../cost/prices.ts';
import { expiredIdleMs, rewriteCost, type Setup } from '../cost/prompt-cache.ts';
import type { CacheBreak } from '../decisions.ts';
import type { SizedAnswer, SizedCall } from '../facts.ts';
import type { GovernorState } from '../state.ts';
import { decide, type Line } from '../steps.ts';
import { priceOfModel } from './accounts.ts';
import { msToMinutes } from './relief-moment.ts';

/**
 * Announces a call that wrote to the cache again what the previous call had left there: the cost, and the cause. The
 * API names the cause if claude passes it on. Otherwise the two calls are compared.
 */
export function announceBreak(state: GovernorState, { before, event: call }: Line<SizedCall>): GovernorState {
  if (call.kind !== 'assistant') return state;
  const loss = cacheLoss(before, state, call.usage);
  if (loss === undefined) return state;
  const causes = causesOf(before, state, call);
  const cause = causes[0]?.cause ?? 'unknown';
  const reason = causes.map(({ text }) => text).join(', and ') || NO_CHANGE;
  return decide(state, 'cache-lost', reason, { cause, ...loss });
}

const NO_CHANGE = 'nothing that claude reports has changed';

/** Share of the cache. A call that finds more than this has only missed the last messages. */
const KEPT_SHARE = 0.5;

/** Minimum extra cost to announce. */
const MIN_LOSS_USD = 0.25;

/** Tokens that were written again, and their cost; undefined if the cost is too small to announce. */
function cacheLoss(before: GovernorState, state: GovernorState, usage: Usage) {
  const { session, gauge } = before;
  // With any other basis, the context was or may have been replaced since.
  if (gauge.basis !== 'measured') return undefined;
  if (usage.cacheRead >= session.cache.held * KEPT_SHARE) return undefined;
  const listPrice = priceOfModel(state);
  if (listPrice === undefined) return undefined;
  const tokens = Math.min(session.cache.held - usage.cacheRead, usage.cacheCreation);
  const { usd, cachedUsd } = rewriteCost(tokens, state.session.cache, priceAt(listPrice, contextOf(usage)));
  return usd - cachedUsd < MIN_LOSS_USD ? undefined : { tokens, usd, cachedUsd };
}

interface Cause {
  readonly cause: CacheBreak;
  readonly text: string;
}

function causesOf(before: GovernorState, state: GovernorState, event: SizedAnswer): readonly Cause[] {
  const changes = changesBetween(before, state, event);
  const verdict = VERDICTS[event.cacheMiss ?? ''];
  if (verdict === undefined) return changes;
  const shown = changes.filter(({ cause }) => cause === verdict.cause).map(({ text }) => ` (${text})`);
  return [{ cause: verdict.cause, text: `${verdict.text}${shown.join('')}` }];
}

/** Causes that the API names after it has compared two requests. Its other values mean that it could not compare. */
const VERDICTS: Readonly<Record<string, Cause>> = {
  model_changed: { cause: 'model', text: 'the API says that the model has changed' },
  system_changed: { cause: 'system', text: 'the API says that the system prompt has changed' },
  tools_changed: { cause: 'tools', text: 'the API says that the tools have changed' },
  messages_changed: { cause: 'messages', text: 'the API says that earlier messages have changed' },
};

function changesBetween(before: GovernorState, state: GovernorState, event: SizedAnswer): readonly Cause[] {
  const { cache } = before.session;
  const { gauge } = before;
  const { version } = state.session.cache;
  const idleMs = expiredIdleMs(cache, state.facts.now);
  // An expired cache is lost, so other changes do not matter.
  if (idleMs !== undefined) return [{ cause: 'pause', text: pauseText(idleMs, cache.lifetimeMs) }];
  const removedTokens = gauge.used - contextOf(event.usage);
  const model = gauge.call?.model;
  const tools = toolChanges(cache.setup, state.session.cache.setup);
  return [
    ...causeIf(hasChanged(model, event.model), 'model', `the model is ${event.model} instead of ${model}`),
    ...causeIf(hasChanged(cache.version, version), 'system', `Claude Code is ${version} instead of ${cache.version}`),
    ...causeIf(tools !== '', 'tools', tools),
    ...causeIf(cache.restarted, 'restart', 'claude was started again'),
    ...causeIf(removedTokens > MIN_REMOVED, 'messages', `the conversation is ${removedTokens} tokens shorter`),
  ];
}

function causeIf(applies: boolean, cause: CacheBreak, text: string): Cause[] {
  return applies ? [{ cause, text }] : [];
}

/** Minimum decrease of a context, in tokens, that proves a removal. A smaller one may be an error of the estimate. */
const MIN_REMOVED = 4_000;

/** Whether two known values differ. */
function hasChanged(before: string | undefined, after: string | undefined): boolean {
  return before !== undefined && after !== undefined && before !== after;
}

function pauseText(idleMs: number, lifetimeMs: number): string {
  return `there was no call for ${msToMinutes(idleMs)} minutes, and the cache is kept for ${msToMinutes(lifetimeMs)}`;
}

function toolChanges(before: Setup | undefined, after: Setup | undefined): string {
  if (before === undefined || after === undefined || before === after) return '';
  const servers = changedNames('MCP servers', before.servers, after.servers);
  const tools = changedNames('tools', before.tools, after.tools);
  return [...servers, ...tools].join(', ');
}

/** Maximum number of names in a list. */
const MAX_LISTED_NAMES = 3;

function changedNames(what: string, before: readonly string[], after: readonly string[]): string[] {
  const changes = { [`new ${what}`]: without(after, before), [`${what} gone`]: without(before, after) };
  return Object.entries(changes).flatMap(([text, names]) => (names.length > 0 ? `${text}: ${listNames(names)}` : []));
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  return names.filter((name) => !others.includes(name));
}

function listNames(names: readonly string[]): string {
  const more = names.length > MAX_LISTED_NAMES ? ` and ${names.length - MAX_LISTED_NAMES} more` : '';
  return `${names.slice(0, MAX_LISTED_NAMES).join(', ')}${more}`;
}
