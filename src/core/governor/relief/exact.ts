import { answeredIn, isTaskReport, textsOf } from '../../protocol/blocks.ts';
import type { AssistantEvent, ControlRequestEvent, Event, UserEvent } from '../../protocol/events.ts';
import { TOO_LARGE } from '../../protocol/exact-plan.ts';
import { fieldsOf } from '../../protocol/fields.ts';
import { hasNoInput } from '../../protocol/usage.ts';
import { isMainMessage, isMessage } from '../facts.ts';
import { estimateTokens, measureContent } from '../gauge/estimator.ts';
import { changedGauge, isCharactersOnly, prefixOf } from '../gauge/gauge.ts';
import type { Prompt } from '../input.ts';
import { inTokens } from '../policy.ts';
import { promptsInTurn, sentPrompts } from '../prompts/mailbox.ts';
import { isOwnUuid } from '../prompts/own-lines.ts';
import { promptsAsText, requestsIn } from '../prompts/prompt.ts';
import type { GovernorState } from '../state.ts';
import { changed, changedIn, decide, isCompacting, type Line } from '../steps.ts';
import { type ExactState, NOT_EXACT } from './relief-state.ts';

/**
 * In an exact compaction, ctxb's mod inside claude answers without an API call. ctxb loads the mod into the running
 * claude when a relief comes near. `plan.json` contains the mod's task, `receipt.json` its result.
 */
export function newExact(isWanted: boolean): ExactState {
  return isWanted ? { ...NOT_EXACT, phase: 'unarmed' } : NOT_EXACT;
}

/** Whether the mod answers the next compaction. */
export function isExactPossible({ relief: { exact } }: GovernorState): boolean {
  return exact.phase === 'ready';
}

/** The first version of Claude Code that runs mods by default (2.1.285 does not). */
export const FIRST_WITH_MODS = '2.1.286';

/** Minimum size of the context, in tokens, at which a relief can pay. Below it, ctxb does not prepare for reliefs. */
export const MIN_RELIEVED = 40_000;

/** Bounds of the tokens that the mod keeps. */
const MAX_KEPT = 60_000;
const MIN_KEPT = 5_000;

/** Records the texts of a prompt for the mod. */
export function recordPrompt(state: GovernorState, prompt: Prompt): GovernorState {
  const isOwn = prompt.command !== undefined || isOwnUuid(state, prompt.uuid);
  if (state.relief.exact.phase === 'off' || isOwn) return state;
  const { prompts, size } = state.relief.exact;
  const { blocks } = prompt.event;
  const texts = textsOf(blocks).filter((text) => text.trim() !== '' && !prompts.includes(text));
  const [all, unseen] = [blocks, blocks.filter(({ type }) => type !== 'text')].map((part) =>
    estimateTokens(measureContent(part), state.gauge.calibration),
  ) as [number, number];
  return changedIn(state, 'exact', {
    prompts: [...prompts, ...texts],
    size: { all: size.all + all, unseen: size.unseen + unseen },
  });
}

/**
 * Records the size of what claude adds to prompts: mentioned files, the output of their commands, documents. It stays
 * with them, and the first call measures it.
 */
export function recordAttachments(state: GovernorState, { before }: Line): GovernorState {
  const { used, lastPrediction = used } = state.gauge;
  if (before.turn.calls > 0 || !promptsInTurn(state).some(mayAttach)) return state;
  // The first call of all also measures the system prompt and the tools.
  return before.gauge.calls === 0
    ? changedIn(state, 'exact', { isFirstUnsized: true })
    : addAttachments(state, used - lastPrediction);
}

/**
 * Takes what claude has added to the first prompt from the size of the system prompt and the tools.
 * @param fixed claude's estimate of these two, in tokens
 */
export function sizeFirstAttachments(state: GovernorState, fixed: number): GovernorState {
  const { relief, gauge } = state;
  if (!relief.exact.isFirstUnsized) return state;
  const sized = changedIn(state, 'exact', { isFirstUnsized: false });
  if (fixed === 0) return sized;
  const first = Math.min(prefixOf(gauge), Math.round(fixed * MAX_FIXED_FACTOR));
  return addAttachments(changed(sized, { gauge: changedGauge(gauge, { first }) }), prefixOf(gauge) - first);
}

/**
 * Maximum tokens of the system prompt and the tools, as a factor of claude's estimate. claude counts four characters as
 * a token, and leaves out the lists that it adds to each first message (2.1.332).
 */
