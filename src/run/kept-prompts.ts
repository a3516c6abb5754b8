import type { Action } from '../core/governor/decisions.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { type Fields, listOf } from '../core/protocol/fields.ts';

/** A prompt in the run's file, for the process that resumes the run. */
export interface KeptPrompt {
  readonly uuid: string;
  readonly line: string;
  /**
   * - `waiting`: claude has not got it.
   * - `sent`: under way; claude's log shows whether it arrived.
   * - `owed`: claude has it, and the caller has no answer.
   * - `over`: settled.
   */
  readonly fate: 'waiting' | 'sent' | 'owed' | 'over';
}

type News = Partial<KeptPrompt> & Pick<KeptPrompt, 'uuid'>;

export function waitingPrompt(line: string): KeptPrompt[] {
  const event = decodeLine(line);
  return event.kind === 'user' && event.uuid !== undefined ? [{ uuid: event.uuid, line, fate: 'waiting' }] : [];
}

/** The fates of prompts after an action, written to disk before the action is carried out. */
export function fatesIn(action: Action): readonly News[] {
  if (action.kind === 'hold') return [{ uuid: action.uuid, line: action.line, fate: 'waiting' }];
  if (action.kind === 'answered') return action.uuids.map((uuid) => ({ uuid, fate: 'over' }));
  if (action.kind !== 'send' || action.promptUuid === undefined) return [];
  return [{ uuid: action.promptUuid, line: action.line, fate: 'sent' }];
}

/**
 * What is still to be done of a run that was broken off.
 *
 * @param arrived what claude's logs have
 */
export function openIn(
  prompts: readonly KeptPrompt[],
  arrived: ReadonlySet<string>,
  isOwn: (uuid: string) => boolean,
): KeptPrompt[] {
  const callers = prompts.filter(({ uuid }) => !isOwn(uuid));
  const last = callers.findLastIndex(({ uuid }) => arrived.has(uuid));
  return callers.flatMap((one, at) => {
    // claude joins what arrives together, and logs the last one's uuid alone.
    const hasArrived = arrived.has(one.uuid) || (one.fate === 'sent' && at < last);
    return one.fate === 'over' ? [] : [{ ...one, fate: hasArrived ? 'owed' : 'waiting' }];
  });
}

export function linesOf(prompts: readonly KeptPrompt[], which: KeptPrompt['fate']): string[] {
  return prompts.filter(({ fate }) => fate === which).map(({ line }) => line);
}

/**
 * The list out of a run's file, in order. An entry about a prompt that is in it already changes its fate.
 *
 * @param entries sealed by ctxb, so of this shape
 */
export function readKept(entries: readonly Fields[]) {
  const told = entries.flatMap(({ prompts }) => listOf(prompts)) as News[];
  const prompts = new Map<string, KeptPrompt>();
  for (const one of told) prompts.set(one.uuid, { line: '', fate: 'waiting', ...prompts.get(one.uuid), ...one });
  const lastSent = told.findLast(({ fate }) => fate === 'sent' || fate === 'owed')?.uuid;
  return { prompts: [...prompts.values()], lastSent };
}
