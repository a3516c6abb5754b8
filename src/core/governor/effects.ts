import type { ExactPlan } from '../protocol/exact-plan.ts';
import type { Fields } from '../protocol/fields.ts';
import type { CostScope } from './cost/cost-limit.ts';
import type { HealthRecord } from './zones/zones.ts';

export type TimerName = (typeof TIMERS)[number];

export const TIMERS = [
  'compaction',
  'context',
  'exact',
  'background',
  'turn',
  'handoff',
  'exit',
  'wait',
  'stall',
  'time',
] as const;

/** The host's tasks. Data only: one function carries the effects out. */
export type Effect = HookAnswer | { [K in keyof Effects]: { readonly kind: K } & Effects[K] }[keyof Effects];

/** The data of each kind of effect. */
interface Effects {
  /** Write the mod to a folder of its own. Told back as `exact-folder`. */
  'arm-exact': unknown;
  /** Wait for the mod's sign of life. Told back as `exact-proved`. */
  'prove-exact': unknown;
  /** Write down what the mod is to do at the next compaction. */
  'plan-exact': Pick<ExactPlan, 'budget' | 'keep' | 'midTurn' | 'prompts'>;
  /** Write a line to claude's stdin; one that is not `exact` gets a newline if it has none. */
  send: { readonly line: string; readonly promptUuid?: string; readonly exact?: true };
  /** A prompt has to wait: it must be on disk first. */
  hold: { readonly uuid: string; readonly line: string };
  /** Keep the whole text, block by block, in a file of the context folder: only a part of it can be handed back. */
  keep: { readonly file: string; readonly texts: readonly string[] };
  /** Close claude's stdin: nothing more can come. */
  'end-input': unknown;
  'set-timer': { readonly timer: TimerName; readonly afterMs: number };
  'clear-timer': { readonly timer: TimerName };
  /** Shows or drops lines that were buffered until it was clear which turn they belong to. */
  buffered: { readonly fate: 'show' | 'drop' };
  /** Shows or drops the deferred end of a turn, which the caller sees only if nothing mends it. */
  deferred: { readonly fate: 'show' | 'drop' };
  /**
   * Check what the agent answered and write it down, or what is known without it. Told back as `handoff-problems`
   * when it may be asked again, else as `handoff-written`.
   */
  'write-handoff': { readonly answer: string | undefined; readonly mayAskAgain: boolean; readonly reason: string };
  /**
   * Start claude again: resuming a session, with a fresh one, or, before the first session, as at the start (`isFirst`).
   * Told back as `begin`.
   */
  'start-claude': { readonly resume: string | undefined; readonly isFirst: boolean; readonly afterMs: number };
  /** A line for `health.ndjson`. */
  health: { readonly record: HealthRecord };
  /** A line for the caller's stderr that claude would write there, were its input no stream. */
  relay: { readonly line: string };
  /** A line for the caller, answered by ctxb itself. */
  reply: { readonly line: string };
  /** The outcome of a request from outside. */
  'answer-asker': { readonly id: string; readonly answer: AskAnswer };
  /** The caller has the answer to these prompts. */
  answered: { readonly uuids: readonly string[] };
  /** Ask whether the work may continue. The answer comes as `cost-answer`. */
  'ask-person': { readonly scope: CostScope; readonly spentUsd: number; readonly limitUsd: number };
  /** The person has stopped a turn: ask whether the next of so many prompts is to go. Told back as `stop-answer`. */
  'ask-next': { readonly waiting: number };
  /** End claude's process; by force by default. */
  kill: { readonly signal?: 'SIGTERM' };
  /**
   * Count how many lines of a file, from the line `offset` on, fit into `chars` UTF-16 units. The answer comes as
   * `file-measured`.
   */
  'measure-file': {
    readonly requestId: string;
    readonly path: string;
    /** The base of a relative path. */
    readonly cwd: string;
    readonly offset: number;
    readonly chars: number;
  };
  /** Store the whole of a tool's result. Told back as `result-stored`. */
  'store-result': { readonly requestId: string; readonly name: string; readonly text: string | readonly string[] };
}

/** `before`, `after`: size of the context, in tokens. */
export interface AskAnswer {
  readonly done: boolean;
  /** One sentence. */
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

/**
 * The answer to a hook callback. claude gets it as `output` with, if present, `hookSpecificOutput`: `hookEventName`
 * (`hook`), the fields of `specific`, and `additionalContext` (`context`).
 */
export interface HookAnswer {
  readonly kind: 'answer-hook';
  readonly requestId: string;
  readonly hook: HookName;
  /** Fields that any kind of hook takes. */
  readonly output: object;
  /** Fields for this kind of hook, besides the context. */
  readonly specific?: Fields;
  /** The text for the agent. */
  readonly context?: string;
  /** In place of the context, where it leaves too little room for what working memory adds. */
  readonly shorter?: string;
  /** Working memory may add to the context. `lost`: a compaction has just taken away what was known. */
  readonly recall?: 'lost' | 'prompt';
}

/** Hooks that ctxb registers over the control channel. */
export type HookName =
  | 'PreCompact'
  | 'SessionStart'
  | 'PostCompact'
  | 'UserPromptSubmit'
  | 'PreToolUse'
  | 'PostToolUse'
  | 'PostToolUseFailure';

/** The answer in the shape claude takes it. */
export function hookOutput({ hook, output, specific = {} }: HookAnswer, context: string | undefined): object {
  const told = context === undefined || context === '' ? {} : { additionalContext: defused(context) };
  const own = { ...specific, ...told };
  return Object.keys(own).length === 0 ? output : { ...output, hookSpecificOutput: { hookEventName: hook, ...own } };
}

/** claude puts the context between tags, which a text from a tool must not close. */
function defused(text: string): string {
  return text.replace(/<(?=\s*\/?\s*system-reminder)/gi, '‹');
}
