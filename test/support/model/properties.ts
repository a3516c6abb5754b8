import { isDeepStrictEqual } from 'node:util';
import type { Action } from '../../../src/core/governor/decisions.ts';
import type { Facts } from '../../../src/core/governor/facts.ts';
import { predictedTokens } from '../../../src/core/governor/gauge/gauge.ts';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import { inTokens } from '../../../src/core/governor/policy.ts';
import { promptsInTurn } from '../../../src/core/governor/prompts/mailbox.ts';
import { readRecord, readRecordedRun, recordRun, toRecord } from '../../../src/core/governor/record.ts';
import { step } from '../../../src/core/governor/step.ts';
import { type Fields, fieldsOf } from '../../../src/core/protocol/fields.ts';
import { fateFaults } from './fate-faults.ts';
import type { Judged, ModelRun } from './model-run.ts';

/** State of the checks between inputs. */
export interface Seen {
  /** The injected line whose turn is not over yet. */
  outstanding: string | undefined;
  /** A warning was given, and nothing has cleared it since. */
  isWarned: boolean;
  /** Handoffs since a prompt was said, or since claude itself had to compact what an injected turn had filled. */
  handoffs: number;
}

export const NOTHING_YET: Readonly<Seen> = { outstanding: undefined, isWarned: false, handoffs: 0 };

/** Violated invariants, checked after every input. */
export function faultsOf(judged: Judged, seen: Seen): string[] {
  return [...protocolFaults(judged, seen), ...latchFaults(judged, seen), ...fateFaults(judged), ...factFaults(judged)];
}

/** Operations that may run between two processes. */
const WITHOUT_PROCESS = ['idle', 'writing', 'leaving', 'deciding'];

function protocolFaults({ input, before, after, actions }: Judged, seen: Seen): string[] {
  const { operation, process } = after;
  const isPossible = process.phase !== 'dead' || WITHOUT_PROCESS.includes(operation.phase);
  if (input.event.kind === 'exit' || isGivenUp(input, before)) seen.outstanding = undefined;
  return [
    ...(isPossible ? [] : [`${operation.phase} without a process`]),
    ...actions.flatMap((one) => actionFaults(one, seen)),
  ];
}

function actionFaults(action: Action, seen: Seen): string[] {
  if (action.kind === 'clear-timer' && action.timer === 'operation') seen.outstanding = undefined;
  // A turn that gives the document can fill the fresh context again.
  if (action.kind === 'native-compaction' || action.kind === 'landed') seen.handoffs = 0;
  if (action.kind === 'handed-over' && ++seen.handoffs > 1) return [`${seen.handoffs} handoffs and no prompt between`];
  if (action.kind !== 'send') return [];
  const { type, message } = fieldsOf(JSON.parse(action.line));
  if (type !== 'user') return [];
  const text = String(fieldsOf(message).content).slice(0, 20);
  const faults = seen.outstanding === undefined ? [] : [`"${text}" said while "${seen.outstanding}" is outstanding`];
  if (action.promptUuid === undefined) seen.outstanding = text;
  else seen.handoffs = 0;
  return faults;
}

/** Facts that show no change of the state. */
type NoChange = 'now' | 'measured' | 'isRepeat' | 'isInjected';

/** Checks that the facts of a line equal its changes to the state, and that no other input changes these parts. */
function factFaults({ input, before, after }: Judged): string[] {
  const { call, agents, ending, replaced } = after.facts;
  const { kind } = input.event;
  const isOther = before.session.id !== undefined && before.session.id !== after.session.id;
  const changes = {
    call: after.gauge.calls - before.gauge.calls,
    agents: input.from === 'claude' && after.work.agents.all !== before.work.agents.all,
    ending: after.turn.ended - before.turn.ended,
    replaced: kind === 'boundary' || kind === 'reset' ? kind : isOther ? 'session' : undefined,
  };
  const facts: Record<Exclude<keyof Facts, NoChange>, unknown> = {
    call: call === undefined ? 0 : 1,
    agents,
    ending: ending === undefined ? 0 : 1,
    replaced,
  };
  const isEmptied = replaced === undefined || kind === 'assistant' || after.gauge.call === null;
  return [
    ...(isDeepStrictEqual(facts, changes) ? [] : [`${JSON.stringify(facts)} of ${JSON.stringify(changes)}`]),
    ...(isEmptied ? [] : ['the context is another and its last call is known']),
  ];
}

/** A compaction that is given up clears its timer. */
function isGivenUp({ event }: Judged['input'], { operation }: Judged['before']): boolean {
  return event.kind === 'timeout' && event.timer === 'operation' && operation.phase !== 'compacting';
}

