import type { Message } from '../../core/exact/message.ts';
import type { SubmitEvent } from '../heard.ts';

/** What claude lends to a mod, as far as the plugin uses it. claude knows it by its spelling: `$` and `on` keep their names. */
export interface Engine {
  readonly fs: {
    readonly stat: (path: string) => Promise<{ readonly size: number }>;
    readonly read: (path: string, range: Range) => Promise<{ readonly base64: string }>;
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

interface Range {
  readonly as: 'bytes';
  readonly offset: number;
  readonly length: number;
}

export interface SessionUsage {
  /** `tokens`: of the last call's request; absent in a fresh context. */
  readonly context: { readonly tokens?: number; readonly window: number };
  readonly cost?: { readonly usd: number };
  /** `percentUsed`: 0 to 100. */
  readonly rateLimits: readonly { readonly kind: string; readonly percentUsed: number }[];
}

export interface CompactEvent {
  readonly trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
  readonly messages: readonly Message[];
  readonly instructions?: string;
  /** A subagent's own conversation. */
  readonly agentId?: string;
}

export interface CommandEvent {
  readonly command: string;
  readonly args: string;
}

export interface RenderEvent {
  readonly props: { readonly hasSurvey: boolean; readonly bodyColumns: number };
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
  (event: 'classic.SessionStart', hook: Hook<{ readonly source: string }, { additionalContext?: string[] }>): void;
  (event: 'classic.PostCompact', hook: Hook<object, unknown>): void;
  (event: 'command.run', of: { readonly command: string }, hook: Hook<CommandEvent, object>): void;
  (event: 'ui.render', of: { readonly component: 'AbovePrompt' }, hook: Hook<RenderEvent, Drawing>): void;
}