const MAX_FIXED_FACTOR = 1.7;

function addAttachments(state: GovernorState, tokens: number): GovernorState {
  if (state.relief.exact.phase === 'off' || tokens <= 0) return state;
  const { all, unseen } = state.relief.exact.size;
  return changedIn(state, 'exact', { size: { all: all + tokens, unseen: unseen + tokens } });
}

function mayAttach({ text, event, command }: Prompt): boolean {
  return /(?:^|\s)@\S/.test(text) || command !== undefined || event.blocks.some(({ type }) => type === 'document');
}

/** Records prompts that claude sends within a turn, together with the results of tools. */
export function recordMidTurnPrompts(state: GovernorState, { before, event }: Line): GovernorState {
  if (state.relief.exact.phase === 'off' || !isMainMessage(event)) return state;
  const [after] = answeredIn(event.blocks);
  if (after === undefined) return state;
  const delivered = sentPrompts(state).length > 0 ? [] : sentPrompts(before).map(({ text }) => ({ text, after }));
  return changedIn(state, 'exact', { lastCall: after, midTurn: [...state.relief.exact.midTurn, ...delivered] });
}

/** Records the report of a background task that claude adds to the running turn. */
export function recordTaskReport(state: GovernorState, { request }: ControlRequestEvent): GovernorState {
  const { hook_event_name: hook, prompt } = fieldsOf(request.input);
  const { phase, midTurn, lastCall } = state.relief.exact;
  const isInTurn = state.turn.phase === 'running' && hook === 'UserPromptSubmit' && isTaskReport(prompt);
  if (phase === 'off' || !isInTurn) return state;
  return changedIn(state, 'exact', { midTurn: [...midTurn, { text: prompt, after: lastCall }] });
}

/** Announces once that a compaction is not exact. */
export function announceNotExact(state: GovernorState): GovernorState {
  const { why } = state.relief.exact;
  if (why === undefined) return state;
  return decide(changedIn(state, 'exact', { why: undefined }), 'unavailable:exact', why);
}

/**
 * Maximum tokens that the mod keeps: the target without the system prompt and the tools.
 *
 * @param used tokens of contents that are likely to be used again
 */
export function keptTokensLimit({ gauge, run, relief }: GovernorState, used = 0): number {
  const room = inTokens(run.policy.compaction.target, gauge.window.tokens) - prefixOf(gauge);
  return Math.min(MAX_KEPT + used, Math.max(MIN_KEPT, Math.round(room) - relief.exact.size.unseen));
}

/**
 * Maximum tokens of contents that the mod keeps beside the prompts.
 * @param wanted tokens of the contents that should stay
 */
export function roomForContents(state: GovernorState, wanted: number): number {
  const { all, unseen } = state.relief.exact.size;
  return CONTENTS_SHARE * (keptTokensLimit(state, wanted) - (all - unseen) - NOTE_TOKENS);
}

/** Share of the room for contents. The mod needs the rest for lines and answers. */
const CONTENTS_SHARE = 0.9;

/** Tokens of the note that the mod adds, and of the text around its lines. */
export const NOTE_TOKENS = 1_600;

/** Whether the current compaction is exact, so that prompts and work stay in the context. */
export function isExact({ relief: { exact } }: GovernorState): boolean {
  return exact.receipt?.answered === true;
}

/** Updates the state after the context was replaced: by the mod's answer, or by a summary. */
export function updateExact(state: GovernorState, event: Event): GovernorState {
  if (event.kind === 'compact-status' && event.phase === 'failed')
    return changedIn(state, 'exact', { receipt: undefined });
  if (event.kind === 'reset') return changedIn(state, 'exact', NO_PROMPTS);
  if (event.kind !== 'boundary') return endsRepeats(state, event) ? changedIn(state, 'exact', NO_REPEATS) : state;
  const { relief } = state;
  const { receipt } = relief.exact;
  // The conversation or its summary now contains the prompts of the turn.
  const turnEnded = changedIn(state, 'exact', { receipt: undefined, midTurn: [] });
  if (receipt?.answered) {
    const repeats = event.trigger === 'auto' ? receipt.after.messages : 0;
    return changedIn(turnEnded, 'exact', { repeats, refusals: 0 });
  }
  // A recording does not say whether a compaction was exact. Repeated messages after it show that. The stream repeats
  // kept messages only after a compaction within a turn, a log always.
  const { trigger, timestamp } = event;
  const mayEcho = trigger === 'auto' || timestamp !== undefined;
  if (state.run.mode === 'replay')
    return mayEcho ? changedIn(turnEnded, 'exact', { repeats: ANY_COUNT, repeatsUntil: timestamp }) : turnEnded;
  return handleSummary(changedIn(turnEnded, 'exact', promptsAfterSummary(state)), receipt?.why);
}

