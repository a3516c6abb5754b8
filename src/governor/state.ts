import type { Fields } from '../stream/fields.ts';
import type { Place, Verdict } from './actions.ts';
import { NO_CACHE, type PromptCache } from './cost/cache-expiry.ts';
import { type Cost, EMPTY_COST, restarted, totalMicroUsd, toUsd } from './cost/cost.ts';
import { NO_SPENDING, type Spending } from './cost/spending.ts';
import { EMPTY_GAUGE, type Gauge, type Reading, readGauge } from './gauge/gauge.ts';
import { learnWindow } from './gauge/window.ts';
import type { Policy } from './policy.ts';
import { EMPTY_MAILBOX, type Mailbox, type Prompt } from './prompts/mailbox.ts';
import type { Tasks } from './prompts/tasks.ts';
import type { Latch } from './relief/latch.ts';
import { NO_REFILL, type Refill } from './relief/refill.ts';
import { type Handoff, NO_RELIEF, type Relief } from './relief/relief-state.ts';
import { NEW_TOOL_BUDGET, type ToolBudget } from './tool-budget/tool-budget.ts';
import { NOTHING_TOLD, type Told } from './zones/notices.ts';

/** What does not change during a session. */
export interface Run {
  readonly policy: Policy;
  /**
   * - `act`: decisions are carried out.
   * - `observe`: decisions are only noted; prompts are passed on.
   * - `replay`: decisions are only noted; prompts are seen in the recording.
   */
  readonly mode: 'act' | 'observe' | 'replay';
  /** A UUID; the ids of lines that ctxb writes itself derive from it, so that a replay makes the same ones. */
  readonly runId: string;
  /** Folder for what must outlive the context, as the agent is to name it. */
  readonly contextDir: string;
  /** An earlier session goes on: its context must be known before anything is said. */
  readonly resumes: boolean;
  /** The caller writes the stream protocol himself, control lines included; else ctxb is fed prompts one by one. */
  readonly callerSpeaksProtocol: boolean;
  /** Lines of injected turns are shown too. */
  readonly showInjected: boolean;
  /** The caller placed claude's own trigger, or switched it off: it is left alone. */
  readonly callerPlacedTrigger: boolean;
  /** Working folder of claude. */
  readonly project: string;
  /** claude answers in a shape that the caller prescribed (`--json-schema`): it cannot be asked for a text. */
  readonly answersInSchema: boolean;
  /** claude calls no hooks (`--bare`). */
  readonly withoutHooks: boolean;
  /** A person is at the terminal and can be asked. */
  readonly attended: boolean;
  /** claude keeps a log, so that a session can be gone on with in another process. */
  readonly persistent: boolean;
}

export interface Turn {
  /** `sent`: a prompt is on its way and claude has not begun to answer. */
  readonly phase: 'idle' | 'sent' | 'running';
  /** Who started it: a prompt, or claude itself because a background task finished. */
  readonly startedBy: 'prompt' | 'claude';
  /** Turns that are over, background ones included, ctxb's own not. */
  readonly ended: number;
  /** Of these, turns that no prompt started. */
  readonly unprompted: number;
  /** Tokens by which turns that made the context grow did so, and how many there were. */
  readonly growth: { readonly tokens: number; readonly turns: number; readonly recent: readonly number[] };
  /** Context when this turn began. */
  readonly startedAt: number;
  /** Main-thread calls of this turn. */
  readonly calls: number;
  /** What was said in this turn: its own prompt, and what the caller said into it. */
  readonly prompts: readonly Prompt[];
  /** The turn before, which claude's log may not have yet. */
  readonly last: { readonly prompts: readonly Prompt[]; readonly answer: string } | undefined;
  /** Of these, what was said since the last tool round: the turn may end without it, and then it starts the next. */
  readonly unheard: readonly Prompt[];
}

