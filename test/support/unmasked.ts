import type { Mask } from '../../src/core/text/words.ts';

/** For tests that are about something else than secrets. */
export const unmasked: Mask = (text) => (typeof text === 'string' ? text : text.join('\n'));
