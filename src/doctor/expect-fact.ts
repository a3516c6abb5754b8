/** claude did something else than a fact says. The message says what was seen. */
export class Contradiction extends Error {}

/**
 * @param otherwise what was seen when it does not hold
 * @throws Contradiction
 */
export function expectFact(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Contradiction(otherwise);
}
