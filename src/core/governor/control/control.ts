import { isTaskReport, usesIn } from '../../protocol/blocks.ts';
import type { ControlRequestEvent, ControlResponseEvent, Event } from '../../protocol/events.ts';
import { countOf, type Fields, fieldsOf, listOf, textOf } from '../../protocol/fields.ts';
import { saysNothing } from '../../protocol/usage.ts';
import { AGENT_TOOLS, hasAgentLimits } from '../agents/agent-limits.ts';
import { readOpening, readReport, totalMicroUsd } from '../cost/cost.ts';
import type { Action } from '../decisions.ts';
import type { HookName } from '../effects.ts';
import { isAnswer, isSaid } from '../facts.ts';
import { learnWindowOf, predicted, takeReading } from '../gauge/gauge.ts';
import { isKnown } from '../gauge/window.ts';
import { documentToGive } from '../operations/fresh-context.ts';
import { onModLoaded, prepareResumed } from '../operations/load-mod.ts';
import { NATIVE_RESERVE_TOKENS, type Policy } from '../policy.ts';
import { inTurn, waiting } from '../prompts/mailbox.ts';
import { askContext, askUsage, controlLine, isAsking, isOwnUuid, request, successLine } from '../prompts/own-lines.ts';
import { LEAST_RELIEVED } from '../relief/exact.ts';
import type { GovernorState } from '../state.ts';
import { chain, changed, changedIn, clearTimer, decide, isAnsweringUs, keep, type Step } from '../steps.ts';
import { answerCallback, CALLBACKS } from './hook-callbacks.ts';
import { onTrigger } from './trigger.ts';

/** Tools whose calls can be limited. */
const BEFORE = 'Read|Grep|Glob|mcp__.*';

/** Tools of a hook: claude takes no null matcher for these. */
export const MATCHERS: Readonly<Partial<Record<string, string>>> = {
  PreToolUse: `^(?:${BEFORE}|${AGENT_TOOLS})$`,
  PostToolUse: '*',
  PostToolUseFailure: '*',
};

/**
 * A conversation that begins: its window counts only from the second call on, and what claude is asked before its first
 * would have the answer wait.
 */
function isFresh(state: GovernorState): boolean {
  return !state.process.resumes && documentToGive(state) === undefined;
}

/**
 * The window decides about a call of a tool and its result, so what comes before its answer waits. Behind a tool it also
 * waits for the size of the call before, which claude forgets with the next one. undefined: this does not wait.
 */
export function holdCall(state: GovernorState, event: ControlRequestEvent): Step | undefined {
  const { phase, asked, held, unsized } = state.control;
  // The hooks of a terminal come without a claude that could be asked.
  if (phase === 'closed') return undefined;
  const hook = Object.keys(MATCHERS).find((name) => CALLBACKS[name as HookName] === event.callbackId);
  const isUnsized = unsized && hook?.startsWith('Post') === true;
  const isDecidable = held.length === 0 && (isKnown(state.gauge.window) || (asked && !isAsking(state, 'context')));
  if (!isUnsized && (hook === undefined || !isFresh(state) || isDecidable)) return undefined;
  const waiting = changedIn(state, 'control', { held: [...held, event] });
  return asked && !isUnsized ? keep(waiting) : askContext(waiting);
}

/** claude takes too long to report its window: nothing waits for the answer any more. */
export function giveUpAsking(state: GovernorState): Step {
  const entries = Object.entries(state.control.pending);
  const pending = Object.fromEntries(entries.map(([id, what]) => [id, what === 'context' ? 'late-context' : what]));
  return chain(finishOpening(changedIn(state, 'control', { pending })), answerHeld);
}

/** Answers one call after the other: the budget given to the first is gone for the next. */
export function answerHeld(state: GovernorState): Step {
  const [first, ...held] = state.control.held;
  if (first === undefined || isAsking(state, 'context')) return keep(state);
  const step = answerCallback(changedIn(state, 'control', { held }), first);
  if (held.length === 0) return chain(step, (next) => keep(next, [STOP_WAITING]));
  return step.actions.some(({ kind }) => kind === 'answer-hook') ? chain(step, answerHeld) : step;
}

