import { randomUUID } from 'node:crypto';
import type { Config } from '../config/config.ts';
import { type HookAnswer, hookOutput } from '../core/governor/effects.ts';
import { learnFromModelId, learnWindow } from '../core/governor/gauge/window.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { textOf } from '../core/protocol/fields.ts';
import type { ProcessMark } from '../store/files/process-mark.ts';
import { createFaults } from '../store/files/store-error.ts';
import type { Seal } from '../store/runs/seal.ts';
import { createSessionStore } from '../store/runs/session-store.ts';
import { createToolFiles } from '../store/runs/tool-files.ts';
import { type HookSession, holdHookSession, sweepHooks } from '../store/sessions/hook-sessions.ts';
import { type ModelInVersion, modelWindow } from '../store/sessions/model-windows.ts';
import { listSessions, sessionWithId } from '../store/sessions/sessions.ts';
import type { HookInput } from './hook-events.ts';
import {
  callbackEvent,
  callEvent,
  clearedEvent,
  followCalls,
  isInterruption,
  logEvents,
  newLines,
  promptLine,
  settledLines,
  turnEnd,
} from './hook-events.ts';
import { createHookHost, type HookHost, hookRun } from './hook-host.ts';
import type { HookNotes, HookNotesWorld } from './hook-notes.ts';
import { followClaude, type KeptSession, keptText, predecessorOf, readKept } from './kept-session.ts';

