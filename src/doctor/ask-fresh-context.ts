import { countOf, textOf } from '../stream/fields.ts';
import type { Stage } from './stage/stage.ts';
import type { FreshContext } from './thresholds.ts';

/**
 * Asks claude for the window of its model and for what a session begins with. Undefined: it does not tell.
 *
 * @param model the user's; undefined: claude's default
 */
export async function askFreshContext(stage: Stage, model: string | undefined): Promise<FreshContext | undefined> {
  const claude = await stage.start({ args: model === undefined ? [] : ['--model', model] });
  // Not the summary: the parts are counted by the API, for which the stand-in estimates.
  const { ok, response } = await claude.ask({ subtype: 'get_context_usage' });
  const window = countOf(response.rawMaxTokens);
  if (!ok || window === undefined || window === 0) return undefined;
  return { model: textOf(response.model), window, prefix: countOf(response.totalTokens) ?? 0 };
}