/** Hooks in the shape `initialize` takes them. No `timeout`: claude would refuse the tool when it runs out. */
function hooksFor(state: GovernorState): Fields {
  const { policy, singlePrompt } = state.run;
  const { memory, zones, tools, strategy, agents, cost } = policy;
  const limitsTools = tools.mode !== 'off' || hasAgentLimits(agents);
  const wanted: Partial<Record<string, boolean>> = {
    // Else no text goes with the first prompt, no other prompt follows, and no other run spends its budget.
    UserPromptSubmit: singlePrompt !== true || !isFresh(state) || cost.projectLimitUsd !== undefined,
    PostCompact: memory.enabled,
    PreToolUse: limitsTools,
    PostToolUseFailure: limitsTools,
    PostToolUse: limitsTools || zones.tellAgent || strategy !== 'compact',
  };
  const hooks = Object.entries(CALLBACKS).filter(([name]) => wanted[name] !== false);
  return Object.fromEntries(
    hooks.map(([name, id]) => [name, [{ matcher: matcherOf(name, policy), hookCallbackIds: [id] }]]),
  );
}

/** claude is kept waiting for no hook that nothing comes of. */
function matcherOf(name: string, { tools, agents }: Policy): string | null {
  if (name !== 'PreToolUse') return MATCHERS[name] ?? null;
  const wanted = [...(tools.mode === 'off' ? [] : [BEFORE]), ...(hasAgentLimits(agents) ? [AGENT_TOOLS] : [])];
  return `^(?:${wanted.join('|')})$`;
}

export function registeredHooks(state: GovernorState): string[] {
  return state.control.phase === 'closed' ? [] : Object.keys(hooksFor(state));
}

/** Opens the control channel in our own name, again for each new process. */
export function openControl(state: GovernorState): Step {
  const body = withOurHooks(state, state.control.initialize ?? { subtype: 'initialize' });
  return chain(request(opening(state), 'initialize', body), askAtOnce, askCost);
}

/**
 * The caller's own `initialize`, with our hooks merged in: claude takes only the first, or lets the last replace it.
 */
export function mergeInitialize(state: GovernorState, callers: Fields, requestId: string): Step {
  const line = controlLine(requestId, withOurHooks(state, callers));
  const opened = opening(changedIn(state, 'control', { initialize: callers }));
  return chain(keep(opened, [{ kind: 'send', line }]), askAtOnce, askCost);
}

/**
 * In its two-way mode claude passes over an agent that it does not know, and works without the limits that the agent has.
 * Elsewhere it refuses, with this text, unless it resumes a session.
 */
function checkAgent(state: GovernorState, { response }: ControlResponseEvent): Step {
  const { agent } = state.run;
  const names = listOf(response.agents).map((known) => textOf(fieldsOf(known).name));
  if (agent === undefined || state.process.resumes || names.length === 0 || names.includes(agent)) return keep(state);
  const line = `--agent '${agent}' not found. Available agents: ${names.join(', ')}`;
  return keep(changed(state, { outcome: 'refused' }), [{ kind: 'relay', line }]);
}

/** Whether claude still has to report the agents that it knows, because work begins as one of them. */
export function awaitsAgents(state: GovernorState): boolean {
  return state.run.agent !== undefined && !state.process.resumes && isAsking(state, 'initialize');
}

/** A run that only observes asks nothing else. */
export function askAgents(state: GovernorState): Step {
  const isNeeded = state.run.agent !== undefined && state.control.sent === 0;
  return isNeeded ? request(state, 'initialize', { subtype: 'initialize' }) : keep(state);
}

function askAtOnce(state: GovernorState): Step {
  const isLater = isFresh(state) && !isKnown(state.gauge.window);
  return isLater ? keep(changedIn(state, 'control', { asked: false })) : askContext(state);
}

