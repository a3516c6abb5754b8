import type { ExactPlan } from '../protocol/exact-plan.ts';
import type { Fields } from '../protocol/fields.ts';
import type { CostScope } from './cost/cost-limit.ts';
import type { HealthRecord } from './zones/zones.ts';

export type TimerName = (typeof TIMERS)[number];

export const TIMERS = [
  'operation',
  'context',
  'exact',
  'background',
  'turn',
  'skip',
  'interrupt',
  'exit',
  'wait',
  'stall',
  'time',
] as const;

/** Tasks of the host, as data; `run/executor.ts` carries them out. */
export type Effect = HookAnswer | { [K in keyof Effects]: { readonly kind: K } & Effects[K] }[keyof Effects];

export type EffectOf<K extends Effect['kind']> = Extract<Effect, { readonly kind: K }>;

/** The data of each kind of effect. */
interface Effects {
  /** Write the mod to its own folder. Answered by the event `exact-folder`. */
  'arm-exact': unknown;
  /** Wait until the mod responds. Answered by the event `exact-proved`. */
  'prove-exact': unknown;
  /** Write the mod's plan for the next compaction. */
  'plan-exact': Pick<ExactPlan, 'budget' | 'summary' | 'keep' | 'midTurn' | 'prompts'>;
  /** Write a line to claude's stdin, with a newline unless it is `exact` or has one. */
  send: { readonly line: string; readonly promptUuid?: string; readonly exact?: true };
  /** Store a prompt that has to wait. */
  hold: { readonly uuid: string; readonly line: string };
  /** Store a whole text, block by block, in a file of the context folder. The agent gets only a part of it. */
  keep: { readonly file: string; readonly texts: readonly string[] };
  /** Close claude's stdin. */
  'end-input': unknown;
  'set-timer': { readonly timer: TimerName; readonly afterMs: number };
  'clear-timer': { readonly timer: TimerName };
  /** Show or drop lines that were buffered until their turn was known. */
  buffered: { readonly fate: 'show' | 'drop' };
  /** Show or drop the deferred end of a turn. The caller sees it only if ctxb cannot recover. */
  deferred: { readonly fate: 'show' | 'drop' };
  /** Write the agent's answer as the document, or one from the notes. Answered by `handoff-written`. */
  'write-handoff': { readonly answer: string | undefined; readonly reason: string };
  /** Resume a session (`resume`), begin a fresh one, or repeat the first start (`isFirst`). Answered by `begin`. */
  'start-claude': {
    readonly resume: string | undefined;
    readonly isFirst: boolean;
    /** The folder to which the caller has moved the session; undefined for the folder of the run. */
    readonly folder: string | undefined;
    readonly afterMs: number;
  };
  /** A line for `health.ndjson`. */
  health: { readonly record: HealthRecord };
  /** A line for the caller's stderr. claude would write it there itself if its input were not a stream. */
  relay: { readonly line: string };
  /** A line for the caller from ctxb itself. */
  reply: { readonly line: string };
  /** The answer to a request by a ctxb command. */
  'answer-asker': { readonly id: string; readonly answer: AskAnswer };
  /** The caller has the answers to these prompts. */
  answered: { readonly uuids: readonly string[] };
  /** Ask the user whether the work may continue. Answered by `cost-answer`. */
  'ask-person': { readonly scope: CostScope; readonly spentUsd: number; readonly limitUsd: number };
  /** End claude's process, by SIGKILL without a `signal`. */
  kill: { readonly signal?: 'SIGTERM' };
  /** Count the lines of a file, from `offset` on, that fit into `chars` UTF-16 units. Answered by `file-measured`. */
  'measure-file': {
    readonly requestId: string;
    readonly path: string;
    /** The base of a relative path. */
    readonly cwd: string;
    readonly offset: number;
    readonly chars: number;
  };
  /** Store the whole result of a tool. Answered by `result-stored`. */
  'store-result': { readonly requestId: string; readonly name: string; readonly text: string | readonly string[] };
}

/** The answer to a request by a ctxb command or the caller. `before`, `after`: size of the context, in tokens. */
export interface AskAnswer {
  readonly done: boolean;
  /** One sentence. */
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
  /** `after` is an estimate, because no call has measured it yet. */
  readonly estimated?: true;
}

/**
 * The answer to a hook. claude gets `output`, and `hookSpecificOutput` with `hookEventName` (`hook`), the fields of
 * `specific` and `additionalContext` (`context`).
 */
export interface HookAnswer {
  readonly kind: 'answer-hook';
  readonly requestId: string;
  readonly hook: HookName;
  /** Fields that any kind of hook takes. */
  readonly output: object;
  /** Fields for this kind of hook, besides the context. */
  readonly specific?: Fields;
  /** Text for the agent. */
  readonly context?: string;
  /** Replaces `context` if the notes of working memory need the room. */
  readonly shorter?: string;
  /** Whether working memory adds what the compaction has just removed. */
  readonly recall?: true;
  /** UTF-16 units that the context may have with these additions; undefined: as many as claude passes on. */
  readonly room?: number | undefined;
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

/** A hook's answer in claude's shape. */
export function hookOutput({ hook, output, specific = {} }: HookAnswer, context: string | undefined): object {
  const extra = context === undefined || context === '' ? {} : { additionalContext: escapeReminder(context) };
  const own = { ...specific, ...extra };
  return Object.keys(own).length === 0 ? output : { ...output, hookSpecificOutput: { hookEventName: hook, ...own } };
}

/** claude wraps the context in tags, which a tool's text must not close. */
function escapeReminder(text: string): string {
  return text.replace(/<(?=\s*\/?\s*system-reminder)/gi, '‹');
}
