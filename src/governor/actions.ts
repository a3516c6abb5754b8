import type { Reading } from './gauge.ts';

/** How an attempt to compact ended. */
export type Verdict =
  /** The context was replaced by a summary. */
  | 'success'
  /** The summary was refused or broke. */
  | 'failed'
  /** There was nothing to compact. */
  | 'empty'
  /** Slash commands are off. */
  | 'refused'
  /** The API was overloaded or down: later, and it does not count as a failure. */
  | 'unavailable'
  /** Nothing came within the time limit. */
  | 'silent';

/** Where in the session something was decided: turns and main-thread calls completed, both from 0. */
export interface Place {
  readonly turn: number;
  readonly call: number;
}

interface Decided {
  readonly at: Place;
  /** Why, in a few words with figures. */
  readonly reason: string;
  readonly gauge: Reading;
}

/** What was judged. These go to the journal and into reports; replaying a record gives the same ones again. */
export type Decision =
  | (Decided & { readonly kind: 'warn' })
  | (Decided & { readonly kind: 'compact'; readonly focus: string })
  | (Decided & { readonly kind: 'compacted'; readonly verdict: Verdict; readonly costUsd: number })
  | (Decided & { readonly kind: 'landed'; readonly freed: number })
  | (Decided & { readonly kind: 'give-up' })
  | (Decided & { readonly kind: 'place-trigger'; readonly tokens: number })
  | (Decided & { readonly kind: 'trigger-refused' })
  | (Decided & { readonly kind: 'focus' })
  | (Decided & { readonly kind: 'restore'; readonly promptUuids: readonly string[] })
  | (Decided & { readonly kind: 'interrupt' })
  /** An approach was seen not to work. `evidence`: ids of tool calls. */
  | (Decided & {
      readonly kind: 'dead-end';
      readonly cause: string;
      readonly text: string;
      readonly count: number;
      readonly evidence: readonly string[];
    })
  /** Evidence was handed back with the answer to a hook. */
  | (Decided & { readonly kind: 'recall'; readonly hook: HookName; readonly chars: number; readonly given: FactTally })
  /** What a compaction's summary kept, of all that was noted. `given`: what was handed back before it was known. */
  | (Decided & {
      readonly kind: 'survival';
      readonly all: FactTally;
      readonly kept: FactTally;
      readonly given: FactTally;
    })
  /** After evidence was handed back the agent opened a file of the notes, or was reminded of them. */
  | (Decided & { readonly kind: 'read-back'; readonly file: string })
  | (Decided & { readonly kind: 'remind' });

/** Facts of working memory by kind. */
export interface FactTally {
  readonly paths: number;
  readonly commands: number;
  readonly numbers: number;
  readonly deadEnds: number;
}

export type TimerName = 'compaction' | 'context' | 'background' | 'turn';

/** What the shell has to do for it. Data only: one function carries them out. */
export type Effect =
  /** Write a line to claude's stdin; one that is not `exact` gets a newline if it has none. */
  | { readonly kind: 'send'; readonly line: string; readonly promptUuid?: string; readonly exact?: true }
  /** Answer a hook callback of ours; the shell watches the time. */
  | HookAnswer
  /** A prompt has to wait: it must be on disk first. */
  | { readonly kind: 'hold'; readonly uuid: string; readonly line: string }
  /** Keep a text whole in a file of the context folder because only a part of it can be handed back. */
  | { readonly kind: 'keep'; readonly file: string; readonly text: string }
  /** Close claude's stdin: nothing more can come. */
  | { readonly kind: 'end-input' }
  | { readonly kind: 'set-timer'; readonly timer: TimerName; readonly afterMs: number }
  | { readonly kind: 'clear-timer'; readonly timer: TimerName }
  /** What becomes of lines that were withheld until it was clear whose they are. */
  | { readonly kind: 'withheld'; readonly fate: 'show' | 'drop' };

export interface HookAnswer {
  readonly kind: 'answer-hook';
  readonly requestId: string;
  readonly hook: HookName;
  /** Fields of the answer besides the context. */
  readonly output: object;
  /** What the agent is told with it. */
  readonly context?: string;
  /** Working memory may add to the context. `lost`: a compaction has just taken away what was known. */
  readonly recall?: 'lost' | 'prompt';
}

/** Hooks that ctxb registers over the control channel. */
export type HookName = 'PreCompact' | 'SessionStart' | 'PostCompact' | 'UserPromptSubmit';

export type Action = Decision | Effect;

const EFFECTS = new Set<Action['kind']>([
  'send',
  'answer-hook',
  'hold',
  'keep',
  'end-input',
  'set-timer',
  'clear-timer',
  'withheld',
]);

export function isDecision(action: Action): action is Decision {
  return !EFFECTS.has(action.kind);
}
