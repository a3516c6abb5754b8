import type { Fields } from '../../protocol/fields.ts';
import type { Action } from '../decisions.ts';
import type { GovernorState } from '../state.ts';
import { decide, emit } from '../steps.ts';
import { isWorthPassing, MAX_READ_TOKENS, tokensForResult } from './room.ts';
import type { FileMeasure, ReadPlan, ToolCall } from './tool-budget.ts';
import {
  addRecord,
  answerHook,
  charsPerToken,
  countCut,
  mayChange,
  reserveRoom,
  wasCutRepeatedly,
} from './tool-state.ts';

/** Tokens, by claude's own count: claude rejects or cuts a larger result of Read. */
const CLAUDES_LIMIT = 25_000;

/** Files shown as pictures, cells or pages, which have no lines. */
const FILES_WITHOUT_LINES = /\.(?:png|jpe?g|gif|webp|bmp|ico|pdf|ipynb)$/i;

/** Asks the host to measure the file; a call that needs no limit passes unchanged. */
export function planRead(state: GovernorState, call: ToolCall, hint: string): GovernorState {
  const { file_path: path, pages } = call.input;
  const allowed = Math.min(MAX_READ_TOKENS, tokensForResult(state, call));
  const hasLines = typeof path === 'string' && pages === undefined && !FILES_WITHOUT_LINES.test(path);
  if (!hasLines || wasCutRepeatedly(state, call)) return answerHook(state, call, hint);
  const { requestId, cwd } = call;
  const chars = Math.floor(allowed * charsPerToken(state));
  const measure: Action = { kind: 'measure-file', requestId, path, cwd, offset: offsetOf(call), chars };
  return emit(addRecord(state, 'waiting', requestId, { kind: 'read', call, allowed, hint }), measure);
}

/** Limits a Read after its file was measured, if necessary. `file` is undefined for non-text files. */
export function limitRead(state: GovernorState, plan: ReadPlan, file: FileMeasure | undefined): GovernorState {
  const { call, allowed, hint } = plan;
  const offset = offsetOf(call);
  const requested = Math.min(numberOf(call.input.limit) ?? Number.POSITIVE_INFINITY, (file?.lines ?? 0) - offset + 1);
  if (file === undefined || isPassing(state, call, tokensOf(file, requested, allowed), allowed)) {
    const isToEnd = requested >= 1 && offset > 1 && call.input.limit === undefined && mayChange(state, 'input');
    // Without a limit claude refuses the end of a file of more than 256 KB; it also counts the empty line after the
    // last line feed.
    return answerHook(state, call, hint, isToEnd ? withInput(call, 'limit', requested + 1) : {});
  }
  const limit = Math.max(1, file.fitting);
  const open = reserveRoom(state, call, { tokens: allowed, limit });
  if (!mayChange(state, 'input')) {
    const advice = `This file has ${file.lines} lines, more than the ${allowed} tokens planned for one result: read such a file in parts, with offset and a limit of about ${limit}.`;
    return answerHook(state, call, joinSentences(advice, hint));
  }
  const context = joinSentences(limitText(open, plan, limit, file.lines), hint);
  const reason = `lines ${offset}-${offset + limit - 1} of ${file.lines} fit into ${allowed} tokens`;
  return limitCall(countCut(open, call), call, { parameter: 'limit', value: limit, context, reason });
}

function isPassing(state: GovernorState, call: ToolCall, tokens: number, allowed: number): boolean {
  const isForClaude = allowed === MAX_READ_TOKENS && tokens <= CLAUDES_LIMIT;
  return isForClaude || isWorthPassing(state, call, tokens, allowed);
}

interface Limit {
  readonly parameter: string;
  readonly value: number;
  readonly context: string;
  readonly reason: string;
}

function limitCall(state: GovernorState, call: ToolCall, { parameter, value, context, reason }: Limit): GovernorState {
  const noted = decide(state, 'tool-budget:call', reason, { tool: call.tool, parameter, value });
  return answerHook(noted, call, context, withInput(call, parameter, value));
}

/** Tokens of the requested lines, or 0 if they fit into `allowed`; infinite if not even one line fits. */
function tokensOf({ fitting }: FileMeasure, requested: number, allowed: number): number {
  return fitting >= requested ? 0 : (allowed * requested) / fitting;
}

function withInput({ input }: ToolCall, parameter: string, value: number): Fields {
  return { updatedInput: { ...input, [parameter]: value } };
}

/** Tells the agent which part it gets. @param state with the room for this part already reserved */
function limitText(state: GovernorState, { call, allowed }: ReadPlan, limit: number, lines: number): string {
  const offset = offsetOf(call);
  const last = offset + limit - 1;
  const more = Math.floor((limit * tokensForResult(state, call)) / Math.max(1, allowed));
  return `This Read returns lines ${offset}-${last} of ${lines}, as one result may take about ${allowed} tokens now. Continue with offset=${last + 1}; the budget allows about ${Math.min(lines - last, Math.max(1, more))} more lines.`;
}

function joinSentences(...texts: readonly string[]): string {
  return texts.filter(Boolean).join(' ');
}

function offsetOf({ input }: ToolCall): number {
  return numberOf(input.offset) ?? 1;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 1 ? Math.floor(value) : undefined;
}

/** Tokens of one item of Grep: a matching line, or a path. */
const GREP_ITEM = 40;

/** Share of the room planned for a page, because items differ in size. */
const MARGIN = 0.9;

/** The number of items that fit, at least `minimum`; 100 if the size of an item is unknown. */
export function suggestLimit(allowed: number, perItem: number, minimum = 10): number {
  return perItem <= 0 ? 100 : Math.max(minimum, Math.floor(allowed / perItem));
}

/** Limits the items of a Grep, unless the agent has set a limit. */
export function limitGrep(state: GovernorState, call: ToolCall, hint: string): GovernorState {
  if ('head_limit' in call.input || !mayChange(state, 'input')) return answerHook(state, call, hint);
  const allowed = tokensForResult(state, call);
  const value = suggestLimit(allowed * MARGIN, GREP_ITEM, 1);
  const notice = `ctxb set head_limit=${value} for this call, as one result may take about ${allowed} tokens now: ask for the next page to continue.`;
  const context = joinSentences(notice, hint);
  const reason = `about ${GREP_ITEM} tokens per item`;
  const limit = { parameter: 'head_limit', value, context, reason };
  return limitCall(reserveRoom(state, call, { tokens: allowed }), call, limit);
}
