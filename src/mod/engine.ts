import type { Message } from '../core/exact/message.ts';

/** The part of claude's API for mods that ctxb uses. claude recognizes `$` and `on` by their names. */
export interface Engine {
  readonly fs: {
    stat(path: string): Promise<{ readonly size: number }>;
    read(path: string): Promise<string>;
    read(path: string, range: BytesOf): Promise<{ readonly base64: string }>;
    write(path: string, text: string): Promise<unknown>;
    exists(path: string): Promise<boolean>;
  };
  readonly session: {
    info(): Promise<{ readonly transcriptPath: string }>;
    model(): Promise<string>;
    usage(): Promise<SessionUsage>;
    compact(args: object): Promise<unknown>;
  };
  readonly settings: { read(of: { readonly key: string }): Promise<unknown> };
  readonly env: { get(name: string): Promise<string | undefined> };
  readonly process: {
    run(
      argv: readonly string[],
      how?: { readonly timeoutMs?: number },
    ): Promise<{ readonly stdout: string; readonly stderr: string }>;
  };
  readonly clock: { now(): Promise<number>; sleep(ms: number): Promise<unknown> };
  readonly ui: {
    invalidate(event: 'ui.render'): void;
    log(text: string, where: { readonly to: 'debug' }): void;
    resolve(e: RenderEvent): { readonly Box: unknown; readonly Text: unknown };
  };
}

interface BytesOf {
  readonly as: 'bytes';
  readonly offset: number;
  readonly length: number;
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

/** A text that was sent to the model. */
interface SubmitEvent {
  readonly text: string;
  /** Id of the running turn. The model then gets the text together with tool results; undefined between turns. */
  readonly turnId?: string;
  /** Set for a slash command. */
  readonly command?: object;
  readonly origin?: { readonly kind: string };
}

/** Origins of the user's prompts: the prompt line, another device, and a program that acts for the user. */
const USER_ORIGINS: ReadonlySet<string> = new Set(['composer', 'bridge', 'sdk']);

/** Whether the user wrote the text. */
export function isFromUser({ command, origin }: SubmitEvent): boolean {
  return command === undefined && (origin === undefined || USER_ORIGINS.has(origin.kind));
}

/** Whether the model gets the text during a turn. This includes notifications of background tasks. */
export function isSeenByModel(e: SubmitEvent): boolean {
  return (
    e.turnId !== undefined && (isFromUser(e) || (e.command === undefined && e.origin?.kind === 'task-notification'))
  );
}

export interface CompactEvent {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
  readonly messages: readonly Message[];
  readonly instructions?: string;
  /** Set for a subagent's own conversation. */
  readonly agentId?: string;
}

interface RenderEvent {
  readonly props: { readonly hasSurvey: boolean; readonly bodyColumns: number };
}

interface MessageEvent {
  /** `isExpanded`: the user has asked for the whole text. */
  readonly props: { readonly text: string; readonly isExpanded: boolean };
}

export type Drawing = object | string | null | undefined;

type Hook<E, A> = ($: Engine, e: E, next: (e: E) => Promise<A>) => Promise<A>;

interface Hooks {
  readonly 'session.start': Hook<{ readonly isInteractive: boolean }, unknown>;
  readonly 'session.measure': Hook<object, unknown>;
  readonly 'prompt.submit': Hook<SubmitEvent, unknown>;
  readonly 'turn.start': Hook<{ readonly agentId?: string; readonly turnId: string }, unknown>;
  readonly 'turn.complete': Hook<{ readonly agentId?: string; readonly isAborted: boolean }, unknown>;
  readonly 'session.compact': Hook<CompactEvent, object>;
  readonly 'classic.SessionStart': Hook<SessionStart, { additionalContext?: string[] }>;
  readonly 'classic.PostCompact': Hook<object, unknown>;
}

export interface On {
  <K extends keyof Hooks>(event: K, hook: Hooks[K]): void;
  (event: 'command.run', of: { readonly command: string }, hook: Hook<{ readonly args: string }, object>): void;
  (event: 'ui.render', of: { readonly component: 'AbovePrompt' }, hook: Hook<RenderEvent, Drawing>): void;
  (event: 'ui.render', of: { readonly component: 'UserMessage' }, hook: Hook<MessageEvent, Drawing>): void;
}