/** From here on the window counts; so does what a call has read, where its own lines do not say it. */
export function askLater(before: GovernorState, event: Event): Step {
  const state = withUnsized(before, event);
  const { phase, asked, unsized } = state.control;
  const isDue = asked
    ? unsized && (isSaid(event, 'tool-result') || event.kind === 'result') && !isAsking(state, 'context')
    : hasNextCall(state, event);
  return phase === 'closed' || !isDue ? keep(state) : askContext(state);
}

/** Gateways exist whose calls say what they have read at their very end, which claude does not pass on. */
function withUnsized(state: GovernorState, event: Event): GovernorState {
  if (!isAnswer(event) || event.usage === undefined) return state;
  const unsized = saysNothing(event.usage);
  return unsized === state.control.unsized ? state : changedIn(state, 'control', { unsized });
}

/**
 * A turn that continues with a tool has a second call, and so has a session that continues: there a compaction may pay.
 */
function hasNextCall(state: GovernorState, event: Event): boolean {
  const { gauge, mailbox } = state;
  if (event.kind === 'result')
    return predicted(gauge) >= LEAST_RELIEVED && !(mailbox.ended && waiting(state).length === 0);
  return isAnswer(event) && usesIn(event.blocks).length > 0;
}

function withOurHooks(state: GovernorState, callers: Fields): Fields {
  const hooks = { ...fieldsOf(callers.hooks) };
  for (const [name, own] of Object.entries(hooksFor(state))) {
    hooks[name] = [...listOf(hooks[name]), ...listOf(own)];
  }
  return { ...callers, hooks };
}

/**
 * What decided the window that claude names, where somebody placed claude's trigger: then it is the lesser of the
 * setting and the model's window. Every other source (`model-default`, `unknown-model`, `auto`, those of claude's own
 * servers) is what claude itself goes by (2.1.197 to 2.1.332).
 */
const PLACED_SOURCES: readonly unknown[] = ['env', 'settings'];

export function onOwnResponse(state: GovernorState, event: ControlResponseEvent): Step {
  const purpose = state.control.pending[event.requestId];
  const { [event.requestId]: _, ...pending } = state.control.pending;
  const answered = changedIn(state, 'control', { pending });
  if (purpose === 'context' || purpose === 'late-context') return chain(onContext(answered, event), answerHeld);
  if (purpose === 'load-mod') return onModLoaded(answered, event);
  if (purpose === 'initialize') return checkAgent(answered, event);
  if (purpose === 'usage' || purpose === 'cost') return keep(onUsage(answered, event, purpose));
  if (purpose === 'stop-task' && !event.ok) {
    const reason = 'it may continue, and its cost is not limited';
    const agent = 'what it was told to stop';
    return decide(answered, 'agent-limit', reason, { todo: 'failed', agent });
  }
  return purpose === 'trigger' ? onTrigger(answered, event.ok) : keep(answered);
}

/** The cost counter of a resumed session may begin with earlier costs. */
function askCost(state: GovernorState): Step {
  return state.process.resumes ? askUsage(state, 'usage') : keep(state);
}

function onUsage(state: GovernorState, event: ControlResponseEvent, purpose: 'usage' | 'cost'): GovernorState {
  const total = fieldsOf(event.response.session).total_cost_usd;
  if (typeof total !== 'number') return state;
  const cost = (purpose === 'cost' ? readReport : readOpening)(state.cost, total);
  // The answer may be older than the latest call.
  const isBehind = purpose === 'cost' && totalMicroUsd(cost) < totalMicroUsd(state.cost);
  return isBehind ? state : { ...state, cost };
}

const STOP_WAITING = clearTimer('context');

/** Releases prompts: the context is known, or claude does not report it. */
function finishOpening(state: GovernorState): Step {
  if (state.control.phase !== 'opening') return keep(state);
  return keep(changedIn(state, 'control', { phase: 'open' }), [STOP_WAITING]);
}

