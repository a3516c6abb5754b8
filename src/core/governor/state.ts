import type { ControlRequestEvent } from '../protocol/events.ts';
import type { Fields } from '../protocol/fields.ts';
import type { Agents, Tasks } from './agents/agents-state.ts';
import type { Cost } from './cost/cost.ts';
import type { Spending } from './cost/cost-limit.ts';
import type { PromptCache, Setup } from './cost/prompt-cache.ts';
import type { Action } from './decisions.ts';
import type { Facts } from './facts.ts';
import type { Gauge } from './gauge/gauge.ts';
import type { Prompt } from './input.ts';
import type { Operation } from './operations/operation.ts';
import type { Policy } from './policy.ts';
import type { Relief } from './relief/relief-state.ts';
import type { Tools } from './relief/tool-results.ts';
import type { ToolBudget } from './tool-budget/tool-budget.ts';
import type { Waits } from './waits/waits-state.ts';
import type { ZoneName } from './zones/zones.ts';

/** Constants of a session. */
export interface Run {
  readonly policy: Policy;
  /**
   * - `act`: ctxb carries out its decisions.
   * - `observe`: ctxb only records its decisions, and passes prompts on.
   * - `replay`: ctxb only records its decisions. The prompts come from a recording.
   */
  readonly mode: 'act' | 'observe' | 'replay';
  /** A UUID. The ids of ctxb's own lines derive from it, so a replay gets the same ids. */
  readonly runId: string;
  /** Folder for data that outlives the context: the path for the agent. */
  readonly contextDir: string;
  /** Whether the run continues an earlier session. Then claude must report its context before the first prompt. */
  readonly resumes: boolean;
  /** Whether the caller writes the stream protocol, with control lines. Otherwise ctxb sends its prompts one by one. */
  readonly callerSpeaksProtocol: boolean;
  /** Whether the caller sees the lines of injected turns. */
  readonly showInjected: boolean;
  /** Whether the caller placed claude's trigger or switched it off, so that ctxb does not change it. */
  readonly callerPlacedTrigger: boolean;
  /** The caller's percentage for claude's level (`CLAUDE_AUTOCOMPACT_PCT_OVERRIDE`). */
  readonly levelPercent?: number;
  /** Working folder of claude. */
  readonly project: string;
  /** Whether claude must answer in a schema (`--json-schema`), so that it cannot write a document. */
  readonly answersInSchema: boolean;
  /** Whether the caller sends exactly one prompt. */
  readonly singlePrompt?: boolean;
  /** The agent that claude works as (`--agent`). */
  readonly agent?: string;
  /** Whether claude runs no hooks (`--bare`). */
  readonly withoutHooks: boolean;
  /** Whether compactions should be exact, if claude supports that. */
  readonly exact?: boolean;
  /** Whether claude has a cost limit of the caller's (`--max-budget-usd`). */
  readonly hasOwnBudget?: boolean;
  /** Whether claude has a limit of the caller's for the calls of one turn (`--max-turns`). */
  readonly hasMaxTurns?: boolean;
  /** Whether a user at the terminal can be asked. */
  readonly attended: boolean;
  /** Whether claude was told not to retry calls. */
  readonly withoutRetries?: boolean;
  /** Whether claude keeps a log, so that another process can resume the session. */
  readonly persistent: boolean;
}

export type Turn = Readonly<typeof NEW_TURN>;

export const NEW_TURN = {
  /** `sent`: ctxb has sent a prompt and claude has not begun to answer. */
  phase: 'idle' as 'idle' | 'sent' | 'running',
  /** What started the turn: a prompt, or claude itself after a background task finished. */
  startedBy: 'prompt' as 'prompt' | 'claude',
  /** Ended turns, including background turns, excluding ctxb's own. */
  ended: 0,
  /** Growth of the context in the latest turns that made it grow, in tokens. */
  growth: [] as readonly number[],
  /** Size of the context when the turn began, in tokens. */
  startedFrom: 0,
  calls: 0,
  /** The previous turn. claude's log may lack it. */
  last: undefined as { readonly prompts: readonly Prompt[]; readonly answer: string } | undefined,
  /** Why ctxb or the caller interrupted the turn; undefined if nobody did. */
  stopped: undefined as StopReason | undefined,
  /** Whether that interrupt was meant for the turn before. */
  isStopLate: false,
  /** Whether the caller has denied a tool and stopped the turn with that. */
  isDenied: false,
  /** The wait for background shells after the last turn. */
  grace: 'none' as 'none' | 'running' | 'over',
};

