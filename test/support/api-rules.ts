import type { SeenViolation } from '../../src/standin/server.ts';

/** Rules that claude breaks alone, too, and where. */
const CLAUDES_OWN: Readonly<Record<string, (violation: SeenViolation) => boolean>> = {
  // An answer without content is sent back as it came.
  content: () => true,
  // Behind its own summary claude keeps the thoughts of the last step; refused, it takes them out.
  prefix: ({ request }) => JSON.stringify(request.body.messages).includes('This session is being continued from'),
};

/** Fails where a request broke a rule of the API that claude keeps when it is alone. */
export function expectLawful(violations: readonly SeenViolation[]): void {
  const broken = violations.filter((violation) => !CLAUDES_OWN[violation.name]?.(violation));
  if (broken.length === 0) return;
  const told = broken.map(({ request, at, says, source }) => `request ${request.index}, ${at}: ${says} (${source})`);
  throw new Error(`Requests break rules of the API:\n${told.join('\n')}`);
}
