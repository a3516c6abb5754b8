import { isAnswered, type LoggedCall, type LoggedCalls } from '../../claude/logged-calls.ts';
import { isInjectedTurn } from '../../core/governor/conversation/visibility.ts';
import { runCostUsd } from '../../core/governor/cost/cost.ts';
import { isMessage } from '../../core/governor/facts.ts';
import { isExact, isRepeat } from '../../core/governor/relief/exact.ts';
import type { GovernorState } from '../../core/governor/state.ts';
import { usesIn } from '../../core/protocol/blocks.ts';
import type { Event, ResultEvent } from '../../core/protocol/events.ts';
import {
  type Fields,
  fieldsOf,
  isFields,
  jsonText,
  mapFields,
  numberOf,
  ownOf,
  parseFields,
} from '../../core/protocol/fields.ts';
import { withMembers } from '../../core/protocol/json-spans.ts';
import type { Usage } from '../../core/protocol/usage.ts';

export type ModelUsage = Fields;

/** A turn as the caller sees it; it may consist of several claude turns. */
export type WholeTurn = Readonly<typeof NEW_TURN>;

const NEW_TURN = {
  /** Lines that claude counts as round trips. */
  steps: 0,
  /** Tool calls without a result yet. */
  pending: 0,
  /** Whether ctxb compacted during the turn, or started it again. */
  hasParts: false,
  /** Durations and usage of all parts but the last. */
  parts: {} as Fields,
};

/** The figures of a run for the process that resumes it. */
export interface KeptFigures {
  /** Usage up to the last result. */
  readonly models: ModelUsage;
  /** Time of the last result. */
  readonly at: number;
  /** The turn since the last result. */
  readonly turn: WholeTurn;
  readonly times: { readonly begun: number; readonly last: number };
}

/** The figures of the run that this one resumes. */
export interface EarlierFigures extends KeptFigures {
  /** Its calls since the last result. */
  readonly calls: LoggedCalls;
  readonly usd: number;
}

export type WholeResults = ReturnType<typeof createWholeResults>;

/**
 * Corrects the figures in the caller's results. claude resets its counters at `/clear` and in each process. If ctxb
 * caused that, results have the sums over the run; for an interrupted turn they have the sums over its parts.
 *
 * @param before undefined for a new run
 * @param lost `lost` of an earlier run, whose session the user resumes
 */
