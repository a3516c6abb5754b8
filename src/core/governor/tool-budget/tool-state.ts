import type { ToolResult } from '../../protocol/block.ts';
import { plainText, resultsIn } from '../../protocol/blocks.ts';
import type { ControlRequestEvent } from '../../protocol/events.ts';
import { type Fields, fieldsOf, jsonText, mapFields, ownOf, stringOf, textOf } from '../../protocol/fields.ts';
import { isMainMessage } from '../facts.ts';
import { learnedCharsPerToken } from '../gauge/estimator.ts';
import { CHARS_PER_TOKEN, estimateTokens } from '../gauge/token-estimate.ts';
import type { ToolsPolicy } from '../policy.ts';
import type { GovernorState } from '../state.ts';
import { changedIn, decide, emit, type Line } from '../steps.ts';
import type { OpenResult, ToolBudget, ToolCall, ToolHook } from './tool-budget.ts';

/** Maximum calls, tools and subagents to keep: the stream may never end. */
const MAX_RECORDS = 64;

/** Number of cuts of one call's results after which the next passes whole, because the agent seems to need it. */
const CUTS_IN_A_ROW = 3;

/** The effective mode: off while the window is unknown. */
export function budgetMode({ run, gauge }: GovernorState): ToolsPolicy['mode'] {
  return gauge.window.tokens === undefined ? 'off' : run.policy.tools.mode;
}

export function mayChange(state: GovernorState, what: 'input' | 'output'): boolean {
  return budgetMode(state) === 'enforce' && !state.work.budget.ignores.includes(what);
}

/** Code points per token of tool results, learned from this session's calls. */
export function charsPerToken({ gauge }: GovernorState): number {
  return learnedCharsPerToken(gauge.calibration) ?? CHARS_PER_TOKEN;
}

/** Reserves room for a result until the stream shows it. */
export function reserveRoom(
  state: GovernorState,
  call: ToolCall,
  open: Omit<OpenResult, 'agent' | 'requestId'>,
): GovernorState {
  const { toolUseId, requestId, agent } = call;
  if (toolUseId === '') return state;
  return addRecord(state, 'open', toolUseId, { ...open, agent, requestId });
}

/** Undoes the changes of a hook whose answer was not delivered. */
export function undoChange(state: GovernorState, requestId: string): GovernorState {
  const open = mapFields(state.work.budget.open, (result) => {
    const { limit: _, proof: __, ...original } = result;
    return result.requestId === requestId ? original : result;
  });
  return changedIn(state, 'budget', { open });
}

export function countCut(state: GovernorState, call: ToolCall): GovernorState {
  return addRecord(state, 'repeats', callKey(call), cutsOf(state, call) + 1);
}

export function wasCutRepeatedly(state: GovernorState, call: ToolCall): boolean {
  return cutsOf(state, call) >= CUTS_IN_A_ROW;
}

function cutsOf({ work }: GovernorState, call: ToolCall): number {
  return ownOf(work.budget.repeats, callKey(call)) ?? 0;
}

/** Restarts the count of cuts after a result passed whole. */
export function resetCuts(state: GovernorState, call: ToolCall): GovernorState {
  return removeRecord(state, 'repeats', callKey(call));
}

/** Answers the tool's hook. Never allows the call: the caller decides on permissions. */
export function answerHook(
  state: GovernorState,
  { requestId, hook }: ToolCall,
  context = '',
  specific: Fields = {},
): GovernorState {
  return emit(state, { kind: 'answer-hook', requestId, hook, output: {}, specific, ...(context && { context }) });
}

type Records = Pick<ToolBudget, 'agents' | 'open' | 'waiting' | 'repeats'>;

/** Adds the newest entry of a record and drops the oldest above the limit: keys come from an endless stream. */
export function addRecord<R extends keyof Records>(
  state: GovernorState,
  record: R,
  key: string,
  value: Records[R][string],
): GovernorState {
  const others = Object.entries(state.work.budget[record]).filter(([name]) => name !== key);
  const entries = [...others.slice(1 - MAX_RECORDS), [key, value]];
  return changedIn(state, 'budget', { [record]: Object.fromEntries(entries) });
}

