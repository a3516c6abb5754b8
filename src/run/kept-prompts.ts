import type { Action } from '../core/governor/decisions.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { type Fields, listOf } from '../core/protocol/fields.ts';

/** A prompt in the run's state file, for the process that resumes the run. */
export interface KeptPrompt {
  readonly uuid: string;
  readonly line: string;
  /**
   * - `waiting`: not yet sent to claude.
   * - `sent`: sent; claude's log shows whether it arrived.
   * - `owed`: received by claude, not yet answered to the caller.
   * - `over`: answered.
   */
  readonly fate: 'waiting' | 'sent' | 'owed' | 'over';
}

type News = Partial<KeptPrompt> & Pick<KeptPrompt, 'uuid'>;

export function waitingPrompt(line: string): KeptPrompt[] {
  const event = decodeLine(line);
  return event.kind === 'user' && event.uuid !== undefined ? [{ uuid: event.uuid, line, fate: 'waiting' }] : [];
}

/** The changes to prompts that an action causes, written to disk before the action is executed. */
export function promptChanges(action: Action): readonly News[] {
  if (action.kind === 'hold') return [{ uuid: action.uuid, line: action.line, fate: 'waiting' }];
  if (action.kind === 'answered') return action.uuids.map((uuid) => ({ uuid, fate: 'over' }));
  if (action.kind !== 'send' || action.promptUuid === undefined) return [];
  return [{ uuid: action.promptUuid, line: action.line, fate: 'sent' }];
}

/** The prompts without an answer. @param arrived uuids of the prompts in claude's logs */
export function promptsWithoutAnswer(
  prompts: readonly KeptPrompt[],
  arrived: ReadonlySet<string>,
  isOwn: (uuid: string) => boolean,
): KeptPrompt[] {
  const callers = prompts.filter(({ uuid }) => !isOwn(uuid));
  const last = callers.findLastIndex(({ uuid }) => arrived.has(uuid));
  return callers.flatMap((prompt, index) => {
    // claude logs only the uuid of the last of several prompts that arrive together.
    const hasArrived = arrived.has(prompt.uuid) || (prompt.fate === 'sent' && index < last);
    return prompt.fate === 'over' ? [] : [{ ...prompt, fate: hasArrived ? 'owed' : 'waiting' }];
  });
}

export function linesOf(prompts: readonly KeptPrompt[], which: KeptPrompt['fate']): string[] {
  return prompts.filter(({ fate }) => fate === which).map(({ line }) => line);
}

/**
 * The list of prompts, in order. A later entry about the same prompt changes its fate.
 *
 * @param entries sealed by ctxb, so their shape is known
 */
export function readKeptPrompts(entries: readonly Fields[]) {
  const changes = entries.flatMap(({ prompts }) => listOf(prompts)) as News[];
  const prompts = new Map<string, KeptPrompt>();
  for (const change of changes)
    prompts.set(change.uuid, { line: '', fate: 'waiting', ...prompts.get(change.uuid), ...change });
  const lastSent = changes.findLast(({ fate }) => fate === 'sent' || fate === 'owed')?.uuid;
  return { prompts: [...prompts.values()], lastSent };
}
