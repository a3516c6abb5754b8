import { turns } from '../../standin/scenario.ts';
import { hookOutput } from '../stage/hook-output.ts';
import { scene } from '../stage/scene.ts';

/** A conversation that is compacted, goes on, is cleared, and goes on. */
export const compactAndClear = scene({
  scenario: {
    calls: turns([{ count: 1, from: 90_000, growBy: 10_000 }, [{ text: 'after compact' }], [{ text: 'after clear' }]]),
    summary: { text: '<summary>what the summary says</summary>' },
  },
  hooks: {
    PreCompact: () => ({ systemMessage: 'keep the paths' }),
    PostCompact: () => ({}),
    SessionStart: ({ source }) => hookOutput('SessionStart', { additionalContext: `added on ${source}` }),
  },
  says: [
    'the prompt before',
    '/compact focus on the parser',
    'the prompt after compact',
    '/clear',
    'the prompt after clear',
  ],
});
