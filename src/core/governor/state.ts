import type { ControlRequestEvent } from '../protocol/events.ts';
import type { Fields } from '../protocol/fields.ts';
import type { Agent, FanOut, Tasks } from './agents/agents-state.ts';
import type { Cost } from './cost/cost.ts';
import type { Spending } from './cost/cost-limit.ts';
import type { PromptCache, Setup } from './cost/prompt-cache.ts';
import type { Facts } from './facts.ts';
import type { Gauge } from './gauge/gauge.ts';
import type { Prompt } from './input.ts';
import type { Operation } from './operations/operation.ts';
import type { Policy } from './policy.ts';
import type { Exact, Relief } from './relief/relief-state.ts';
import type { Tools } from './relief/tool-results.ts';
import type { ToolBudget } from './tool-budget/tool-budget.ts';
import type { Life, Limits, Wait } from './waits/waits-state.ts';
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
  /** A UUID; the ids of ctxb's own lines derive from it, so that a replay makes the same ones. */
  readonly runId: string;
  /** Folder for what must outlive the context, as the agent is to name it. */
  readonly contextDir: string;
  /** The run continues an earlier session: its context must be known before the first prompt. */
  readonly resumes: boolean;
  /** The caller writes the stream protocol, control lines included; else ctxb is fed prompts one by one. */
  readonly callerSpeaksProtocol: boolean;
  /** Lines of injected turns are shown too. */
  readonly showInjected: boolean;
  /** The caller placed claude's own trigger, or switched it off: it is left alone. */
  readonly callerPlacedTrigger: boolean;
  /** Working folder of claude. */
  readonly project: string;
  /** claude answers in a shape that the caller prescribed (`--json-schema`): it cannot be asked for a text. */
  readonly answersInSchema: boolean;
  /** All that the caller says is one prompt. */
  readonly singlePrompt?: boolean;
  /** The agent that claude works as (`--agent`), which claude refuses if it is unknown; undefined: none. */
  readonly agent?: string;
  /** claude calls no hooks (`--bare`). */
  readonly withoutHooks: boolean;
  /** Compactions should be exact, if claude supports it. */
  readonly exact?: boolean;
  /** The agent's way to find what its context has lost, in words for the agent; undefined: none. */
  readonly recall?: string;
  /** A person is at the terminal and can be asked. */
  readonly attended: boolean;
  /** claude was told not to retry calls. */
  readonly withoutRetries?: boolean;
  /** claude keeps a log, so that another process can resume the session. */
  readonly persistent: boolean;
  /** Contexts after earlier compactions in this project, newest last, in tokens, where the strategy asks for them. */
  readonly landings?: readonly number[];
}

export type Turn = Readonly<typeof NEW_TURN>;

export const NEW_TURN = {
  /** `sent`: a prompt is on its way and claude has not begun to answer. */
  phase: 'idle' as 'idle' | 'sent' | 'running',
  /** What started it: a prompt, or claude itself because a background task finished. */
  startedBy: 'prompt' as 'prompt' | 'claude',
  /** Turns that are over, background ones included, ctxb's own not. */
  ended: 0,
  /** Tokens by which turns that made the context grow did so, and how many there were. */
  growth: { tokens: 0, turns: 0, recent: [] as readonly number[] },
  /** Tokens in the context when it began. */
  startedFrom: 0,
  calls: 0,
  /** The previous turn, which claude's log may lack. */
  last: undefined as { readonly prompts: readonly Prompt[]; readonly answer: string } | undefined,
  /** Why claude was asked to end it; undefined: it was not. */
  stopped: undefined as Stop | undefined,
  /** The time that background shells are given after the last turn. */
  grace: 'none' as 'none' | 'running' | 'over',
};

/**
 * - `asked`: the caller or the person wants it, or ctxb in a turn of its own.
 * - `cost`: a limit is crossed. `wait`: claude would wait too long for the API. `stall`: nothing came any more. Another
 *   turn goes on with the work.
 * - `last`: the last turn has used up its room above a limit.
 */
export type Stop = 'asked' | 'cost' | 'wait' | 'stall' | 'last';

/** ctxb's own traffic on the control channel. */
export type Control = Readonly<typeof NEW_CONTROL>;

export const NEW_CONTROL = {
  /** `closed`: the caller's first line decides who initializes. `opening`: claude was asked for its context. */
  phase: 'closed' as 'closed' | 'opening' | 'open',
  /** This process was asked for its window: a turn that ends with its first call needs none. */
  asked: false,
  /** The last call has not reported its tokens yet. */
  unsized: false,
  sent: 0,
  pending: {} as Readonly<Record<string, ControlPurpose>>,
  /** Newest ids under which claude asked what ctxb answers: the answers and cancellations are not shown either. */
  callbacks: [] as readonly string[],
  /** Calls of tools that claude asked about before it reported its window, which decides about them. */
  held: [] as readonly ControlRequestEvent[],
  /** Ids of claude's questions that the caller has not answered yet. */
  questions: [] as readonly string[],
  /** The caller's `initialize`, for a process that takes the place of the first. */
  initialize: undefined as Fields | undefined,
  /** The place of claude's own trigger, in tokens; `off` when it must be left alone. */
  trigger: 'unplaced' as number | 'unplaced' | 'off',
  triggerReason: '',
  /** The caller's requests to claude that a new process must get again, oldest first. */
  requests: [] as readonly CallersRequest[],
};

