import { usesIn } from '../../protocol/blocks.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../../protocol/events.ts';
import { countOf, countOrZero, type Fields, fieldsOf, listOf, mapFields, textOf } from '../../protocol/fields.ts';
import { hasNoInput } from '../../protocol/usage.ts';
import { AGENT_TOOLS, hasAgentLimits } from '../agents/agent-limits.ts';
import { type Cost, readCounter, readCounterAtStart, totalMicroUsd } from '../cost/cost.ts';
import { isAnswer, isMainMessage } from '../facts.ts';
import { changedGauge, predictedTokens, withReading } from '../gauge/gauge.ts';
import { isAlias, learnWindowOf } from '../gauge/model-windows.ts';
import { isKnown } from '../gauge/window.ts';
import { documentToGive } from '../operations/fresh-context.ts';
import { onModLoaded, prepareResumedSession } from '../operations/load-mod.ts';
import { levelOfPercent, NATIVE_RESERVE_TOKENS, type Policy } from '../policy.ts';
import { isLastTurn } from '../prompts/mailbox.ts';
import { askContext, askUsage, controlLine, isAsking, request } from '../prompts/own-lines.ts';
import { onInterruptAnswer } from '../prompts/turns.ts';
import { MIN_RELIEVED, sizeFirstAttachments } from '../relief/exact.ts';
import type { ControlPurpose, GovernorState } from '../state.ts';
import { changed, changedIn, clearTimer, decide, emit, isAnswered } from '../steps.ts';
import { answerCallback, CALLBACKS, hookOf, isToolHook } from './hook-callbacks.ts';
import { onTrigger } from './trigger.ts';

const LIMITED_TOOLS = 'Read|Grep|Glob';

/**
 * Whether the conversation begins empty, so that ctxb needs the window only from the second call on. Asking before the
 * first call would delay it.
 */
function hasNoContext(state: GovernorState): boolean {
  return !state.process.resumes && documentToGive(state) === undefined;
}

/**
 * Delays the answer to a tool's hook until the window is known, because the answer depends on it. After a tool, also
 * waits for the size of the previous call, which claude forgets at the next call. Undefined: no delay.
 */
export function delayToolHook(state: GovernorState, event: ControlRequestEvent): GovernorState | undefined {
  const { phase, hasAskedWindow, held, isCallUnsized } = state.process.control;
  // In a terminal, hooks have no control channel, so ctxb cannot ask claude.
  if (phase === 'closed') return undefined;
  const hook = hookOf(event.callbackId);
  const isUnsized = isCallUnsized && isToolHook(hook) && hook !== 'PreToolUse';
  const isDecidable =
    held.length === 0 && (isKnown(state.gauge.window) || (hasAskedWindow && !isAsking(state, 'context')));
  if (!isUnsized && (!isToolHook(hook) || !hasNoContext(state) || isDecidable)) return undefined;
  const waiting = changedIn(state, 'control', { held: [...held, event] });
  return hasAskedWindow && !isUnsized ? waiting : askContext(waiting);
}

export function giveUpAsking(state: GovernorState): GovernorState {
  const pending = mapFields(state.process.control.pending, (what) => (what === 'context' ? 'late-context' : what));
  return answerDelayedHooks(continueUnasked(changedIn(state, 'control', { pending })));
}

/** Answers delayed hooks one by one, because each answer reduces the room for the next one. */
export function answerDelayedHooks(state: GovernorState): GovernorState {
  const [first, ...held] = state.process.control.held;
  if (first === undefined || isAsking(state, 'context')) return state;
  const next = answerCallback(changedIn(state, 'control', { held }), first);
  if (held.length === 0) return emit(next, STOP_WAITING);
  return isAnswered(next, first.requestId) ? answerDelayedHooks(next) : next;
}

/** ctxb's hooks in the form of `initialize`. Without a `timeout`, because claude refuses the tool after one. */
function hooksFor(state: GovernorState): Fields {
  const { policy, singlePrompt } = state.run;
  const limitsTools = policy.tools.mode !== 'off' || hasAgentLimits(policy.agents);
  const wanted: Partial<Record<string, boolean>> = {
    // The hook is superfluous if no text goes with the first prompt, no other prompt follows, and no other run shares
    // the budget.
    UserPromptSubmit: singlePrompt !== true || !hasNoContext(state) || policy.cost.projectLimitUsd !== undefined,
    PostCompact: policy.memory.enabled,
    PreToolUse: limitsTools,
    PostToolUseFailure: limitsTools,
    PostToolUse: limitsTools || policy.zones.tellAgent || policy.strategy !== 'compact',
  };
  const hooks = Object.entries(CALLBACKS).filter(([name]) => wanted[name] !== false);
  return Object.fromEntries(
    hooks.map(([name, id]) => [name, [{ matcher: matcherOf(name, policy), hookCallbackIds: [id] }]]),
  );
}

