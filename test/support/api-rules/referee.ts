import type { RecordedRequest } from '../standin/scenario.ts';
import type { Referee } from '../standin/server.ts';
import { createApiRules, refusalOf, type Violation } from './api-rules.ts';

interface SeenViolation extends Violation {
  readonly request: RecordedRequest;
}

/** Rules that claude breaks alone, too, and where. */
const CLAUDES_OWN: Readonly<Record<string, (violation: SeenViolation) => boolean>> = {
  // An answer without content is sent back as it came.
  content: () => true,
  // Behind its own summary claude keeps the thoughts of the last step; refused, it takes them out.
  prefix: ({ request }) => JSON.stringify(request.body.messages).includes('This session is being continued from'),
};

/** Judges the requests of a world by the rules of the API. */
export function createReferee(): Referee & { readonly violations: readonly SeenViolation[] } {
  const rules = createApiRules();
  const violations: SeenViolation[] = [];
  return {
    violations,
    judge(request) {
      const found = rules.violationsOf(request.body);
      violations.push(...found.map((violation) => ({ request, ...violation })));
      return refusalOf(found);
    },
    noteAnswer: rules.noteAnswer,
  };
}

/** Fails where a request broke a rule of the API that claude keeps when it is alone. */
export function expectLawful({ violations }: ReturnType<typeof createReferee>): void {
  const broken = violations.filter((violation) => !CLAUDES_OWN[violation.name]?.(violation));
  if (broken.length === 0) return;
  const told = broken.map(({ request, at, says, source }) => `request ${request.index}, ${at}: ${says} (${source})`);
  throw new Error(`Requests break rules of the API:\n${told.join('\n')}`);
}
