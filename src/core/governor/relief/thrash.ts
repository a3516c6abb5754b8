import type { Block, Event, ResultEvent } from '../../protocol/events.ts';
import { fieldsOf, textOf } from '../../protocol/fields.ts';
import { sendInterrupt } from '../prompts/own-lines.ts';
import type { GovernorState } from '../state.ts';
import { chain, decided, keep, type Step } from '../steps.ts';
import { exactIsPossible } from './exact.ts';
import type { Boundary, Refill, RefillShare, Relief } from './relief-state.ts';

/** Compactions whose room is soon filled again: all within `turns`, or, in one turn, each within `calls`. */
const THRASH = { compactions: 3, turns: 5, calls: 10 };

/** One that costs no call may follow another this soon in one turn; between turns it may always. */
const EXACT_CALLS = 3;

/** Whether the last compactions followed each other too soon. */
export function isThrashing(boundaries: readonly Boundary[]): boolean {
  const last = boundaries.slice(-THRASH.compactions);
  const [first] = last;
  if (first === undefined || last.length < THRASH.compactions) return false;
  return (last.at(-1)?.turn ?? 0) - first.turn < THRASH.turns;
}

export function thrashText({ refill }: GovernorState): string {
  return `${THRASH.compactions} compactions within ${THRASH.turns} turns${filledBy(refill)}`;
}

type Boundaries = Pick<Relief, 'boundaries' | 'refilled'>;

/** What is known of compactions after another one. */
export function withBoundary({ boundaries, refilled }: Boundaries, at: Boundary, isExact = false): Boundaries {
  const last = boundaries.at(-1);
  const calls = isExact ? EXACT_CALLS : THRASH.calls;
  const isSoon = last !== undefined && last.turn === at.turn && at.call - last.call <= calls;
  if (isExact && !isSoon) return { boundaries: [at], refilled: 1 };
  return { boundaries: [...boundaries, at].slice(-THRASH.compactions), refilled: isSoon ? refilled + 1 : 1 };
}

/** In the middle of a turn it is said what fills the window again and again, and at last the turn is ended. */
export function brakeThrash(before: GovernorState, state: GovernorState, event: Event): Step {
  if (event.kind !== 'boundary' || state.turn.phase !== 'running' || state.run.mode === 'replay') return keep(state);
  const { maxCompactions } = state.run.policy.midTurn;
  const compactions = state.relief.refilled;
  const last = compactions >= maxCompactions && mayEnd(state);
  if (compactions !== THRASH.compactions && !last) return keep(state);
  const reason = `${compactions} compactions in one turn, each within ${THRASH.calls} calls of the one before${filledBy(before.refill)}`;
  const thrash = { kind: 'thrash', ...decided(state, reason), compactions, last } as const;
  if (!last) return keep(state, [thrash]);
  return chain(keep({ ...state, relief: { ...state.relief, hopeless: reason } }, [thrash]), sendInterrupt);
}

/** claude has ended the turn, as its window was filled again at once. */
export function tellsBreaker({ isError, terminalReason }: ResultEvent): boolean {
  return isError && terminalReason === 'rapid_refill_breaker';
}

/** claude itself ends a turn whose window was filled again within three calls three times. */
export function readBreaker(state: GovernorState, event: ResultEvent): GovernorState {
  if (!tellsBreaker(event) || !mayEnd(state) || exactIsPossible(state)) return state;
  const reason = `claude has ended the turn, because its window was filled again at once${filledBy(state.refill)}`;
  return { ...state, relief: { ...state.relief, hopeless: reason } };
}

/** Whether ctxb is to do anything about a full window. */
function mayEnd({ run }: GovernorState): boolean {
  const { compaction, handoff } = run.policy;
  return run.mode === 'act' && (compaction.enabled || handoff.enabled);
}

function filledBy(refill: Refill): string {
  const text = refillText(refill);
  return text === '' ? '' : `, filled again by ${text}`;
}

export const NO_REFILL: Refill = { open: [], results: [] };

/** More are not told apart: the oldest are forgotten. */
const LIMIT = 100;

/** UTF-16 units. */
const TITLE_LENGTH = 300;

export function refillAfter(refill: Refill, event: Event): Refill {
  if (event.kind === 'result') return { ...refill, open: [] };
  if (event.kind === 'boundary' || event.kind === 'reset') return NO_REFILL;
  if (event.kind === 'assistant' && event.subagent === null) {
    return event.blocks.reduce((so, block) => (block.type === 'tool_use' ? begun(so, block) : so), refill);
  }
  if (event.kind !== 'user' || event.role !== 'tool-result' || event.subagent !== null) return refill;
  return event.blocks.reduce((so, block) => (block.type === 'tool_result' ? ended(so, block) : so), refill);
}

type ToolUse = Extract<Block, { readonly type: 'tool_use' }>;

function begun(refill: Refill, block: ToolUse): Refill {
  const { id } = block;
  const label = labelOf(block);
  const title = titleOf(block);
  const open = [...refill.open.filter((call) => call.id !== id), { id, label, title }];
  return { open: open.slice(-LIMIT), results: refill.results };
}

function labelOf({ name, input }: ToolUse): string {
  const fields = fieldsOf(input);
  const file = textOf(fields.file_path) ?? textOf(fields.path) ?? textOf(fields.notebook_path);
  return file === undefined ? name : `${name} ${file}`;
}

/** A tool call in a few words: the tool, and the file or the command that it is about. */
export function titleOf(block: ToolUse): string {
  return `${labelOf(block)} ${textOf(fieldsOf(block.input).command) ?? ''}`.trim().slice(0, TITLE_LENGTH);
}

function ended(refill: Refill, { toolUseId, text }: { toolUseId: string; text: string }): Refill {
  const call = refill.open.find(({ id }) => id === toolUseId);
  if (call === undefined) return refill;
  const results = [...refill.results, { label: call.label, chars: text.length }];
  return {
    open: refill.open.filter((other) => other !== call),
    results: results.length < 2 * LIMIT ? results : summed(results).slice(-LIMIT),
  };
}

/** One share for each label, in the order they were last seen in. */
function summed(results: readonly RefillShare[]): RefillShare[] {
  const sums = new Map<string, number>();
  for (const { label, chars } of results) {
    const sum = (sums.get(label) ?? 0) + chars;
    sums.delete(label);
    sums.set(label, sum);
  }
  return [...sums].map(([label, chars]) => ({ label, chars }));
}

/** What is under way, in a few words; empty: nothing. */
export function openTools({ open }: Refill): string {
  return open.map(({ title }) => title).join('; ');
}

/** The three largest, with their sizes. */
export function refillText({ results }: Refill): string {
  const largest = summed(results)
    .sort((a, b) => b.chars - a.chars)
    .slice(0, 3);
  return largest.map(({ label, chars }) => `${label} (${chars} characters)`).join(', ');
}
