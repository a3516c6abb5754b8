import { answeredIn, isTaskReport, textsOf } from '../../protocol/blocks.ts';
import type { AssistantEvent, ControlRequestEvent, Event, UserEvent } from '../../protocol/events.ts';
import { TOO_LARGE } from '../../protocol/exact-plan.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import { isAllZero } from '../../protocol/usage.ts';
import { isMainMessage, isMessage } from '../facts.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { isCharactersOnly } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { inTokens } from '../policy.ts';
import { promptsInTurn, sentPrompts } from '../prompts/mailbox.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import { promptsAsText, requestsIn } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decide, isCompacting, type Line } from '../steps.ts';
import { type Exact, NOT_EXACT } from './relief-state.ts';

/**
 * Exact compactions: ctxb's mod inside claude answers a compaction itself, without an API call. ctxb loads it into the
 * running claude when a relief comes near. Then `plan.json` contains its task, and `receipt.json` its result.
 */
export function newExact(isWanted: boolean): Exact {
  return isWanted ? { ...NOT_EXACT, phase: 'unarmed' } : NOT_EXACT;
}

/** Whether the mod answers the next compaction. */
export function exactIsPossible({ relief: { exact } }: GovernorState): boolean {
  return exact.phase === 'ready';
}

/** The first Claude Code that runs mods by default (tried: 2.1.285 does not). */
export const FIRST_WITH_MODS = '2.1.286';

/** Size of the context, in tokens, below which no relief pays. Short sessions so avoid the preparations for reliefs. */
export const MIN_RELIEVED = 40_000;

/** Upper and lower bound of the tokens that stay. */
const MAX_KEPT = 60_000;
const MIN_KEPT = 5_000;

/** Records the caller's messages for the mod. */
export function noteSaid(state: GovernorState, prompt: Prompt): GovernorState {
  const isOwn = prompt.command !== undefined || isOwnUuid(state, prompt.uuid);
  if (state.relief.exact.phase === 'off' || isOwn) return state;
  const { prompts, size } = state.relief.exact;
  const { blocks } = prompt.event;
  const texts = textsOf(blocks).filter((text) => text.trim() !== '' && !prompts.includes(text));
  const [all, unseen] = [blocks, blocks.filter(({ type }) => type !== 'text')].map((these) =>
    estimateTokens(measureContent(these), state.gauge.calibration),
  ) as [number, number];
  return changedIn(state, 'exact', {
    prompts: [...prompts, ...texts],
    size: { all: size.all + all, unseen: size.unseen + unseen },
  });
}

/** Records prompts within a turn: claude sends them together with the results of tools. */
export function noteMidTurn(state: GovernorState, { before, event }: Line): GovernorState {
  if (state.relief.exact.phase === 'off' || !isMainMessage(event)) return state;
  const [after] = answeredIn(event.blocks);
  if (after === undefined) return state;
  const delivered = sentPrompts(state).length > 0 ? [] : sentPrompts(before).map(({ text }) => ({ text, after }));
  return changedIn(state, 'exact', { lastCall: after, midTurn: [...state.relief.exact.midTurn, ...delivered] });
}

/** Records the report of a background task that claude adds to the running turn. */
export function noteReport(state: GovernorState, { request }: ControlRequestEvent): GovernorState {
  const { hook_event_name: hook, prompt } = fieldsOf(request.input);
  const { phase, midTurn, lastCall } = state.relief.exact;
  const isTold = state.turn.phase === 'running' && hook === 'UserPromptSubmit' && isTaskReport(prompt);
  if (phase === 'off' || !isTold) return state;
  return changedIn(state, 'exact', { midTurn: [...midTurn, { text: prompt, after: lastCall }] });
}

/** Announces once, at a compaction, that it is not exact. */
export function tellNotExact(state: GovernorState): GovernorState {
  const { why } = state.relief.exact;
  if (why === undefined) return state;
  return decide(changedIn(state, 'exact', { why: undefined }), 'unavailable:exact', why);
}

/**
 * Tokens that the mod may keep: the target without the system prompt and the tools.
 *
 * @param used tokens of contents that are likely to be used again
 */
export function budgetOf({ gauge, run, relief }: GovernorState, used = 0): number {
  const room = inTokens(run.policy.compaction.target, gauge.window.tokens) - (gauge.first ?? 0);
  return Math.max(MIN_KEPT, Math.min(MAX_KEPT + used, Math.round(room))) - relief.exact.size.unseen;
}

/** Tokens of contents that the mod can keep in addition to the prompts. @param wanted tokens of those that should stay */
export function roomOfContents(state: GovernorState, wanted: number): number {
  const { all, unseen } = state.relief.exact.size;
  return USED_SHARE * (budgetOf(state, wanted) - (all - unseen) - NOTE_TOKENS);
}

/** The mod leaves the rest of the room to lines and answers. */
const USED_SHARE = 0.9;

/** Tokens of the note, and of the text around lines. */
export const NOTE_TOKENS = 1_600;

/** Whether the current compaction is exact, so that prompts and work stay in the context. */
export function isExact({ relief: { exact } }: GovernorState): boolean {
  return exact.receipt?.answered === true;
}