/** The tools for which claude calls a hook. Only those that ctxb can limit, because claude waits for each hook. */
function matcherOf(name: string, { tools, agents }: Policy): string | null {
  if (name !== 'PreToolUse') return isToolHook(name) ? '*' : null;
  const wanted = [...(tools.mode === 'off' ? [] : [LIMITED_TOOLS]), ...(hasAgentLimits(agents) ? [AGENT_TOOLS] : [])];
  return `^(?:${wanted.join('|')})$`;
}

export function registeredHooks(state: GovernorState): string[] {
  return state.process.control.phase === 'closed' ? [] : Object.keys(hooksFor(state));
}

export function openControl(state: GovernorState): GovernorState {
  const body = withOwnHooks(state, state.process.control.initialize ?? { subtype: 'initialize' });
  return askAtStart(request(withOpening(state), 'initialize', body));
}

/** Merges ctxb's hooks into the caller's `initialize`. A second `initialize` would fail or replace the first one. */
export function mergeInitialize(state: GovernorState, callers: Fields, requestId: string): GovernorState {
  const line = controlLine(requestId, withOwnHooks(state, callers));
  const opened = withOpening(changedIn(state, 'control', { initialize: callers }));
  return askAtStart(emit(opened, { kind: 'send', line }));
}

/**
 * Refuses an unknown `--agent`. In stream-json mode, claude ignores it and works without the agent's limits. In other
 * modes claude refuses it with this text, except when it resumes a session.
 */
function checkAgent(state: GovernorState, { response }: ControlResponseEvent): GovernorState {
  const { agent } = state.run;
  const names = listOf(response.agents).map((known) => textOf(fieldsOf(known).name));
  if (agent === undefined || state.process.resumes || names.length === 0 || names.includes(agent)) return state;
  const line = `--agent '${agent}' not found. Available agents: ${names.join(', ')}`;
  return emit(changedIn(state, 'mailbox', { outcome: 'refused' }), { kind: 'relay', line });
}

/** Whether work must wait for claude's list of agents, because it starts as one of them. */
export function awaitsAgents(state: GovernorState): boolean {
  return state.run.agent !== undefined && !state.process.resumes && isAsking(state, 'initialize');
}

/** Asks for the list of agents. In observe mode, ctxb's only other request gives a resumed run its permissions. */
export function askAgents(state: GovernorState): GovernorState {
  const isNeeded = state.run.agent !== undefined && state.process.control.sent === 0;
  return isNeeded ? request(state, 'initialize', { subtype: 'initialize' }) : state;
}

/**
 * Asks a process for its context. If it resumes a session, also for its cost counter, which may include earlier costs.
 */
function askAtStart(state: GovernorState): GovernorState {
  if (hasNoContext(state) && !isKnown(state.gauge.window))
    return changedIn(state, 'control', { hasAskedWindow: false });
  const asking = askContext(state);
  return state.process.resumes ? askUsage(asking, 'usage') : asking;
}

/**
 * Asks for the context before the second call, for the sizes of calls that have none, and for the size of what claude has
 * added to the first prompt.
 */
export function askWhenNeeded(before: GovernorState, event: Event): GovernorState {
  const state = recordUnsizedCall(before, event);
  const { phase, hasAskedWindow, isCallUnsized } = state.process.control;
  const { exact } = state.relief;
  const isNeeded = !hasAskedWindow || (exact.isFirstUnsized && exact.phase !== 'off');
  const isDue = isNeeded
    ? hasNextCall(state, event)
    : isCallUnsized && (isMainMessage(event, 'tool-result') || event.kind === 'result');
  return phase === 'closed' || isAsking(state, 'context') || !isDue ? state : askContext(state);
}

/**
 * Records whether the last call has no size yet. Some gateways report the input of a call only at its end, and claude
 * does not pass that on.
 */
function recordUnsizedCall(state: GovernorState, event: Event): GovernorState {
  if (!isAnswer(event) || event.usage === undefined) return state;
  const isCallUnsized = hasNoInput(event.usage);
  const isSame = isCallUnsized === state.process.control.isCallUnsized;
  return isSame ? state : changedIn(state, 'control', { isCallUnsized });
}

/** Whether another call follows, before which a compaction may pay: after a tool or a prompt. */
function hasNextCall(state: GovernorState, event: Event): boolean {
  if (event.kind === 'result') return predictedTokens(state.gauge) >= MIN_RELIEVED && !isLastTurn(state);
  return isAnswer(event) && usesIn(event.blocks).length > 0;
}

function withOwnHooks(state: GovernorState, callers: Fields): Fields {
  const hooks = { ...fieldsOf(callers.hooks) };
  for (const [name, own] of Object.entries(hooksFor(state))) {
    hooks[name] = [...listOf(hooks[name]), ...listOf(own)];
  }
  return { ...callers, hooks };
}

/**
 * Sources of a window that a setting may have lowered: claude then reports the lesser of the setting and the model's
 * window. With any other source (`model-default`, `unknown-model`, `auto`, those of claude's own servers), the value is
 * the window that claude uses (2.1.197 to 2.1.332).
 */
const PLACED_SOURCES: readonly unknown[] = ['env', 'settings'];

type Response = (state: GovernorState, event: ControlResponseEvent) => GovernorState;