/** One attempt to compact, from the command to its verdict. */
export interface Attempt {
  readonly uuid: string;
  readonly before: Reading;
  /** Micro-dollars. */
  readonly costBefore: number;
  readonly error: string | undefined;
  /** Status for which claude tried a call again last; `unreachable`: there was no answer at all. */
  readonly apiStatus: number | 'unreachable' | undefined;
  readonly boundarySeen: boolean;
  /** The caller interrupted it: that says nothing about compacting. */
  readonly interrupted: boolean;
}

export type Compaction =
  /** `landing`: the last one succeeded, and the next call will show what it freed. */
  | {
      readonly phase: 'idle';
      readonly failures: number;
      readonly landing: Reading | undefined;
      /** Calls that were measured when the last attempt failed: until there is another, nothing has changed. */
      readonly triedAt: number | undefined;
    }
  /** `overdue`: it was given up waiting for, and its lines may still come. */
  | {
      readonly phase: 'overdue';
      readonly failures: number;
      readonly attempt: Attempt;
      readonly triedAt: number;
    }
  | { readonly phase: 'asked' | 'running'; readonly failures: number; readonly attempt: Attempt };

/** The process that claude is. */
export interface Process {
  /**
   * - `dead`: it ended, and another is to take its place.
   * - `starting`: the other is there and has not begun yet.
   */
  readonly phase: 'running' | 'dead' | 'starting';
  /** It goes on with an earlier session. */
  readonly resumes: boolean;
  /** Times in a row that it had to be started again. */
  readonly restarts: number;
}

/** ctxb's own traffic on the control channel. */
export interface Control {
  /** `closed`: the caller's first line decides who initializes. `opening`: claude was asked for its context. */
  readonly phase: 'closed' | 'opening' | 'open';
  readonly sent: number;
  readonly pending: Readonly<Record<string, ControlPurpose>>;
  /** Newest ids under which claude asked what ctxb answers: the answers and cancellations are not shown either. */
  readonly callbacks: readonly string[];
  /** Ids of claude's questions that the caller has not answered yet. */
  readonly questions: readonly string[];
  /** The caller's `initialize`, for a process that takes the place of the first. */
  readonly initialize: Fields | undefined;
}

export type ControlPurpose =
  | 'initialize'
  | 'context'
  | 'trigger'
  | 'release-trigger'
  | 'interrupt'
  | 'stop-task'
  | 'proof'
  | 'usage';

/** The meter of one subagent, in tokens. */
export interface Meter {
  readonly messageId: string;
  /** Context of the last call. */
  readonly used: number;
  readonly peak: number;
  readonly calls: number;
}

export interface GovernorState {
  readonly run: Run;
  /** Time of the input that is being judged, in milliseconds since the epoch. */
  readonly now: number;
  readonly process: Process;
  readonly session: {
    readonly id: string | undefined;
    readonly model: string | undefined;
    readonly version: string | undefined;
    /** First prompt that is no slash command: the task, unless the user named one. */
    readonly firstPrompt: string | undefined;
    /** Where the work stands, as it was told or found in the agent's words. */
    readonly state: string | undefined;
    /** Path of claude's own log of it, as its hooks name it. */
    readonly transcript: string | undefined;
    /** claude does not run slash commands here. */
    readonly commandsOff: boolean;
  };
  /** Folder of the session's notes as the agent is to name it; undefined until they are there. */
  readonly notes: string | undefined;
  readonly gauge: Gauge;
  readonly latch: Latch;
  readonly turn: Turn;
  readonly compaction: Compaction;
  readonly handoff: Handoff;
  readonly relief: Relief;
  readonly refill: Refill;
  /** claude has said that it compacts the main thread's context, and the main thread has not called the API since. */
  readonly summarising: boolean;
  readonly mailbox: Mailbox;
  readonly control: Control;
  /** Where claude's own trigger was placed, in tokens; `off` when it must be left alone. */
  readonly trigger: number | 'unplaced' | 'off';
  readonly triggerReason: string;
  readonly tasks: Tasks;
  /** The time that background shells are given after the last turn. */
  readonly grace: 'none' | 'running' | 'over';
  readonly subagents: Readonly<Record<string, Meter>>;
  readonly toolBudget: ToolBudget;
  readonly told: Told;
  /** The last prompt that was announced as too large, by its `uuid`. */
  readonly largeTask: string | undefined;
  readonly cost: Cost;
  readonly cache: PromptCache;
  readonly spending: Spending;
  readonly input: 'open' | 'interrupted' | 'closed';
  /** Why the run ends otherwise than by claude's own end. */
  readonly outcome: 'limit' | 'unrelieved' | undefined;
}

