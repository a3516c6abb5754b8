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
   * - `act`: decisions are carried out.
   * - `observe`: decisions are only noted; prompts are passed on.
   * - `replay`: decisions are only noted; prompts are seen in the recording.
   */
  readonly mode: 'act' | 'observe' | 'replay';
  /** A UUID. The ids of ctxb's own lines derive from it, so a replay gets the same ids. */
  readonly runId: string;
  /** Folder for data that outlives the context, as the agent should write it. */
  readonly contextDir: string;
  /** The run continues an earlier session, so its context must be known before the first prompt. */
  readonly resumes: boolean;
  /** Whether the caller writes the stream protocol, including control lines; otherwise ctxb gets prompts one by one. */
  readonly callerSpeaksProtocol: boolean;
  /** Whether the caller sees the lines of injected turns. */
  readonly showInjected: boolean;
  /** Whether the caller placed claude's trigger or switched it off: ctxb leaves it alone. */
  readonly callerPlacedTrigger: boolean;
  /** Working folder of claude. */
  readonly project: string;
  /** Whether claude answers in a prescribed schema (`--json-schema`), so that it cannot write a document. */
  readonly answersInSchema: boolean;
  /** Whether the caller sends exactly one prompt. */
  readonly singlePrompt?: boolean;
  /** The agent that claude works as (`--agent`); claude refuses an unknown one. */
  readonly agent?: string;
  /** Whether claude calls no hooks (`--bare`). */
  readonly withoutHooks: boolean;
  /** Whether compactions should be exact, if claude supports that. */
  readonly exact?: boolean;
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
  /** Growth of the context, in tokens, in the latest turns that made it grow. */
  growth: [] as readonly number[],
  /** Tokens in the context when the turn began. */
  startedFrom: 0,
  calls: 0,
  /** The previous turn, which claude's log may lack. */
  last: undefined as { readonly prompts: readonly Prompt[]; readonly answer: string } | undefined,
  /** Why claude was asked to end the turn; undefined if it was not asked, or ended it for that reason. */
  stopped: undefined as Stop | undefined,
  /** The wait for background shells after the last turn. */
  grace: 'none' as 'none' | 'running' | 'over',
};

/**
 * - `asked`: by the caller or the user, or by ctxb in its own turn.
 * - `cost`: a limit is crossed. `wait`: claude would wait too long for the API. `stall`: claude stopped responding.
 * Another turn continues the work.
 * - `last`: the last turn has used up its room above a limit.
 */
export type Stop = 'asked' | 'cost' | 'wait' | 'stall' | 'last';

/** ctxb's own traffic on the control channel. */
export type Control = Readonly<typeof NEW_CONTROL>;

export const NEW_CONTROL = {
  /** `closed`: the caller's first line decides who initializes. `opening`: claude was asked for its context. */
  phase: 'closed' as 'closed' | 'opening' | 'open',
  /** Whether this process was asked for its window: a turn that ends with its first call does not need it. */
  asked: false,
  /** Whether the last call has not reported its tokens yet. */
  unsized: false,
  sent: 0,
  pending: {} as Readonly<Record<string, ControlPurpose>>,
  /** Newest ids of claude's requests that ctxb answers. The caller does not see what belongs to them either. */
  callbacks: [] as readonly string[],
  /** Hooks of tool calls that wait for claude's report of its window. */
  held: [] as readonly ControlRequestEvent[],
  /** Ids of claude's questions that the caller has not answered. */
  questions: [] as readonly string[],
  /** The caller's `initialize`, for a replacement process. */
  initialize: undefined as Fields | undefined,
  /** The place of claude's own trigger, in tokens; `off` if ctxb must leave it alone. */
  trigger: 'unplaced' as number | 'unplaced' | 'off',
  triggerReason: '',
  /** The caller's requests to claude that a new process must get again, oldest first. */
  requests: [] as readonly CallersRequest[],
};

export interface CallersRequest {
  readonly id: string;
  readonly request: Fields;
  /** claude has answered with success, so only a new process needs the request. */
  readonly answered: boolean;
}

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
 * State of a prompt without an answer.
 * - `waiting`: ctxb holds it.
 * - `sent`: it was sent into the turn after the last tool round. If the turn ends before claude reads it, it starts the
 * next turn.
 * - `heard`: claude has read it in the running turn.
 * - `owed`: it was sent, maybe by an earlier run, and its turn has ended without an answer.
 * - `dropped`: like `owed`, but claude does not know it: the turn was stopped before claude read it, or its context is
 * gone.
 */
export type Fate = 'waiting' | 'sent' | 'heard' | 'owed' | 'dropped';

export interface OpenPrompt {
  readonly prompt: Prompt;
  readonly fate: Fate;
}

/** The agent's knowledge of its budget. */
const NOTHING_TOLD = {
  zone: 'ok' as ZoneName,
  /** When the agent was last asked for a stopping point in this zone `critical`, in milliseconds since the epoch. */
  askedAt: undefined as number | undefined,
  /** Warnings about cost and usage limits that the agent has not received yet. */
  warnings: [] as readonly string[],
  /** `uuid` of the last prompt that was announced as too large. */
  largeTask: undefined as string | undefined,
};

/** What goes to the agent: prompts without an answer, whether more can arrive, and notices. */
export type Mailbox = Readonly<typeof EMPTY_MAILBOX>;

export const EMPTY_MAILBOX = {
  /** Sent prompts, then waiting ones, each oldest first; including ctxb's own. */
  prompts: [] as readonly OpenPrompt[],
  /** Newest `uuid`s of closed prompts that claude has seen: it skips a prompt that it has seen. */
  over: [] as readonly string[],
  /** Why interrupted work must resume, as a sentence for the agent; undefined if none must. */
  work: undefined as string | undefined,
  /** The caller's input has ended. */
  ended: false,
  /** Stop the turn of the first waiting prompt when it begins. */
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
  /** The newest prompt that describes a task, or the first prompt; no command that claude answers itself. */
  latestPrompt: undefined as string | undefined,
  /** The state of the work, as reported or found in the agent's words. */
  state: undefined as string | undefined,
  /** Path of claude's own log of the session, from its hooks. */
  transcript: undefined as string | undefined,
  commandsOff: false,
  /** Folder of the session's notes, as the agent should write it; undefined until it exists. */
  notes: undefined as string | undefined,
};

type Process = Readonly<typeof NEW_PROCESS> & { readonly control: Control };

export const NEW_PROCESS = {
  /** `dead`: the process ended, and another will replace it. `starting`: the replacement has begun no session. */
  phase: 'running' as 'running' | 'dead' | 'starting',
  /** Whether the process resumes an earlier session. */
  resumes: false,
  /** In a row. */
  restarts: 0,
  /** The caller has sent a line at which claude exits with 1 and an error on stderr, also after a restart. */
  balks: false,
  /** claude has not confirmed the end of an abandoned compaction, whose lines may still arrive. */
  compacts: false,
  /** claude stopped responding and was told to exit. */
  hangs: false,
  /** Time of claude's last line, in milliseconds since the epoch. */
  heardAt: 0,
  /** In a row. */
  stalls: 0,
  /** Time of the latest check for a stall; undefined while no output is expected. */
  lookedAt: undefined as number | undefined,
};

/** What claude works with: tools and the room for their results, subagents, background tasks. */
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
  /** What the current input has led to: decisions, and tasks of the host. */
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