function latchFaults(judged: Judged, seen: Seen): string[] {
  const { input, before, after, actions } = judged;
  const faults: string[] = [];
  const isReplaced = input.event.kind === 'boundary' || input.event.kind === 'reset';
  if (isReplaced && after.relief.latch !== 'none') faults.push(`the latch is ${after.relief.latch} after a boundary`);
  if (isReplaced || isCleared(judged)) seen.isWarned = false;
  const isWarning = actions.some(({ kind }) => kind === 'warn');
  if (isWarning && seen.isWarned) faults.push('warned twice in one rise');
  seen.isWarned ||= isWarning;
  if (before.relief.latch === 'none' && after.relief.latch === 'compact' && !seen.isWarned)
    faults.push('compact without a warning');
  return faults;
}

/** The context was emptied, or has fallen below the target. */
function isCleared({ before, after, actions }: Judged): boolean {
  const { gauge, run } = after;
  return (
    promptsInTurn(before).at(-1)?.command === 'clear' ||
    (before.session.id !== undefined && before.session.id !== after.session.id) ||
    actions.some(({ kind }) => kind === 'handed-over') ||
    predictedTokens(gauge) < inTokens(run.policy.compaction.target, gauge.window.tokens)
  );
}

/** Violated invariants at the end of a run. */
export function endFaults(run: ModelRun): string[] {
  if (!run.isOver) return ['claude has nothing to do, no timer runs, and the run does not end'];
  const expected = run.said.filter((uuid) => !run.settled.includes(uuid));
  const all = run.disk.heard();
  const heard = all.filter((uuid) => expected.includes(uuid));
  const retold = run.retold.flatMap(({ by, uuids }) => (all.includes(by) ? uuids : []));
  const known = [...heard, ...retold, ...run.leftUndone];
  const lost = expected.filter((uuid) => !known.includes(uuid) && !run.mayLose);
  const doubled = heard.filter((uuid, at) => heard.indexOf(uuid) !== at);
  // What is begun anew in another session comes behind what was answered before.
  const order = run.disk.order().filter((uuid) => heard.includes(uuid));
  const isOrdered = [heard, order].some((uuids) =>
    isDeepStrictEqual(
      uuids,
      expected.filter((uuid) => heard.includes(uuid)),
    ),
  );
  return [
    ...(lost.length > 0 ? [`lost: ${short(lost)}`] : []),
    ...(doubled.length > 0 ? [`doubled: ${short(doubled)}`] : []),
    ...(doubled.length === 0 && !isOrdered ? [`reordered: ${short(heard)}`] : []),
    ...lastFateFaults(run),
  ];
}

/** Each prompt is answered once, or left undone. A claude that has not begun has said why. */
function lastFateFaults({ said, answered, leftUndone, state }: ModelRun): string[] {
  const fates = [...answered, ...leftUndone].filter((uuid) => said.includes(uuid));
  const twice = fates.filter((uuid, at) => fates.indexOf(uuid) !== at);
  const without = said.filter((uuid) => !fates.includes(uuid) && state.session.id !== undefined);
  return [
    ...(twice.length > 0 ? [`has two fates: ${short(twice)}`] : []),
    ...(without.length > 0 ? [`without a fate: ${short(without)}`] : []),
  ];
}

function short(uuids: readonly string[]): string {
  return uuids.map((uuid) => uuid.slice(-3)).join(' ');
}

/** A record of the run, read back, is judged in the same way, and ends in the same state. */
export function replayFaults(all: readonly Judged[]): string[] {
  const [first] = all;
  const last = all.at(-1);
  const run = first && readRecordedRun(throughJson(recordRun(first.before.run, 0)));
  if (run === undefined || last === undefined) return ['the run is not read back'];
  let state = initialState(run);
  for (const [at, { input, raw, actions }] of all.entries()) {
    const again = readRecord(throughJson(toRecord(input, raw && JSON.stringify(raw))), 0);
    if (again === undefined) return [`input ${at} is not read back`];
    state = step(state, again);
    if (JSON.stringify(state.actions) !== JSON.stringify(actions)) return [`input ${at} is judged in another way`];
  }
  const isPlain = isDeepStrictEqual(structuredClone(last.after), last.after);
  const isSame = JSON.stringify({ ...state, run }) === JSON.stringify({ ...last.after, run });
  return [...(isPlain ? [] : ['the state is not plain']), ...(isSame ? [] : ['another state after a replay'])];
}

function throughJson(value: unknown): Fields {
  return fieldsOf(JSON.parse(JSON.stringify(value)));
}