/** Handlers of claude's answers, by the purpose of the request. */
const ON_RESPONSE: { readonly [P in ControlPurpose]?: Response } = {
  initialize: checkAgent,
  context: (state, event) => answerDelayedHooks(onContext(state, event)),
  'late-context': (state, event) => answerDelayedHooks(onContext(state, event)),
  trigger: (state, { ok }) => onTrigger(state, ok),
  interrupt: onInterruptAnswer,
  'stop-task': (state, { ok }) => (ok ? state : reportUnstopped(state)),
  'load-mod': onModLoaded,
  usage: onCounter(readCounterAtStart),
  cost: onCounter(readCounter),
};

export function onOwnResponse(state: GovernorState, event: ControlResponseEvent): GovernorState {
  const { [event.requestId]: purpose = 'setting', ...pending } = state.process.control.pending;
  const answered = changedIn(state, 'control', { pending });
  return ON_RESPONSE[purpose]?.(answered, event) ?? answered;
}

function reportUnstopped(state: GovernorState): GovernorState {
  const reason = 'it may continue, and its cost is not limited';
  return decide(state, 'limit:agents', reason, { todo: 'failed', agent: 'what it was told to stop' });
}

function onCounter(read: (cost: Cost, usd: number) => Cost): Response {
  return (state, { response }) => {
    const total = fieldsOf(response.session).total_cost_usd;
    if (typeof total !== 'number') return state;
    const cost = read(state.limits.cost, total);
    // The counter may be older than the latest call.
    return totalMicroUsd(cost) < totalMicroUsd(state.limits.cost) ? state : changedIn(state, 'limits', { cost });
  };
}

const STOP_WAITING = clearTimer('context');

/** Lets prompts through once the context is known or claude does not report it. */
function finishOpening(state: GovernorState): GovernorState {
  if (state.process.control.phase !== 'opening') return state;
  return emit(changedIn(state, 'control', { phase: 'open' }), STOP_WAITING);
}

/** Continues without claude's report. What claude has added to the first prompt then counts as system prompt. */
function continueUnasked(state: GovernorState): GovernorState {
  return finishOpening(sizeFirstAttachments(state, 0));
}

/** Opens the channel. A resumed session first has to report its context. */
function withOpening(state: GovernorState): GovernorState {
  return changedIn(state, 'control', { phase: state.process.resumes ? 'opening' : 'open' });
}

function onContext(state: GovernorState, event: ControlResponseEvent): GovernorState {
  if (!event.ok) return continueUnasked(state);
  const { response } = event;
  const tokens = countOrZero(response.rawMaxTokens);
  const total = countOrZero(response.totalTokens);
  const placed = PLACED_SOURCES.includes(response.autocompactSource);
  // A value below ctxb's own setting is the model's true window, which caps the setting.
  const { phase, trigger: before } = state.process.control;
  const hidesWindow = placed && (typeof before !== 'number' || tokens >= before + NATIVE_RESERVE_TOKENS);
  // Measured sizes are better than the answer, which claude estimates between calls.
  const reading = state.gauge.basis === 'measured' ? state.gauge : withReading(state.gauge, total, 'asked');
  const messages = messageTokens(response);
  const isFirst = state.gauge.calls === 0 && messages > 0;
  const gauge = isFirst ? changedGauge(reading, { first: Math.max(0, total - messages) }) : reading;
  // If the caller's settings control claude's compaction, ctxb does not change the trigger.
  const isSetByCaller = placed && typeof before !== 'number';
  const isAutoCompactOff = response.isAutoCompactEnabled === false;
  const trigger = isSetByCaller || isAutoCompactOff ? 'off' : before;
  const callersLevel = levelIn(response, state.run.levelPercent, isSetByCaller);
  const { model } = state.session;
  const own = isAlias(gauge, model) ? undefined : model;
  const measured = hidesWindow ? gauge : learnWindowOf(gauge, own, tokens, 'asked');
  const changes = { trigger, callersLevel, isAutoCompactOff };
  const learned = changed(changedIn(state, 'control', changes), { gauge: measured });
  const opened = finishOpening(sizeFirstAttachments(learned, messages > 0 ? total - messages : 0));
  return phase === 'opening' ? prepareResumedSession(opened) : opened;
}

/**
 * The level at which claude compacts by the caller's settings, in tokens; undefined if they set none. A percentage
 * applies only to a known window, and to claude's own compaction.
 */
function levelIn(response: Fields, percent: number | undefined, isSetByCaller: boolean): number | undefined {
  const level = isSetByCaller ? countOf(response.autoCompactThreshold) : undefined;
  const window = countOrZero(response.rawMaxTokens);
  if (percent === undefined || window === 0 || response.isAutoCompactEnabled === false) return level;
  return Math.min(level ?? window, levelOfPercent(percent, window));
}

/** Tokens of a resumed conversation, without the system prompt and the tools. */
function messageTokens({ categories }: Fields): number {
  return countOrZero(fieldsOf(listOf(categories).find((each) => fieldsOf(each).id === 'messages')).tokens);
}
