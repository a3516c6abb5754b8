import type { AssistantEvent, UserEvent } from '../../protocol/events.ts';
import { fieldsOf, ownOf, stringOf } from '../../protocol/fields.ts';
import { hasLargeMark, modelName } from '../../protocol/model-name.ts';
import { isAtLeast } from '../../protocol/version.ts';

/**
 * Sources of the window's size, best first: the user's value, claude's result line, claude's answer to a question, a
 * report in text, a measured context above the assumed window, a model id that ends in `[1m]`, and, if claude is not
 * asked, the model and the version of Claude Code. `unknown`: no source yet.
 */
export type WindowSource = 'user' | 'result' | 'asked' | 'reported' | 'raised' | 'model-id' | 'version' | 'unknown';

export interface ContextWindow {
  /** undefined if unknown; shares of the window are then unavailable. */
  readonly tokens: number | undefined;
  readonly source: WindowSource;
  /** claude's own window in tokens, if the user gave another one. */
  readonly claudesTokens?: number;
}

const SOURCE_RANK: Readonly<Record<WindowSource, number>> = {
  user: 7,
  result: 6,
  asked: 5,
  reported: 4,
  raised: 3,
  'model-id': 2,
  version: 1,
  unknown: 0,
};

export const SMALL_WINDOW = 200_000;
export const LARGE_WINDOW = 1_000_000;

export const UNKNOWN_WINDOW: ContextWindow = { tokens: undefined, source: 'unknown' };

/** Used share of a window, at most 1, because no request is larger than its window; null if the window is unknown. */
export function shareOf(tokens: number, window: number | null | undefined): number | null {
  return window == null ? null : Math.min(1, tokens / window);
}

/** Whether claude itself or the user named the window, so that the native trigger can be based on it. */
export function isKnown(window: ContextWindow): window is ContextWindow & { readonly tokens: number } {
  return SOURCE_RANK[window.source] >= SOURCE_RANK.asked;
}

/** Keeps the window with the better source; of equal sources, the newer. */
export function learnWindow(window: ContextWindow, tokens: number, source: WindowSource): ContextWindow {
  if (tokens <= 0 || SOURCE_RANK[source] < SOURCE_RANK[window.source]) return window;
  return tokens === window.tokens && source === window.source ? window : { tokens, source };
}

/** Claude Code marks the large window in the model id; session logs drop the mark. */
export function learnFromModelId(window: ContextWindow, model: string | undefined): ContextWindow {
  return learnWindow(window, windowOfModel(model) ?? 0, 'model-id');
}

export function windowOfModel(model: string | undefined): number | undefined {
  return model !== undefined && hasLargeMark(model) ? LARGE_WINDOW : undefined;
}

/** A context proves a larger window, unless claude or the user named the window: claude acts on its own value. */
export function learnFromContext(window: ContextWindow, used: number): ContextWindow {
  if (used <= (window.tokens ?? SMALL_WINDOW)) return window;
  return learnWindow(window, Math.max(LARGE_WINDOW, used), 'raised');
}

/**
 * The main model's window from `result.modelUsage`, which also lists subagents' models. Its id may have the `[1m]` mark
 * that messages lack.
 */
export function mainWindow(windows: Readonly<Record<string, number>>, model = ''): number | undefined {
  const exact = ownOf(windows, model);
  if (exact !== undefined) return exact;
  const own = Object.keys(windows).filter((id) => modelName(id) === modelName(model));
  if (own.length > 0) return Math.max(...own.map((id) => windows[id] ?? 0));
  const [only, ...others] = Object.values(windows);
  return others.length === 0 ? only : undefined;
}

/*
 * Windows by model and version, for recordings and logs that do not name them: `modelUsage.contextWindow` with an API
 * key, measured on 2.1.110, 119, 197, 226, 280 to 287, 290, 305, 329, 330 and 332. The end-to-end tests compare this
 * table with the newest and the oldest supported version.
 */

/** The newest measured version; later versions are treated the same until another source reports the window. */
const NEWEST_MEASURED = '2.1.332';