export function removeRecord(state: GovernorState, record: keyof Records, key: string): GovernorState {
  const { [key]: _, ...left } = state.work.budget[record];
  return changedIn(state, 'budget', { [record]: left });
}

export function readToolCall(hook: ToolHook, { requestId, request }: ControlRequestEvent): ToolCall {
  const input = fieldsOf(request.input);
  return {
    hook,
    requestId,
    toolUseId: stringOf(input.tool_use_id),
    tool: stringOf(input.tool_name),
    input: fieldsOf(input.tool_input),
    agent: textOf(input.agent_id) || null,
    cwd: stringOf(input.cwd),
    response: input.tool_response,
    error: stringOf(input.error),
  };
}

function callKey({ tool, input }: ToolCall): string {
  return `${tool} ${jsonText(input)}`;
}

/** Records that something, such as a permission handler, undid a change. From then on, the agent only gets advice. */
export function recordIgnoredChange(state: GovernorState, what: 'input' | 'output'): GovernorState {
  const { ignores } = state.work.budget;
  // Answers do not reach claude after its input was closed.
  if (ignores.includes(what) || state.mailbox.input === 'closed') return state;
  const after = changedIn(state, 'budget', { ignores: [...ignores, what] });
  const reason = `${what === 'input' ? 'a limit that was set for a tool' : 'a result that was cut'} did not hold`;
  return ignores.length > 0 ? after : decide(after, 'unavailable:tools', reason);
}

/** Tokens that ctxb cut from a result; 0 if claude has the whole. */
export function cutTokens({ work }: GovernorState, { toolUseId, text }: ToolResult): number {
  const { proof, cut = 0 } = ownOf(work.budget.open, toolUseId) ?? {};
  return proof !== undefined && text.includes(proof) ? cut : 0;
}

export function trackResults(state: GovernorState, { event }: Line): GovernorState {
  // The replaced context also contained the hints and alerts.
  if (state.facts.replaced) return releaseRoom(state, { history: 0, results: 0, hinted: {}, alerted: 'none' });
  if (event.kind === 'result') return releaseRoom(state, { results: 0, hinted: {} });
  if (event.kind === 'init') return releaseRoom(state);
  if (event.kind !== 'user' || event.isReplay) return state;
  if (isMainMessage(event, 'summary')) return setHistory(state, plainText(event.blocks));
  if (event.role !== 'tool-result') return state;
  const results = resultsIn(event.blocks);
  return results.reduce((next, each) => count(next, each, event.subagent === null), state);
}

/** Releases the room of interrupted calls of the main thread: its tools do not run between turns. */
function releaseRoom(state: GovernorState, changes: Partial<ToolBudget> = {}): GovernorState {
  const open = mapFields(state.work.budget.open, (result) => (result.agent === null ? undefined : result));
  return changedIn(state, 'budget', { open, ...changes });
}

/** Sets the size of the past in a fresh context: a summary or a handoff document. */
export function setHistory(state: GovernorState, text: string): GovernorState {
  return changedIn(state, 'budget', { history: estimateTokens(text, charsPerToken(state)) });
}

function count(state: GovernorState, result: ToolResult, isMain: boolean): GovernorState {
  const { open, results, agents } = state.work.budget;
  const own = ownOf(open, result.toolUseId);
  if (own === undefined && !isMain) return state;
  const tokens = estimateTokens(result.text, charsPerToken(state));
  const agent = own?.agent ?? null;
  const afterRemoval = removeRecord(state, 'open', result.toolUseId);
  const counted =
    agent === null
      ? changedIn(afterRemoval, 'budget', { results: results + tokens })
      : addRecord(afterRemoval, 'agents', agent, (ownOf(agents, agent) ?? 0) + tokens);
  const { text, isError } = result;
  const proof = own?.proof;
  // If claude stored a large result itself, the stream shows only its beginning.
  const isTaken = proof === undefined || isError || text.includes(proof) || text.startsWith('<persisted-output>');
  // A replacement that is missing in the stream did not reach the model.
  return isTaken ? counted : recordIgnoredChange(counted, 'output');
}