/** The prompts that the mod must know after a summary. The mod does not see text that a hook gives back. */
function promptsAfterSummary(state: GovernorState): Partial<ExactState> {
  const missing = promptsLostToSummary(state);
  if (missing.length === 0 || state.relief.exact.phase === 'off') {
    const { prompts, size } = promptsInTurn(state).reduce(recordPrompt, changedIn(state, 'exact', NO_PROMPTS)).relief
      .exact;
    return { ...NO_PROMPTS, prompts, size };
  }
  const { text } = promptsAsText(state, missing, GIVEN_BACK_OPENING);
  return { ...NO_PROMPTS, prompts: [text], midTurn: [{ text, after: '' }] };
}

const NO_PROMPTS = { prompts: NOT_EXACT.prompts, size: NOT_EXACT.size, isFirstUnsized: false };

/** Prompts of the turn that a summary removes. Before the first call of a turn, claude keeps them. */
export function promptsLostToSummary(state: GovernorState): readonly Prompt[] {
  const { turn } = state;
  const isMidTurn = !isCompacting(state) && turn.phase === 'running' && turn.calls > 0;
  return requestsIn(isMidTurn ? promptsInTurn(state) : []);
}

/** Opening of the text that gives prompts back to the agent. */
export const GIVEN_BACK_OPENING = 'The context was compacted while you were working. What this turn is to answer';

/** Reports why the model wrote a summary although the mod was loaded. */
function handleSummary(over: GovernorState, reason: string | undefined): GovernorState {
  const { phase, refusals: before } = over.relief.exact;
  if (phase !== 'ready') return announceNotExact(over);
  const why = reason ?? 'the mod did not answer';
  // The mod works, so the next compaction may be exact.
  const refusals = why === TOO_LARGE ? before : before + 1;
  if (refusals >= MAX_REFUSALS) return announceNotExact(changedIn(over, 'exact', { phase: 'off', why, refusals }));
  return decide(changedIn(over, 'exact', { refusals }), 'unavailable:exact-once', why);
}

/**
 * Refusals in a row after which ctxb no longer uses the mod. A summary usually removes the cause of a single refusal.
 */
const MAX_REFUSALS = 2;

/** Whether claude is loading the mod. */
export function isModLoading({ relief: { exact } }: GovernorState): boolean {
  return exact.phase === 'arming' || exact.phase === 'late';
}

/** Whether the mod may have caused a line from claude. */
export function mayComeFromMod(state: GovernorState): boolean {
  return state.relief.exact.repeats > 0 || isModLoading(state);
}

const ANY_COUNT = Number.MAX_SAFE_INTEGER;
export const NO_REPEATS = { repeats: 0, repeatsUntil: undefined };

/** Whether claude has repeated all kept messages: it writes new content, or a summary. */
function endsRepeats({ relief: { exact } }: GovernorState, event: Event): boolean {
  if (exact.repeats === 0) return false;
  return event.kind === 'result' || isMessage(event);
}

/**
 * Whether a line repeats a kept message. After an exact compaction, claude writes one line for each. Repeated answers
 * have no usage. In a session log, repeated lines are older than the compaction.
 */
export function isRepeat({ relief: { exact }, gauge }: GovernorState, event: Event): boolean {
  if (exact.repeats === 0 || !canBeRepeat(event)) return false;
  if (exact.repeatsUntil !== undefined && event.timestamp !== undefined) return event.timestamp <= exact.repeatsUntil;
  if (event.kind === 'user') return event.toolReport === undefined;
  return event.isSynthetic || (!isCharactersOnly(gauge) && (event.usage === undefined || hasNoInput(event.usage)));
}

/** Whether a line may repeat a kept message: a message of the main thread, but no summary. */
export function canBeRepeat(event: Event): event is UserEvent | AssistantEvent {
  return isMessage(event) && !isMainMessage(event, 'summary');
}

export function countRepeat(state: GovernorState): GovernorState {
  return changedIn(state, 'exact', { repeats: state.relief.exact.repeats - 1 });
}