/** Handles a replaced context: by the mod's answer, or by a summary although the mod should have answered. */
export function followExact(state: GovernorState, event: Event): GovernorState {
  if (event.kind === 'compact-status' && event.phase === 'failed')
    return changedIn(state, 'exact', { receipt: undefined });
  if (event.kind === 'reset') return changedIn(state, 'exact', NO_PROMPTS);
  if (event.kind !== 'boundary') return endsEchoes(state, event) ? changedIn(state, 'exact', NO_ECHO) : state;
  const { relief } = state;
  const { receipt } = relief.exact;
  // Prompts within the turn are now part of the conversation, or of its summary.
  const turnEnded = changedIn(state, 'exact', { receipt: undefined, midTurn: [] });
  if (receipt?.answered) {
    const echoes = event.trigger === 'auto' ? receipt.after.messages : 0;
    return changedIn(turnEnded, 'exact', { echoes, refusals: 0 });
  }
  // A recording does not show the kind of compaction; the next lines do. The stream repeats kept messages only within a
  // turn, a log always.
  const { trigger, timestamp } = event;
  const mayEcho = trigger === 'auto' || timestamp !== undefined;
  if (state.run.mode === 'replay')
    return mayEcho ? changedIn(turnEnded, 'exact', { echoes: ANY_COUNT, until: timestamp }) : turnEnded;
  return onSummary(changedIn(turnEnded, 'exact', knownAfterSummary(state)), receipt?.why);
}

/** Prompts for the mod after a summary. The mod does not see text that a hook gives back. */
function knownAfterSummary(state: GovernorState): Partial<Exact> {
  const missing = lostPrompts(state);
  if (missing.length === 0 || state.relief.exact.phase === 'off') {
    const { prompts, size } = promptsInTurn(state).reduce(noteSaid, changedIn(state, 'exact', NO_PROMPTS)).relief.exact;
    return { prompts, size };
  }
  const { text } = promptsAsText(state, missing, GIVEN_BACK);
  return { ...NO_PROMPTS, prompts: [text], midTurn: [{ text, after: '' }] };
}

const NO_PROMPTS = { prompts: NOT_EXACT.prompts, size: NOT_EXACT.size };

/** Prompts that a summary within a turn removes. Before the first call of a turn claude keeps them. */
export function lostPrompts(state: GovernorState): readonly Prompt[] {
  const { turn } = state;
  const isMidTurn = !isCompacting(state) && turn.phase === 'running' && turn.calls > 0;
  return requestsIn(isMidTurn ? promptsInTurn(state) : []);
}

/** Opening of the prompts that the agent gets back. */
export const GIVEN_BACK = 'The context was compacted while you were working. What this turn is to answer';

/** Handles a summary in place of an exact compaction. */
function onSummary(over: GovernorState, reason: string | undefined): GovernorState {
  const { phase, refusals: before } = over.relief.exact;
  if (phase !== 'ready') return tellNotExact(over);
  if (reason === TOO_LARGE) return over;
  const why = reason ?? 'the mod did not answer';
  const refusals = before + 1;
  if (refusals >= MAX_REFUSALS) return tellNotExact(changedIn(over, 'exact', { phase: 'off', why, refusals }));
  return decide(changedIn(over, 'exact', { refusals }), 'unavailable:exact-once', why);
}

/**
 * Refusals in a row after which compactions are claude's own. A summary usually removes the cause of a single refusal.
 */
const MAX_REFUSALS = 2;

/** Whether claude is loading the mod, maybe late. */
export function isLoading({ relief: { exact } }: GovernorState): boolean {
  return exact.phase === 'arming' || exact.phase === 'late';
}

/** Whether lines from claude may come from the mod. */
export function mentionsMod(state: GovernorState): boolean {
  return state.relief.exact.echoes > 0 || isLoading(state);
}

const ANY_COUNT = Number.MAX_SAFE_INTEGER;
export const NO_ECHO = { echoes: 0, until: undefined };

/** Whether the repeated messages have ended: new content begins, or a summary shows that no message is repeated. */
function endsEchoes({ relief: { exact } }: GovernorState, event: Event): boolean {
  if (exact.echoes === 0) return false;
  return event.kind === 'result' || isMessage(event);
}

/**
 * Whether a line repeats a kept message: after an exact boundary claude writes one line for each. Repeated answers lack
 * their usage; in a session log they are older than the boundary.
 */
export function isEcho({ relief: { exact }, gauge }: GovernorState, event: Event): boolean {
  if (exact.echoes === 0 || !mayEcho(event)) return false;
  if (exact.until !== undefined && event.timestamp !== undefined) return event.timestamp <= exact.until;
  if (event.kind === 'user') return event.toolReport === undefined;
  return event.synthetic || (!isCharactersOnly(gauge) && (event.usage === undefined || isAllZero(event.usage)));
}

/** Whether a line can be a repeated message: any message of the main thread except a summary. */
export function mayEcho(event: Event): event is UserEvent | AssistantEvent {
  return isMessage(event) && !isMainMessage(event, 'summary');
}

export function afterEcho(state: GovernorState): GovernorState {
  return changedIn(state, 'exact', { echoes: state.relief.exact.echoes - 1 });
}