export function createWholeResults(before?: EarlierFigures, lost?: ModelUsage) {
  let wasReset = lost !== undefined;
  /** Usage up to the last reset of claude's counters, and since. */
  let base: ModelUsage = before?.models ?? {};
  let since: ModelUsage = {};
  let sinceUsd = 0;
  /** The value of `base` if claude's new process continues the session's counters. */
  let baseIfContinued: ModelUsage | undefined;
  /** Earlier cost of a session that the user resumes, if claude counts it or ctxb has reset it. */
  let earlierUsd = 0;
  /** Undefined after the first result, which shows whether claude continues the counters of the session. */
  let earlierModels = lost;
  /** Calls since the last result, by message id. */
  const open = new Map<string, OpenCall>();
  let turn: WholeTurn = before?.turn ?? NEW_TURN;
  /** Figures that the caller has received: the number of results, and the sums in the last one. */
  let reported = { count: 0, at: before?.at ?? 0, models: base };
  /** Whether claude has written a result that the caller did not get. */
  let isHiding = false;
  let times = before?.times ?? { begun: 0, last: 0 };
  if (before !== undefined) {
    correct(before.calls);
    onRestart();
    base = withCost(base, before.usd);
    baseIfContinued = {};
  }

  function seeResult(result: ResultEvent, line: string, isOwn: boolean, isShown: boolean): WholeTurn {
    const fields = parseFields(line);
    const { costUsd = sinceUsd } = result;
    if (costUsd < sinceUsd) {
      base = addModels(base, since);
      wasReset ||= isOwn;
    }
    since = fieldsOf(fields.modelUsage);
    sinceUsd = costUsd;
    open.clear();
    const seen = turn;
    isHiding ||= !isShown;
    if (!isOwn && !isShown) turn = withPart(turn, partOf(fields));
    return seen;
  }

  function noteCall({ messageId, model, usage, subagent }: LoggedCall): void {
    open.set(messageId, { model, usage, isMain: subagent === null });
  }

  /** Takes the final token counts of calls from claude's log. */
  function correct(calls: LoggedCalls): void {
    for (const call of calls.values()) noteCall(call);
  }

  /** Another process replaces claude. Calls that the last process has not reported are known only from their lines. */
  function onRestart(): void {
    const calls = [...open.values()];
    const main = calls.filter(({ isMain }) => isMain);
    baseIfContinued = calls.reduce((sum, call) => addModels(sum, callUsage(call)), base);
    base = addModels(baseIfContinued, since);
    [since, sinceUsd, wasReset] = [{}, 0, true];
    open.clear();
    if (main.length === 0) return;
    const usage = main.reduce((sum, call) => addModels(sum, usageOf(call)), {} as Fields);
    // No line contains the results of pending calls, because claude generates them when it resumes.
    const endedTurn = { ...turn, steps: turn.steps + turn.pending, pending: 0 };
    turn = withPart(endedTurn, { duration_ms: Math.max(0, times.last - times.begun), usage });
  }

  function settleEarlier(claudeUsd: number, state: GovernorState): void {
    if (wasReset && earlierModels === undefined) return;
    earlierUsd = Math.max(0, claudeUsd - runCostUsd(state));
    if (earlierModels !== undefined && earlierUsd > LEAST_USD) {
      base = earlierModels;
      earlierUsd += usdOf(base);
    }
    earlierModels = undefined;
  }

  /** If the newest process continues the counters, its figures are not added to the earlier ones. */
  function adjustBase(usd: number): void {
    if (baseIfContinued === undefined) return;
    const distanceOf = (models: ModelUsage) => Math.abs(usd - usdOf(addModels(models, since)));
    if (distanceOf(baseIfContinued) < distanceOf(base)) base = baseIfContinued;
    baseIfContinued = undefined;
  }

  /** Sums by model. Their costs add up to `usd`. */
  function wholeModels(usd: number): ModelUsage {
    if (!wasReset) return since;
    adjustBase(usd);
    return withCost(addModels(base, since), usd);
  }

  return {
    get areChanged() {
      return wasReset || isHiding || turn.hasParts;
    },
    /** Called for each line before it is processed. @returns the turn that a result ends */
    see(event: Event, line: string, state: GovernorState, isShown: boolean): WholeTurn {
      const isOwn = isInjectedTurn(state);
      times = { begun: state.turn.phase === 'running' ? times.begun : state.facts.now, last: state.facts.now };
      if (event.kind === 'result') {
        reported = { ...reported, at: state.facts.now };
        return seeResult(event, line, isOwn, isShown);
      }
      if (isRepeat(state, event)) return turn;
      if (isAnswered(event) && event.messageId !== '') noteCall(event);
      if (!isOwn) turn = countEvent(turn, event, state);
      return turn;
    },
    judged: ({ costUsd = 0 }: ResultEvent, state: GovernorState) => settleEarlier(costUsd, state),
    /** The caller gets the result, so the next line belongs to another turn. */
    shown(): void {
      turn = NEW_TURN;
      reported = { ...reported, count: reported.count + 1, models: wasReset ? reported.models : since };
    },
    restarted: onRestart,
    correct,
    get reportedAt() {
      return reported.at;
    },
    /** Usage that claude's counters lack, for a later run that resumes the session; undefined if they are whole. */
    lost: (state: GovernorState): ModelUsage | undefined =>
      wasReset ? withCost(base, runCostUsd(state) + earlierUsd - sinceUsd) : undefined,
    kept: (): KeptFigures => ({ models: addModels(base, since), at: reported.at, turn, times }),
    /** The line of a result with corrected figures. @param state after the result was processed */
    whole(line: string, ended: WholeTurn, state: GovernorState): string {
      if (!wasReset && !isHiding && !ended.hasParts) return line;
      const fields = parseFields(line);
      const claudeUsd = numberOf(fields.total_cost_usd) ?? 0;
      settleEarlier(claudeUsd, state);
      const usd = Math.max(claudeUsd, runCostUsd(state) + earlierUsd);
      const models = wholeModels(usd);
      const news = addModels(models, reported.models, -1);
      reported = { ...reported, models };
      const sums = { ...addModels(ended.parts, partOf(fields)), num_turns: ended.steps + 1 };
      const changes: Fields = {
        ...(wasReset && { total_cost_usd: usd, modelUsage: models }),
        result_index: reported.count,
        model_usage_since_last_result: news,
        ...(ended.hasParts && fields.num_turns !== 0 && sums),
      };
      return withMembers(line, (value, name) => jsonText(ownOf(changes, name)) || value);
    },
  };
}

