/**
 * Where the size of the window comes from, best first: the user's own value, claude's result line, claude's answer
 * when asked, a report in text, a measured context above what was believed, a model id that ends in `[1m]`, and, in
 * recordings only, the model and the version of Claude Code. `unknown`: nothing has told it yet.
 */
export type WindowSource = 'user' | 'result' | 'asked' | 'reported' | 'raised' | 'model-id' | 'version' | 'unknown';

/** The context window of the main model. */
export interface ContextWindow {
  /** undefined: not known, so nothing acts on a share of it. */
  readonly tokens: number | undefined;
  readonly source: WindowSource;
}

const RANK: Readonly<Record<WindowSource, number>> = {
  user: 7,
  result: 6,
  asked: 5,
  reported: 4,
  raised: 3,
  'model-id': 2,
  version: 1,
  unknown: 0,
};

/** The two windows that there are. */
export const SMALL_WINDOW = 200_000;
export const LARGE_WINDOW = 1_000_000;

export const UNKNOWN_WINDOW: ContextWindow = { tokens: undefined, source: 'unknown' };

/** A window that claude itself named, or the user: safe to place the native trigger on. */
export function isKnown(window: ContextWindow): window is ContextWindow & { readonly tokens: number } {
  return RANK[window.source] >= RANK.asked;
}

/** The better sourced of the two; of equally good ones the newer. */
export function learnWindow(window: ContextWindow, tokens: number, source: WindowSource): ContextWindow {
  if (tokens <= 0 || RANK[source] < RANK[window.source]) return window;
  return tokens === window.tokens && source === window.source ? window : { tokens, source };
}

/** Claude Code marks the large window in the model id; session logs drop the mark. */
export function learnFromModelId(window: ContextWindow, model: string | undefined): ContextWindow {
  const tokens = windowOfModel(model);
  return tokens === undefined ? window : learnWindow(window, tokens, 'model-id');
}

/** Tokens of the window, where the name of the model tells; undefined: it does not. */
export function windowOfModel(model: string | undefined): number | undefined {
  return model?.endsWith('[1m]') ? LARGE_WINDOW : undefined;
}

/** A context larger than the window proves a larger window, unless the user insists on his. */
export function learnFromContext(window: ContextWindow, used: number): ContextWindow {
  if (used <= (window.tokens ?? SMALL_WINDOW) || window.source === 'user') return window;
  return { tokens: Math.max(LARGE_WINDOW, used), source: 'raised' };
}

/**
 * The window of the main model out of `result.modelUsage`, which also lists the models of subagents. The result may
 * name the model with the `[1m]` mark that messages do not carry.
 */
export function mainWindow(windows: Readonly<Record<string, number>>, model: string | undefined): number | undefined {
  const entries = Object.entries(windows);
  const exact = entries.find(([id]) => id === model);
  if (exact !== undefined) return exact[1];
  const own = entries.filter(([id]) => withoutMark(id) === withoutMark(model ?? ''));
  if (own.length > 0) return Math.max(...own.map(([, tokens]) => tokens));
  return entries.length === 1 ? entries[0]?.[1] : undefined;
}

function withoutMark(model: string): string {
  return model.replace(/\[1m\]$/, '');
}
