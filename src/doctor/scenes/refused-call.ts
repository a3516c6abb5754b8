import { scene } from '../stage/scene.ts';

/** The API refuses everything; then the end. */
export const refusedCall = scene({
  scenario: { calls: () => ({ error: { status: 400, message: 'refused on purpose' } }) },
  says: ['a prompt'],
  ends: true,
});