/**
 * Why a turn is interrupted.
 * - `asked`: by the caller or the user, or by ctxb in its own turn.
 * - `cost`: a limit is crossed. `wait`: claude would wait too long for the API. `stall`: claude stopped responding.
 * Another turn continues the work.
 * - `last`: the last turn has used up its room above a limit.
 */
export type StopReason = 'asked' | 'cost' | 'wait' | 'stall' | 'last';

/** ctxb's own traffic on the control channel. */
export type Control = Readonly<typeof NEW_CONTROL>;

export const NEW_CONTROL = {
  /**
   * `closed`: the caller's first line decides whether ctxb sends `initialize`. `opening`: ctxb waits for claude's
   * context.
   */
  phase: 'closed' as 'closed' | 'opening' | 'open',
  /** Whether ctxb has asked this process for its window. A turn of one call does not need it. */
  hasAskedWindow: false,
  /** Whether the size of the last call is still unknown. */
  isCallUnsized: false,
  sent: 0,
  pending: {} as Readonly<Record<string, ControlPurpose>>,
  /**
   * The latest ids of claude's requests that ctxb answers. The caller does not see these requests, nor claude's further
   * lines about them.
   */
  callbacks: [] as readonly string[],
  /** Hooks of tool calls. ctxb answers them when claude has reported its window. */
  held: [] as readonly ControlRequestEvent[],
  /** Ids of claude's questions that the caller has not answered. */
  questions: [] as readonly string[],
  /** The caller's `initialize`, for the next process. */
  initialize: undefined as Fields | undefined,
  /** The level of claude's own trigger, in tokens; `off` if ctxb must not change it. */
  trigger: 'unplaced' as number | 'unplaced' | 'off',
  triggerReason: '',
  /**
   * The level at which claude compacts by the caller's settings, in tokens; undefined if the settings do not set a
   * level.
   */
  callersLevel: undefined as number | undefined,
  /** Whether claude never compacts by itself, so that it refuses prompts once its window is full. */
  isAutoCompactOff: false,
  /** The caller's requests that claude has not answered, oldest first. */
  requests: [] as readonly ControlRequestEvent[],
  /** The caller's answered requests that a new process needs again, oldest first. */
  settings: [] as readonly Fields[],
  /** Credentials that the caller has sent since claude's start. They stay in memory. */
  credentials: {} as Fields,
  /** Lists of rules and directories that the caller has set for the session, as claude writes them in settings. */
  permissions: {} as Fields,
  /** Whether this process has got the permissions of the session as settings. */
  hasGivenPermissions: false,
};

export type ControlPurpose =
  | 'initialize'
  | 'context'
  | 'late-context'
  | 'trigger'
  | 'release-trigger'
  | 'interrupt'
  | 'stop-task'
  | 'setting'
  | 'load-mod'
  | 'usage'
  | 'cost';

/**
 * The state of a prompt without an answer.
 * - `waiting`: ctxb holds it.
 * - `sent`: ctxb sent it into the turn after the last tool round. If the turn ends before claude reads it, it starts
 * the next turn.
 * - `heard`: claude has read it in the running turn.
 * - `owed`: it was sent, maybe by an earlier run, and its turn has ended without an answer.
 * - `dropped`: like `owed`, but claude does not know it: the turn was stopped before claude read it, or its context is
 * gone.
 */
export type PromptFate = 'waiting' | 'sent' | 'heard' | 'owed' | 'dropped';

export interface OpenPrompt {
  readonly prompt: Prompt;
  readonly fate: PromptFate;
}

/** The agent's knowledge of its budget. */
const NOTHING_TOLD = {
  zone: 'ok' as ZoneName,
  /** When ctxb last asked the agent for a stopping point in this zone `critical`, in milliseconds since the epoch. */
  askedAt: undefined as number | undefined,
  /** Warnings about cost and usage limits that the agent has not received yet. */
  warnings: [] as readonly string[],
  /** `uuid` of the last prompt that ctxb announced as too large. */
  largeTask: undefined as string | undefined,
};

