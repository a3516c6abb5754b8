import { type Config, valueAt } from '../config/config.ts';
import type { KeyPath } from '../config/keys.ts';
import { handoffLevel, inTokens, NATIVE_RESERVE_TOKENS, restingTrigger } from '../core/governor/policy.ts';
import { countOf, textOf } from '../core/protocol/fields.ts';
import { tokens } from '../report/figures.ts';
import type { Remark } from './check.ts';
import type { Stage } from './stage/stage.ts';

/** What claude says of a session that has not begun yet. */
export interface FreshContext {
  /** The model that it would use. */
  readonly model: string | undefined;
  /** Of the model, in tokens. */
  readonly window: number;
  /** Estimated tokens of what is always there: system prompt, tools. Without the user's own files and servers. */
  readonly prefix: number;
}

/**
 * Asks claude for the window of its model and for what a session begins with. Undefined: it does not tell.
 *
 * @param model the user's; undefined: claude's default
 */
export async function askFreshContext(stage: Stage, model: string | undefined): Promise<FreshContext | undefined> {
  const claude = await stage.start({ args: model === undefined ? [] : ['--model', model] });
  // Not the summary: the parts are counted by the API, for which the stand-in estimates.
  const { ok, response } = await claude.ask({ subtype: 'get_context_usage' });
  const window = countOf(response.rawMaxTokens);
  if (!ok || window === undefined || window === 0) return undefined;
  return { model: textOf(response.model), window, prefix: countOf(response.totalTokens) ?? 0 };
}

/** Levels that a fresh context must be below, or they are crossed by the first call. */
const LEVELS = ['thresholds.warn', 'thresholds.compact', 'thresholds.handoff', 'thresholds.midTurn'] as const;

/**
 * Whether the levels of a configuration can ever be crossed beside claude's own trigger, and are not crossed at once.
 *
 * @param isTaken the user has put claude's trigger somewhere himself, or switched it off
 */
export function judgeThresholds(config: Config, fresh: FreshContext, isTaken: boolean): Remark[] {
  const window = config.window ?? fresh.window;
  const placed = isTaken || config.observe ? undefined : restingTrigger(config, window)?.at;
  // A window that is set moves no trigger that claude keeps.
  const trigger = placed ?? fresh.window - NATIVE_RESERVE_TOKENS;
  const remarks = [
    ...neverCrossed(config, window, isTaken ? undefined : trigger),
    ...crossedAtOnce(config, window, fresh.prefix),
  ];
  if (remarks.length > 0) return remarks;
  const own = isTaken
    ? ''
    : `, claude's own compaction ${placed === undefined ? 'is' : 'is placed'} at ${tokens(trigger)}`;
  const text = `${relief(config, window)} of ${tokens(window)} tokens${own}, a fresh context has about ${tokens(fresh.prefix)}`;
  return [{ status: 'good', subject: 'thresholds', text }];
}

function relief(config: Config, window: number): string {
  if (config.compaction.enabled) return `compact at ${tokens(inTokens(config.thresholds.compact, window))}`;
  return `hand over at ${tokens(handoffLevel(config, window))}`;
}

function neverCrossed(config: Config, window: number, trigger: number | undefined): Remark[] {
  const level = inTokens(config.thresholds.compact, window);
  if (!config.compaction.enabled || trigger === undefined || level < trigger) return [];
  const text = `${tokens(level)} tokens are never reached: claude compacts by itself at ${tokens(trigger)} of ${tokens(window)}`;
  const todo = `lower it below ${tokens(trigger)}`;
  return [{ status: 'warning', subject: 'thresholds.compact', text, todo }];
}

function crossedAtOnce(config: Config, window: number, prefix: number): Remark[] {
  const sizeOf = (key: KeyPath) =>
    key === 'thresholds.handoff' ? handoffLevel(config, window) : inTokens(Number(valueAt(config, key)), window);
  const remarks = LEVELS.filter((key) => sizeOf(key) <= prefix).map((key): Remark => {
    const text = `${tokens(sizeOf(key))} tokens are crossed by the first call: a fresh context has about ${tokens(prefix)}`;
    return { status: 'warning', subject: key, text, todo: `raise it above ${tokens(prefix)}` };
  });
  if (sizeOf('compaction.target') > prefix) return remarks;
  const text = `no compaction can land below it: a fresh context has about ${tokens(prefix)}, so each leads to a handoff`;
  return [
    ...remarks,
    { status: 'warning', subject: 'compaction.target', text, todo: `raise it above ${tokens(prefix)}` },
  ];
}
