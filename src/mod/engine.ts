import type { Message } from '../core/exact/message.ts';

/** What claude lends to a mod, as far as it is used. claude knows it by its spelling: `$` and `on` keep their names. */
export interface Engine {
  readonly fs: {
    readonly stat: (path: string) => Promise<{ readonly size: number }>;
    readonly read: ReadFile;
    readonly write: (path: string, text: string) => Promise<unknown>;
    readonly exists: (path: string) => Promise<boolean>;
  };
  readonly session: {
    readonly info: () => Promise<{ readonly transcriptPath: string }>;
    readonly model: () => Promise<string>;
    readonly usage: () => Promise<SessionUsage>;
    readonly compact: (args: object) => Promise<unknown>;
  };
  readonly settings: { readonly read: (of: { readonly key: string }) => Promise<unknown> };
  readonly env: {
    readonly get: (name: string) => Promise<string | undefined>;
    readonly set: (name: string, value: string) => Promise<unknown>;
  };
  readonly process: {
    readonly run: (
      argv: readonly string[],
      how?: { readonly timeoutMs?: number },
    ) => Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }>;
  };
  readonly clock: { readonly now: () => Promise<number>; readonly sleep: (ms: number) => Promise<unknown> };
  readonly ui: {
    readonly invalidate: (event: 'ui.render') => void;
    readonly log: (text: string, where: { readonly to: 'debug' }) => void;
    readonly resolve: (e: RenderEvent) => { readonly Box: unknown; readonly Text: unknown };
  };
}

interface ReadFile {
  (path: string): Promise<string>;
  (path: string, range: { readonly as: 'bytes'; offset: number; length: number }): Promise<{ readonly base64: string }>;
}

interface SessionUsage {
  /** `tokens`: of the last call's request; absent in a fresh context. */
  readonly context: { readonly tokens?: number; readonly window: number };
  readonly cost?: { readonly usd: number };
  /** `percentUsed`: 0 to 100. */
  readonly rateLimits: readonly { readonly kind: string; readonly percentUsed: number }[];
}

interface SessionStart {
  readonly source: string;
  readonly transcript_path?: string;
}

/** Something that was sent to the model. */
interface SubmitEvent {
  readonly text: string;
  /** The turn that was under way, where there was one: the model is told beside the results of its tools. */
  readonly turnId?: string;
  /** It runs a slash command. */
  readonly command?: object;
  readonly origin?: { readonly kind: string };
}

/** At the prompt, from another device, and from a program in a person's place. */
const PEOPLE: ReadonlySet<string> = new Set(['composer', 'bridge', 'sdk']);

/** Whether the user has said it. */
export function isSaid({ command, origin }: SubmitEvent): boolean {
  return command === undefined && (origin === undefined || PEOPLE.has(origin.kind));
}

/** Whether the model is told it while it works: it is told of a task in the background too. */
export function isHeard(e: SubmitEvent): boolean {
  return e.turnId !== undefined && (isSaid(e) || (e.command === undefined && e.origin?.kind === 'task-notification'));
}

export interface CompactEvent {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
  readonly messages: readonly Message[];
  readonly instructions?: string;
  /** A subagent's own conversation. */
  readonly agentId?: string;
}

interface RenderEvent {
  readonly props: { readonly hasSurvey: boolean; readonly bodyColumns: number };
}

/** A message of the user's in the transcript. */
interface MessageEvent {
  /** `isExpanded`: the person has asked to see all. */
  readonly props: { readonly text: string; readonly isExpanded: boolean };
}

/** Something drawn. */
export type Drawing = object | string | null | undefined;

type Hook<E, A> = ($: Engine, e: E, next: (e: E) => Promise<A>) => Promise<A>;

export interface On {
  (event: 'session.start', hook: Hook<{ readonly isInteractive: boolean }, unknown>): void;
  (event: 'session.measure', hook: Hook<object, unknown>): void;
  (event: 'prompt.submit', hook: Hook<SubmitEvent, unknown>): void;
  (event: 'turn.start', hook: Hook<{ readonly agentId?: string; readonly turnId: string }, unknown>): void;
  (event: 'turn.complete', hook: Hook<{ readonly agentId?: string; readonly isAborted: boolean }, unknown>): void;
  (event: 'session.compact', hook: Hook<CompactEvent, object>): void;
  (event: 'classic.SessionStart', hook: Hook<SessionStart, { additionalContext?: string[] }>): void;
  (event: 'classic.PostCompact', hook: Hook<object, unknown>): void;
  (event: 'command.run', of: { readonly command: string }, hook: Hook<{ readonly args: string }, object>): void;
  (event: 'ui.render', of: { readonly component: 'AbovePrompt' }, hook: Hook<RenderEvent, Drawing>): void;
  (event: 'ui.render', of: { readonly component: 'UserMessage' }, hook: Hook<MessageEvent, Drawing>): void;
}