export interface HookWorld {
  readonly config: Config;
  /** The project's folder, and the context folder in it, absolute. */
  readonly project: string;
  readonly folder: string;
  /** Of what hooks leave for each other. */
  readonly seal: Seal;
  /** Where ctxb keeps what is the user's; undefined: nowhere. */
  readonly userFolder: string | undefined;
  /** How the agent finds what its context does not hold any more; undefined: it can't. */
  readonly recall?: string;
  /** The Claude Code that calls the hook. */
  readonly claude: ProcessMark;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The outcome of a hook. */
export interface HookResult {
  /** For claude. */
  readonly output: object;
  /** For the person: what was decided, and faults that were not told before. */
  readonly notices: readonly string[];
}

/** Answers a hook as a run would: with the same governor and notes, and the state that the last hook left. */
export async function answerHook(input: HookInput, world: HookWorld): Promise<HookResult> {
  const { folder, config, now, seal } = world;
  if (input.hook === 'SessionStart') sweepHooks(folder, now());
  const patienceMs = config.hooks.watchdogSeconds * 1000;
  const held = await holdHookSession(folder, input.sessionId, { patienceMs, seal });
  // Hooks before it have taken all the time there was.
  if (held === undefined) return { output: {}, notices: [] };
  try {
    return await answerAlone(input, world, held);
  } finally {
    held.release();
  }
}

/** Runs while no other hook of the session does. */
async function answerAlone(input: HookInput, world: HookWorld, held: HookSession): Promise<HookResult> {
  const { folder, config, now, project, userFolder } = world;
  const notices: string[] = [];
  const faults: string[] = [];
  const onFault = createFaults((text) => faults.push(text));
  const before = sinceNotes(predecessorOf(input, world) ?? readKept(held.read()), input, folder);
  followClaude(input, world);
  const run = hookRun(config, project, before.state?.run.runId ?? randomUUID(), world.recall);
  // Else what claude has said of the model in another session.
  const windowOf = (model: ModelInVersion) =>
    held.window() ?? (userFolder === undefined ? undefined : modelWindow(userFolder, model));
  const store = createSessionStore(folder, { runId: run.runId, now, onFault });
  const toolFiles = createToolFiles({ folder, onFault });
  const notice = (text: string) => void notices.push(text);
  const host = createHookHost(stateFor(input, before, run, windowOf), { store, toolFiles, now, notice });
  const notes = wantsNotes(input, before, config) ? await openNotes(host, { ...world, onFault, notice }) : undefined;
  const { kept, output } = work(input, before, host, notes);
  const news = faults.filter((fault) => !before.told.includes(fault));
  for (const reason of news) store.journal({ kind: 'fault', hook: input.hook, reason });
  held.write(keptText({ ...kept, state: host.state, told: [...before.told, ...news].slice(-MOST_TOLD) }));
  return { output, notices: [...notices, ...news] };
}

const MOST_TOLD = 20;

/** A session that has no notes yet is noted from its beginning, and not from where hooks were set up in it. */
function sinceNotes(kept: KeptSession, { sessionId }: HookInput, folder: string): KeptSession {
  const isNew = kept.noted === undefined && sessionWithId(listSessions(folder), sessionId) === undefined;
  return isNew ? { ...kept, noted: 0 } : kept;
}

/** The notes need what few hooks need: it is loaded only for them. */
async function openNotes(host: HookHost, world: HookNotesWorld): Promise<HookNotes> {
  const { openHookNotes } = await import('./hook-notes.ts');
  return openHookNotes(host, world);
}

/** Hooks at which notes are written or handed back. */
const NOTE_HOOKS: ReadonlySet<HookInput['hook']> = new Set(['PreCompact', 'PostCompact', 'Stop', 'SessionEnd']);

function wantsNotes({ hook, fields }: HookInput, { compaction }: KeptSession, { memory }: Config): boolean {
  if (!memory.enabled) return false;
  if (hook === 'SessionStart') return fields.source !== 'startup';
  return NOTE_HOOKS.has(hook) || (hook === 'UserPromptSubmit' && compaction.length > 0);
}

/** The governor as the hook before has left it, with the configuration of now. */
function stateFor(
  input: HookInput,
  { state }: KeptSession,
  run: Run,
  windowOf: (model: ModelInVersion) => number | undefined,
): GovernorState {
  const start = state === undefined ? initialState(run) : { ...state, run };
  const session = {
    ...start.session,
    id: start.session.id ?? input.sessionId,
    transcript: input.transcript ?? start.session.transcript,
  };
  const model = start.gauge.call?.model ?? start.session.model;
  const window = run.policy.window ?? windowOf({ model, version: start.session.version });
  const known = learnWindow(start.gauge.window, window ?? 0, run.policy.window ? 'user' : 'asked');
  return { ...start, session, gauge: { ...start.gauge, window: learnFromModelId(known, textOf(input.fields.model)) } };
}

function work(
  input: HookInput,
  before: KeptSession,
  host: HookHost,
  notes: HookNotes | undefined,
): { readonly kept: KeptSession; readonly output: object } {
  if (host.state.session.id !== input.sessionId) {
    const cleared = clearedEvent(input.sessionId);
    host.claude(cleared);
    notes?.observe(cleared);
  }
  const { read, open, stopped } = catchUp(input, before, host);
  const noted = notes === undefined ? before.noted : note(input, before, notes);
  const kept = { ...before, read, noted: noted ?? read, open, stopped };
  if (AFTER_TURN.has(input.hook)) endTurn(input, kept, host);
  const after = follow(input, kept, host);
  if (notes !== undefined) recall(input, before, notes);
  const event = callbackEvent(input, input.hook);
  if (event !== undefined) {
    host.claude(event);
    if (input.hook === 'PostCompact') notes?.summarised(event);
  }
  const output = host.answer === undefined ? {} : complete(asked(input, host.answer), notes);
  notes?.close();
  return { kept: withContext(after, host.answer), output };
}

/** What goes with the answer to SessionStart, which is gone through again. */
function withContext(kept: KeptSession, answer: HookAnswer | undefined): KeptSession {
  const [start, ...others] = kept.compaction;
  if (start === undefined || answer?.hook !== 'SessionStart' || answer.context === undefined) return kept;
  return { ...kept, compaction: [{ ...start, context: answer.context }, ...others] };
}

/** What the log has shown since the last hook, and the call that it does not show yet. */
function catchUp(
  input: HookInput,
  before: KeptSession,
  host: HookHost,
): Pick<KeptSession, 'read' | 'open' | 'stopped'> {
  const { lines, end } = newLines(input.transcript, before.read);
  let { stopped } = before;
  const open = new Set(before.open);
  for (const line of lines) {
    const event = decodeLine(line);
    if (isInterruption(event)) stopped = 'interrupted';
    for (const shown of logEvents(host.state, event)) host.claude(shown);
    followCalls(open, event);
  }
  const call = callEvent(input, open);
  if (call !== undefined) {
    host.claude(call);
    followCalls(open, call);
  }
  return { read: end, open: [...open], stopped };
}

/** Notes what the log has shown since the last time. */
function note(input: HookInput, { noted }: KeptSession, notes: HookNotes): number | undefined {
  if (noted === undefined) return undefined;
  const { lines, start } = newLines(input.transcript, noted);
  const { events, bytes } = settledLines(lines);
  // PostCompact has told of a summary already.
  for (const event of events) if (event.kind !== 'user' || event.role !== 'summary') notes.observe(event);
  return start + bytes;
}

/** Hooks that come between turns or in one. */
const AFTER_TURN: ReadonlySet<HookInput['hook']> = new Set(['UserPromptSubmit', 'PreCompact', 'SessionStart']);

/** The last lines of a turn come into the log behind its end: only what follows on it ends it. */
function endTurn({ sessionId }: HookInput, { stopped }: KeptSession, host: HookHost): void {
  if (stopped === 'no' || host.state.turn.phase === 'idle') return;
  host.claude(turnEnd(sessionId, stopped === 'interrupted'));
}

/** What the hook itself says of turns and compactions. */
function follow(input: HookInput, kept: KeptSession, host: HookHost): KeptSession {
  const { hook, fields } = input;
  if (hook === 'UserPromptSubmit') {
    host.prompt(promptLine(input));
    return { ...kept, stopped: 'no', compaction: [] };
  }
  if (hook === 'Stop') return { ...kept, stopped: 'ended' };
  if (hook === 'PreCompact') return { ...kept, compaction: [] };
  if (hook === 'SessionStart') return { ...kept, compaction: fields.source === 'compact' ? [fields] : [] };
  return hook === 'PostCompact' ? { ...kept, compaction: [...kept.compaction, fields] } : kept;
}

/** Repeats the hooks of a compaction for the notes, as each hook is a process of its own. */
function recall(input: HookInput, { compaction }: KeptSession, notes: HookNotes): void {
  if (input.hook !== 'PostCompact' && input.hook !== 'UserPromptSubmit') return;
  const [start, summary] = compaction;
  if (start === undefined) return;
  notes.recall(textOf(start.context), summary && callbackEvent({ ...input, hook: 'PostCompact', fields: summary }, ''));
}

/** A context that begins with earlier work in it, or behind it, is told where its notes are. */
function asked({ hook, fields }: HookInput, answer: HookAnswer): HookAnswer {
  const goesOn = hook === 'SessionStart' && (fields.source === 'clear' || fields.source === 'resume');
  return goesOn ? { ...answer, recall: 'begun' } : answer;
}

function complete(answer: HookAnswer, notes: HookNotes | undefined): object {
  return notes === undefined ? hookOutput(answer, answer.context) : notes.answer(answer);
}