/** US dollars. A smaller difference comes from rounding. */
const LEAST_USD = 1e-6;

/** A call without its long texts. */
interface OpenCall {
  readonly model: string | undefined;
  readonly usage: Usage;
  readonly isMain: boolean;
}

/** claude counts a round trip for each result of a tool, and one for a summary of its own. */
function countEvent(turn: WholeTurn, event: Event, state: GovernorState): WholeTurn {
  if (event.kind === 'boundary') {
    return isExact(state) ? { ...turn, hasParts: true } : { ...turn, steps: turn.steps + 1 };
  }
  if (!isMessage(event)) return turn;
  if (event.kind === 'assistant') {
    const toolCalls = usesIn(event.blocks).length;
    return toolCalls === 0 ? turn : { ...turn, pending: turn.pending + toolCalls };
  }
  return event.role === 'tool-result'
    ? { ...turn, steps: turn.steps + 1, pending: Math.max(0, turn.pending - 1) }
    : turn;
}

function withPart(turn: WholeTurn, part: Fields): WholeTurn {
  return { ...turn, hasParts: true, parts: addModels(turn.parts, part) };
}

function partOf({ duration_ms, duration_api_ms, usage }: Fields): Fields {
  return { duration_ms, duration_api_ms, usage };
}

function usageOf({ usage }: { readonly usage: Usage }): Fields {
  return {
    input_tokens: usage.input,
    cache_creation_input_tokens: usage.cacheCreation,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens: usage.output,
  };
}

function callUsage({ model = '', usage }: OpenCall): ModelUsage {
  const { input, output, cacheRead, cacheCreation } = usage;
  const tokens = { inputTokens: input, outputTokens: output };
  return { [model]: { ...tokens, cacheReadInputTokens: cacheRead, cacheCreationInputTokens: cacheCreation } };
}

/** Adds the missing cost to the first model, so that the costs of the models add up to `usd`. */
function withCost(models: ModelUsage, usd: number): ModelUsage {
  const [first] = Object.keys(models);
  return first === undefined ? models : addModels(models, { [first]: { costUSD: usd - usdOf(models) } });
}

function usdOf(models: ModelUsage): number {
  return Object.values(models).reduce<number>((sum, use) => sum + (numberOf(fieldsOf(use).costUSD) ?? 0), 0);
}

/** Figures that are sizes, so they are not added up. */
const SIZES: ReadonlySet<string> = new Set(['contextWindow', 'maxOutputTokens']);

/** Adds or subtracts the numbers of two objects, at every depth. Other values come from the second one. */
function addModels(first: Fields, second: Fields, sign: 1 | -1 = 1): Fields {
  const sums = mapFields(second, (value, name) => {
    if (isFields(value)) return addModels(fieldsOf(first[name]), value, sign);
    const isSum = typeof value === 'number' && !SIZES.has(name);
    return isSum ? (numberOf(first[name]) ?? 0) + sign * value : value;
  });
  return { ...first, ...sums };
}
