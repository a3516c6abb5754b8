import manifest from '../../package.json' with { type: 'json' };
import type { GovernorState } from '../core/governor/state.ts';
import { countOf, type Fields, fieldsOf, isFields, parseFields, textsOf } from '../core/protocol/fields.ts';
import { redact } from '../store/masks/redact.ts';
import { noteSessionOf, readHookSession, sessionOf } from '../store/sessions/hook-sessions.ts';
import type { HookWorld } from './answer-hook.ts';
import type { HookInput } from './hook-events.ts';

/** What one hook leaves for the next of the same session. */
export interface KeptSession {
  /** Undefined: this is the first one. */
  readonly state: GovernorState | undefined;
  /** Bytes of the session's log that the governor has seen, and that are noted; undefined: it has seen none. */
  readonly read: number | undefined;
  readonly noted: number | undefined;
  /** Calls of tools that were seen, in the log or by a hook, and whose results the log has not shown, by id. */
  readonly open: readonly string[];
  /** The turn is over as far as claude says, by itself or by the person; its last lines may come into the log later. */
  readonly stopped: 'no' | 'ended' | 'interrupted';
  /** Inputs of the hooks of the last compaction, until what it lost has been handed back. */
  readonly compaction: readonly Fields[];
  /** Faults that were reported already. */
  readonly told: readonly string[];
}

const NEW_SESSION: KeptSession = {
  state: undefined,
  read: undefined,
  noted: undefined,
  open: [],
  stopped: 'no',
  compaction: [],
  told: [],
};

/** Only the version that has written a state knows its shape. */
const { version: VERSION } = manifest;

/**
 * While a turn is under way its prompts stay as they were said, also in what was handed back: a compaction in it has them
 * handed back so.
 */
export function keptText(kept: KeptSession): string {
  const told: readonly object[] = kept.compaction;
  /** Prompts, and all that is in them. */
  const said = new WeakSet<object>();
  function masked(this: object, key: string, value: unknown): unknown {
    const isGiven = key === 'context' && told.includes(this);
    const isSaid = kept.stopped === 'no' && (said.has(this) || isPrompt(value) || isGiven);
    if (typeof value === 'string') return isSaid ? value : redact(value);
    if (isSaid && typeof value === 'object' && value !== null) said.add(value);
    return value;
  }
  return JSON.stringify({ version: VERSION, ...kept }, masked);
}

/** Inputs of tools may have some of its fields. */
function isPrompt(value: unknown): boolean {
  const fields = fieldsOf(value);
  return ['uuid', 'line', 'event'].every((name) => Object.hasOwn(fields, name));
}

/** A new one when it is missing, damaged or another version's. */
export function readKept(text: string | undefined): KeptSession {
  const { version, state, stopped, ...fields } = parseFields(text ?? '');
  if (version !== VERSION || !isFields(state)) return NEW_SESSION;
  return {
    // The version says that this program wrote it, in this shape.
    state: state as unknown as GovernorState,
    read: countOf(fields.read),
    noted: countOf(fields.noted),
    open: textsOf(fields.open),
    stopped: stopped === 'ended' || stopped === 'interrupted' ? stopped : 'no',
    compaction: Array.isArray(fields.compaction) ? fields.compaction.map(fieldsOf) : [],
    told: textsOf(fields.told),
  };
}

/**
 * What a session that `/clear` began continues; undefined for any other session. Its first hook names
 * neither the session before nor the `/clear`: the same Claude Code was at that session until now.
 */
export function predecessorOf(
  { hook, fields, sessionId }: HookInput,
  { folder, seal, claude }: HookWorld,
): KeptSession | undefined {
  if (hook !== 'SessionStart' || fields.source !== 'clear') return undefined;
  const before = sessionOf(folder, claude);
  if (before === undefined || before === sessionId) return undefined;
  const kept = readKept(readHookSession(folder, before, seal));
  return kept.state === undefined ? undefined : { ...kept, read: 0, noted: 0, open: [], stopped: 'no', compaction: [] };
}

/**
 * Only the beginning of a session moves Claude Code to it: hooks of the one before may still be at work. Any hook will
 * do where nothing is known yet, as ctxb may be set up in the middle of a session.
 */
export function followClaude({ hook, sessionId }: HookInput, { folder, claude }: HookWorld): void {
  if (hook !== 'SessionStart' && sessionOf(folder, claude) !== undefined) return;
  noteSessionOf(folder, claude, sessionId);
}
