import { scene } from '../stage/scene.ts';

/** What ctxb asks before the first prompt. */
export const askedAtTheStart = scene({
  scenario: { calls: [] },
  hooks: { PreCompact: () => ({}), SessionStart: () => ({}) },
  asks: [{ subtype: 'get_context_usage', detail: 'summary' }, { subtype: 'get_usage' }],
});