/** Only a resumed session has a context to learn before the first prompt. */
function opening(state: GovernorState): GovernorState {
  return changedIn(state, 'control', { phase: state.process.resumes ? 'opening' : 'open' });
}

function onContext(state: GovernorState, event: ControlResponseEvent): Step {
  if (!event.ok) return finishOpening(state);
  // The caller's settings decide about claude's own compaction: then its trigger is left alone.
  const { response } = event;
  const tokens = countOf(response.rawMaxTokens) ?? 0;
  const total = countOf(response.totalTokens) ?? 0;
  const placed = PLACED_SOURCES.includes(response.autocompactSource);
  // Below our own setting it can only be the model's true window, which caps it.
  const isOurs = typeof state.control.trigger === 'number' && tokens >= state.control.trigger + NATIVE_RESERVE_TOKENS;
  const hidesWindow = placed && (typeof state.control.trigger !== 'number' || isOurs);
  // Measured figures of this process are better than the answer, which between calls is an estimate of claude's.
  const gauge = state.gauge.basis === 'measured' ? state.gauge : takeReading(state.gauge, total, 'asked');
  const callers = response.isAutoCompactEnabled === false || (placed && state.control.trigger === 'unplaced');
  const trigger = callers ? 'off' : state.control.trigger;
  const told = hidesWindow ? gauge : learnWindowOf(gauge, state.session.model, tokens, 'asked');
  const opened = finishOpening(changed(changedIn(state, 'control', { trigger }), { gauge: told }));
  return state.control.phase === 'opening' ? chain(opened, prepareResumed) : opened;
}

/**
 * claude asks the caller something over the control channel (a permission, a hook, an MCP server) and waits for
 * as long as it takes. When nobody can answer, it is told so; without ctxb its closed input would tell it.
 */
export function onQuestion(state: GovernorState, requestId: string): Step {
  if (!state.run.callerSpeaksProtocol || state.mailbox.ended) return keep(state, [refusal(requestId)]);
  return keep(changedIn(state, 'control', { questions: [...state.control.questions, requestId] }));
}

/**
 * The reply to a question about what ctxb itself says to the agent, which the caller is not asked; undefined: the caller
 * answers. Hooks around tools, compactions and sessions are always the caller's: they guard what really happens.
 */
export function replyForCaller(state: GovernorState, event: ControlRequestEvent): Action | undefined {
  const { requestId, subtype, request } = event;
  const inOwnTurn = isAnsweringUs(state);
  if (subtype === 'can_use_tool' && inOwnTurn) return reply(requestId, DENIAL);
  if (subtype !== 'hook_callback') return undefined;
  const { hook_event_name: hook, prompt } = fieldsOf(request.input);
  const isOwn =
    (hook === 'Stop' && inOwnTurn) || (hook === 'UserPromptSubmit' && isOwnPrompt(state, prompt, inOwnTurn));
  return isOwn ? reply(requestId, {}) : undefined;
}

/** The agent may want to use a tool while it writes a handoff document. */
const DENIAL = { behavior: 'deny', message: 'Answer in text now, without any tool.' };

/** claude may report a background task before it reads our prompt. */
function isOwnPrompt(state: GovernorState, prompt: unknown, inOwnTurn: boolean): boolean {
  if (inOwnTurn) return !isTaskReport(prompt);
  return inTurn(state).some(({ uuid, text }) => text === prompt && isOwnUuid(state, uuid));
}

function reply(requestId: string, answer: object): Action {
  return { kind: 'send', line: successLine(requestId, answer) };
}

function refusal(requestId: string): Action {
  const response = { subtype: 'error', request_id: requestId, error: 'no one can answer this here' };
  return { kind: 'send', line: JSON.stringify({ type: 'control_response', response }) };
}

/** The caller is gone: open questions stay unanswered. */
export function refuseQuestions(state: GovernorState): Step {
  return keep(changedIn(state, 'control', { questions: [] }), state.control.questions.map(refusal));
}