export interface CallersRequest {
  readonly id: string;
  readonly request: Fields;
  /** claude has done it: only a new process must be told again. */
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
 * What has become of a prompt that has no answer yet.
 *
 * - `waiting`: ctxb holds it.
 * - `sent`: it was said into the turn since the last tool round. The turn may end without it; then it starts the next.
 * - `heard`: the turn is about it.
 * - `owed`: it was sent, also by an earlier run, and its turn is over without an answer.
 * - `dropped`: the same, and claude has not heard it: the turn was stopped before.
 */
export type Fate = 'waiting' | 'sent' | 'heard' | 'owed' | 'dropped';

export interface OpenPrompt {
  readonly prompt: Prompt;
  readonly fate: Fate;
}

/** The prompts that have no answer yet, and whether more can come. */
export type Mailbox = Readonly<typeof EMPTY_MAILBOX>;

export const EMPTY_MAILBOX = {
  /** ctxb's own included: what was sent, then what waits, each oldest first. */
  prompts: [] as readonly OpenPrompt[],
  /** Newest `uuid`s that claude has seen and that are over: it skips a prompt that it has seen. */
  over: [] as readonly string[],
  ended: false,
  /** Stop the turn of the first waiting prompt when it begins. */
  stopNext: false,
};

/** The agent's knowledge of its budget. */
export const NOTHING_TOLD = {
  zone: 'ok' as ZoneName,
  /** When it was last asked to come to a stopping point, in milliseconds since the epoch; undefined: not since. */
  askedAt: undefined as number | undefined,
  /** Warnings about cost and usage limits that the agent has not got yet. */
  warnings: [] as readonly string[],
  /** The last prompt that was announced as too large, by its `uuid`. */
  largeTask: undefined as string | undefined,
};

export const NO_SESSION = {
  id: undefined as string | undefined,
  model: undefined as string | undefined,
  version: undefined as string | undefined,
  /** By claude's last `init`; undefined in session logs. */
  setup: undefined as Setup | undefined,
  /** The newest prompt that asks for work, or the first; not a command that claude answers itself. */
  latestPrompt: undefined as string | undefined,
  /** The state of the work, as reported or found in the agent's words. */
  state: undefined as string | undefined,
  /** Path of claude's own log of the session, as its hooks name it. */
  transcript: undefined as string | undefined,
  commandsOff: false,
  /** Folder of its notes as the agent is to name it; undefined until they are there. */
  notes: undefined as string | undefined,
};

/** The process that claude is. */
type Process = Readonly<typeof NEW_PROCESS>;

export const NEW_PROCESS = {
  /**
   * - `dead`: it ended, and another is to take its place.
   * - `starting`: the other is there and has not begun yet.
   */
  phase: 'running' as 'running' | 'dead' | 'starting',
  /** It resumes an earlier session. */
  resumes: false,
  /** Restarts in a row. */
  restarts: 0,
  /** The caller has sent a line at which claude ends with 1, and says so on stderr: another would end at it too. */
  balks: false,
  /** It has not yet confirmed the end of a compaction that took too long, whose lines may still come. */
  compacts: false,
  /** It stopped responding, and was told to end. */
  hangs: false,
  /** Stalls in a row. */
  stalls: 0,
  /** The latest check; undefined: no output is expected. */
  lookedAt: undefined as number | undefined,
  /** Silence before it does not count: the machine slept. */
  since: 0,
};

export interface GovernorState {
  readonly run: Run;
  /** Time of the input that is being judged, in milliseconds since the epoch. */
  readonly now: number;
  readonly process: Process;
  readonly session: Readonly<typeof NO_SESSION>;
  readonly facts: Facts;
  readonly gauge: Gauge;
  readonly turn: Turn;
  readonly operation: Operation;
  readonly relief: Relief;
  readonly exact: Exact;
  readonly tools: Tools;
  readonly mailbox: Mailbox;
  readonly control: Control;
  readonly tasks: Tasks;
  /** By the id of the tool call that started them, else by claude's own id. */
  readonly subagents: Readonly<Record<string, Agent>>;
  readonly fanOut: FanOut;
  readonly toolBudget: ToolBudget;
  readonly told: Readonly<typeof NOTHING_TOLD>;
  readonly cost: Cost;
  readonly cache: PromptCache;
  readonly spending: Spending;
  readonly limits: Limits;
  readonly life: Life;
  /** The API does not answer; undefined: it does. */
  readonly wait: Wait | undefined;
  /**
   * - `interrupted`: the person has stopped the turn, and nothing more is said to claude.
   * - `paused`: the turn is over, and the person is asked whether the next prompt is to go.
   */
  readonly input: 'open' | 'interrupted' | 'paused' | 'closed';
  /** Why the run ends otherwise than by claude's own end. */
  readonly outcome: 'asked' | 'limit' | 'unrelieved' | 'usage-limit' | 'outage' | 'stalled' | 'refused' | undefined;
}