/** Prompts without an answer, whether more can come, and notices for the agent. */
export type Mailbox = Readonly<typeof EMPTY_MAILBOX>;

export const EMPTY_MAILBOX = {
  /** Sent prompts, then waiting ones, each oldest first. Includes ctxb's own. */
  prompts: [] as readonly OpenPrompt[],
  /** Latest `uuid`s of closed prompts. claude skips a prompt whose `uuid` it has seen. */
  over: [] as readonly string[],
  /** Why interrupted work must resume, as a sentence for the agent; undefined if no work was interrupted. */
  resumeReason: undefined as string | undefined,
  /** Whether the caller's input has ended. */
  hasInputEnded: false,
  /** Whether to stop the turn of the first waiting prompt when it begins. */
  stopNext: false,
  /** claude's input. `interrupted`: the user has stopped the turn, and ctxb sends no further prompt. */
  input: 'open' as 'open' | 'interrupted' | 'closed',
  /** Why ctxb ends the run; undefined if claude ends it. */
  outcome: undefined as
    | ('asked' | 'limit' | 'unrelieved' | 'usage-limit' | 'outage' | 'stalled' | 'refused')
    | undefined,
  told: NOTHING_TOLD as Readonly<typeof NOTHING_TOLD>,
};

export type Session = Readonly<typeof NO_SESSION> & { readonly cache: PromptCache };

export const NO_SESSION = {
  id: undefined as string | undefined,
  model: undefined as string | undefined,
  version: undefined as string | undefined,
  /** Tools and servers of claude's last `init`; undefined in session logs. */
  setup: undefined as Setup | undefined,
  /**
   * The newest prompt that describes a task, or else the first prompt. Commands that claude answers itself do not
   * count.
   */
  latestPrompt: undefined as string | undefined,
  /** The state of the work: reported, or found in the agent's words. */
  state: undefined as string | undefined,
  /** Path of claude's log of the session. */
  transcript: undefined as string | undefined,
  /** The folder to which the caller has moved the session with `set_cwd`. */
  folder: undefined as string | undefined,
  commandsOff: false,
  /** Folder of the session's notes: the path for the agent; undefined until it exists. */
  notes: undefined as string | undefined,
};

type Process = Readonly<typeof NEW_PROCESS> & { readonly control: Control };

export const NEW_PROCESS = {
  /** `dead`: the process has ended, and a new one will follow. `starting`: the new one has no session yet. */
  phase: 'running' as 'running' | 'dead' | 'starting',
  /** Whether the process resumes an earlier session. */
  resumes: false,
  /** Restarts in a row. */
  restarts: 0,
  /** Whether the caller has sent a line at which claude exits with code 1. A new process would exit too. */
  hasFatalLine: false,
  /** Whether claude has not confirmed the end of an abandoned compaction. Its lines may still arrive. */
  isStillCompacting: false,
  /** Whether claude stopped responding and ctxb told it to exit. */
  isHung: false,
  /** Time of claude's last line, in milliseconds since the epoch. */
  lastLineAt: 0,
  /** Stalls in a row. */
  stalls: 0,
  /** Time of the last check for a stall, in milliseconds since the epoch; undefined while no output is expected. */
  checkedAt: undefined as number | undefined,
};

/** Tools and the room for their results, subagents, background tasks. */
export interface Work {
  readonly tools: Tools;
  readonly budget: ToolBudget;
  readonly agents: Agents;
  readonly tasks: Tasks;
}

export type Limits = Spending & Waits & { readonly cost: Cost };

export interface GovernorState {
  readonly run: Run;
  readonly facts: Facts;
  /** The decisions and effects of the current input. */
  readonly actions: readonly Action[];
  readonly session: Session;
  readonly process: Process;
  readonly gauge: Gauge;
  readonly turn: Turn;
  readonly operation: Operation;
  readonly relief: Relief;
  readonly mailbox: Mailbox;
  readonly work: Work;
  readonly limits: Limits;
}