/** The state before anything happened. */
export function initialState(run: Run): GovernorState {
  const { window } = run.policy;
  return {
    run,
    now: 0,
    process: { phase: 'running', resumes: run.resumes, restarts: 0 },
    session: NO_SESSION,
    notes: undefined,
    gauge:
      window === undefined ? EMPTY_GAUGE : { ...EMPTY_GAUGE, window: learnWindow(EMPTY_GAUGE.window, window, 'user') },
    latch: 'none',
    turn: {
      phase: 'idle',
      startedBy: 'prompt',
      ended: 0,
      unprompted: 0,
      growth: { tokens: 0, turns: 0, recent: [] },
      startedAt: 0,
      calls: 0,
      prompts: [],
      last: undefined,
      unheard: [],
    },
    compaction: { phase: 'idle', failures: 0, landing: undefined, triedAt: undefined },
    handoff: { phase: 'idle' },
    relief: NO_RELIEF,
    refill: NO_REFILL,
    summarising: false,
    mailbox: EMPTY_MAILBOX,
    control: { phase: 'closed', sent: 0, pending: {}, callbacks: [], questions: [], initialize: undefined },
    trigger: run.mode !== 'act' || run.callerPlacedTrigger || !run.policy.midTurn.enabled ? 'off' : 'unplaced',
    triggerReason: '',
    tasks: {},
    grace: 'none',
    subagents: {},
    toolBudget: NEW_TOOL_BUDGET,
    told: NOTHING_TOLD,
    largeTask: undefined,
    cost: run.resumes ? restarted(EMPTY_COST, 'resumed') : EMPTY_COST,
    cache: NO_CACHE,
    spending: NO_SPENDING,
    input: 'open',
    outcome: undefined,
  };
}

const NO_SESSION: GovernorState['session'] = {
  id: undefined,
  model: undefined,
  version: undefined,
  firstPrompt: undefined,
  state: undefined,
  transcript: undefined,
  commandsOff: false,
};

/** A compaction of ours is under way: prompts wait. */
export function isCompacting(
  compaction: Compaction,
): compaction is Extract<Compaction, { readonly phase: 'asked' | 'running' }> {
  return compaction.phase === 'asked' || compaction.phase === 'running';
}

/** Something of ctxb's own is under way: prompts wait. */
export function isRelieving({ compaction, handoff, process, spending }: GovernorState): boolean {
  return (
    isCompacting(compaction) || handoff.phase !== 'idle' || process.phase === 'dead' || spending.phase === 'asking'
  );
}

/** The common part of every decision. */
export function decided(state: GovernorState, reason: string): { at: Place; reason: string; gauge: Reading } {
  return { at: placeOf(state), reason, gauge: readGauge(state.gauge) };
}

function placeOf(state: GovernorState): Place {
  return { turn: state.turn.ended, call: state.gauge.calls };
}

/** US dollars so far, subagents included. */
export function costUsd(state: GovernorState): number {
  return toUsd(totalMicroUsd(state.cost));
}

/** Verdicts that show that compacting again would not help either. */
export function countsAsFailure(verdict: Verdict): boolean {
  return verdict !== 'success' && verdict !== 'unavailable' && verdict !== 'blocked';
}
