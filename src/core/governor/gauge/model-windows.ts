import { ownOf } from '../../protocol/fields.ts';
import { modelName } from '../../protocol/model-name.ts';
import { changedGauge, type Gauge } from './gauge.ts';
import { type ContextWindow, learnWindow, SMALL_WINDOW, shareOf, UNKNOWN_WINDOW, type WindowSource } from './window.ts';

/** Switches to another model's window, and keeps the previous one in case that model returns. */
export function useWindowOf(gauge: Gauge, model: string | undefined): Gauge {
  const { windowModel, window, otherWindows } = gauge;
  // Most ids are names already.
  if (model === undefined || model === windowModel) return gauge;
  const name = modelName(model);
  if (name === windowModel) return gauge;
  // A window from the user or from a text report applies to every model.
  const appliesToAllModels = window.source === 'user' || window.source === 'reported';
  if (windowModel === undefined || appliesToAllModels) return changedGauge(gauge, { windowModel: name });
  return changedGauge(gauge, {
    windowModel: name,
    window: ownOf(otherWindows, name) ?? UNKNOWN_WINDOW,
    otherWindows: { ...otherWindows, [windowModel]: window },
  });
}

/** Whether no answer has had this id so far: gateways answer under other ids than they are asked by. */
export function isAlias({ peaks }: Gauge, id: string | undefined): boolean {
  return id !== undefined && ownOf(peaks, modelName(id)) === undefined;
}

/** Sets the window that claude reports for a model, which may be inactive. A window from the user stays beside it. */
export function learnWindowOf(gauge: Gauge, model: string | undefined, tokens: number, source: WindowSource): Gauge {
  const name = model === undefined ? gauge.windowModel : modelName(model);
  if (name === undefined || name === gauge.windowModel || gauge.windowModel === undefined) {
    const hasUserWindow = gauge.window.source === 'user' && tokens > 0;
    const window = hasUserWindow
      ? { ...gauge.window, claudesTokens: tokens }
      : learnWindow(gauge.window, tokens, source);
    return window === gauge.window ? gauge : changedGauge(gauge, { window });
  }
  const known = learnWindow(ownOf(gauge.otherWindows, name) ?? UNKNOWN_WINDOW, tokens, source);
  return changedGauge(gauge, { otherWindows: { ...gauge.otherWindows, [name]: known } });
}

/** Share of the window at the largest context, for the model that reached it; null if unknown. */
export function peakShare(gauge: Gauge): number | null {
  const [name = ''] = Object.entries(gauge.peaks).find(([, peak]) => peak === gauge.peak) ?? [];
  return gauge.peak === 0 ? null : shareOf(gauge.peak, windowNamed(gauge, name).tokens);
}

/** The largest used share of any model's window; null if a model whose window is unknown may have a larger one. */
export function largestShare(gauge: Gauge): number | null {
  let [known, possible] = [0, 0];
  for (const [name, peak] of Object.entries(gauge.peaks)) {
    const { tokens } = windowNamed(gauge, name);
    if (tokens === undefined) possible = Math.max(possible, peak / SMALL_WINDOW);
    else known = Math.max(known, Math.min(1, peak / tokens));
  }
  return known === 0 || possible > known ? null : known;
}

function windowNamed({ windowModel, window, otherWindows }: Gauge, name: string): ContextWindow {
  if (name === windowModel || window.source === 'user') return window;
  return ownOf(otherWindows, name) ?? window;
}