/** The last version for which the table was measured, if the recording is newer. */
export function lastMeasuredVersion(source: WindowSource, version: string | null | undefined): string | undefined {
  const isNewer = source === 'version' && version != null && !isAtLeast(NEWEST_MEASURED, version);
  return isNewer ? NEWEST_MEASURED : undefined;
}

/**
 * Models with the large window without `[1m]` in their id from 2.1.285 on, and the small window before. Session logs
 * drop the mark, so either is possible there: of 44 public logs of 2.1.199 to 2.1.219, 14 exceeded 200,000 tokens.
 */
const LARGE_MODELS = /^claude-(?:opus-4-[78]|(?:opus|sonnet)-5(?:-5)?|haiku-5-5|(?:fable|mythos)-5(?:-[12])?)$/;
const LARGE_FROM = '2.1.285';
/** Before this version such a model may have either window. */
const SMALL_FROM = '2.1.197';

/** Models with the small window in every measured version. */
const SMALL_MODELS = /^claude-(?:3-.*|(?:opus|sonnet|haiku)-4(?:-[156])?)$/;

/**
 * With a subscription, this model runs as `[1m]` by default from this version on: of 7 public logs of 2.1.91 to 2.1.110
 * three exceeded 200,000 tokens, of 98 earlier logs none.
 */
const LARGE_ON_PLANS = { model: 'claude-opus-4-6', from: '2.1.75' };

/**
 * The window in tokens; undefined if unknown.
 * @param keepsMark whether the id would still have `[1m]`: session logs drop it
 */
export function windowIn(
  version: string | undefined,
  model: string | undefined,
  keepsMark: boolean,
): number | undefined {
  if (version === undefined || model === undefined) return undefined;
  const id = modelName(model);
  if (hasLargeMark(model)) return LARGE_WINDOW;
  if (LARGE_MODELS.test(id)) {
    if (isAtLeast(version, LARGE_FROM)) return LARGE_WINDOW;
    return isAtLeast(version, SMALL_FROM) && keepsMark ? SMALL_WINDOW : undefined;
  }
  const mayBeMarked = !keepsMark && id === LARGE_ON_PLANS.model && isAtLeast(version, LARGE_ON_PLANS.from);
  return SMALL_MODELS.test(id) && !mayBeMarked ? SMALL_WINDOW : undefined;
}

const FAMILY = /opus|sonnet|haiku|fable|mythos/i;

/** claude's commit signature with the name of its model. */
const COMMIT_SIGNATURE = /Co-Authored-By: Claude ([^<\n]*)\(1M context\)/;

/** The user's `/model` command, or claude's answer. */
const MODEL_SWITCH = /<command-name>\/model<[\s\S]*?<command-args>([^<]*)|<local-command-stdout>Set model to ([^<]*)/;

const LARGE_WORDS = /\[1m\]|1M context/;

/**
 * The family of the models that run with the large window, by a row of a session log, which drops the mark; empty if
 * another model was chosen without a mark; undefined if the row does not say.
 */
export function markedFamily(event: AssistantEvent | UserEvent): string | undefined {
  // Text next to a tool result is not a command, because a command begins a turn.
  if (event.kind === 'user' && event.role === 'tool-result') return undefined;
  const families = event.blocks.map((block) => {
    if (event.kind === 'user') return block.type === 'text' ? selectedFamily(block.text) : undefined;
    return block.type === 'tool_use' ? familyInSignature(fieldsOf(block.input).command) : undefined;
  });
  return families.find((family) => family !== undefined);
}

function selectedFamily(text: string): string | undefined {
  const [switched, asked = '', answered = asked] = MODEL_SWITCH.exec(text) ?? [];
  if (switched === undefined) return undefined;
  return LARGE_WORDS.test(answered) ? familyIn(answered) : '';
}

/** The family of models that a commit's signature shows to run with the large window; undefined without a signature. */
export function familyInSignature(command: unknown): string | undefined {
  const [, name] = COMMIT_SIGNATURE.exec(stringOf(command)) ?? [];
  return name === undefined ? undefined : familyIn(name);
}

function familyIn(text: string): string {
  return FAMILY.exec(text)?.[0].toLowerCase() ?? '';
}
