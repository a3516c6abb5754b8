/** What the user wants done, and when. Thresholds are fractions of the window (≤ 1) or tokens (> 1). */
export interface Policy {
  /** Size of the window in tokens, where the user knows better than claude. */
  readonly window: number | undefined;
  readonly thresholds: { readonly warn: number; readonly compact: number; readonly midTurn: number };
  readonly compaction: {
    readonly enabled: boolean;
    /** `next-prompt`: only when a prompt waits to be sent. `boundary`: at the end of the turn, at once. */
    readonly when: 'next-prompt' | 'boundary';
    /** Where a compaction should land. Below it a crossed threshold counts as never crossed. */
    readonly target: number;
    /** How long claude may be silent about a compaction. */
    readonly timeoutSeconds: number;
    /** Compactions in a row that failed or freed nothing before it is given up. */
    readonly maxAttempts: number;
    /** Template of the focus; `{task}` and `{state}` are filled in. */
    readonly focus: string;
  };
  /** Whether claude's own compaction trigger is placed at `thresholds.midTurn`. */
  readonly midTurn: { readonly enabled: boolean };
  readonly task: string | undefined;
  readonly state: string | undefined;
  readonly memory: MemoryPolicy;
}

/** Working memory: what is kept outside the context, and what of it is handed back. */
export interface MemoryPolicy {
  readonly enabled: boolean;
  /** Tokens of evidence that are handed back after a compaction, and again once its summary is known. */
  readonly restoreTokens: number;
  /** Whether the agent is reminded once of notes that it has not read. */
  readonly remind: boolean;
  /** Regular expressions over the agent's words; a named group, where there is one, is what counts. */
  readonly statePattern: string | undefined;
  readonly deadEndPattern: string | undefined;
}

/**
 * A threshold in whole tokens.
 *
 * @param threshold a fraction of the window (≤ 1) or tokens (> 1)
 * @param window tokens
 */
export function inTokens(threshold: number, window: number): number {
  return threshold <= 1 ? Math.round(threshold * window) : threshold;
}

/**
 * What Claude Code keeps free below the window before it compacts by itself: 20,000 for the answer and 13,000 for the
 * summary (measured: with a window setting of N it compacts at N − 33,000).
 */
export const NATIVE_RESERVE_TOKENS = 33_000;

/** Bounds of `CLAUDE_CODE_AUTO_COMPACT_WINDOW`, in tokens. */
const PLACEABLE = { least: 100_000, most: 1_000_000 };

/** Where claude's own trigger can be put for this policy, or undefined when claude would not accept the place. */
export function nativeTrigger(policy: Policy, window: number): { at: number; setting: number } | undefined {
  const at = Math.floor(Math.min(inTokens(policy.thresholds.midTurn, window), window - NATIVE_RESERVE_TOKENS));
  const setting = at + NATIVE_RESERVE_TOKENS;
  return setting < PLACEABLE.least || setting > PLACEABLE.most ? undefined : { at, setting };
}
