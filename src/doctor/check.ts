import type { Scene, Seen } from './stage/scene.ts';

/** One fact about how claude behaves that ctxb relies on. */
export interface Check {
  /** In the report, and in docs/doctor.md. */
  readonly name: string;
  /** A sentence of the present tense. */
  readonly fact: string;
  /** ctxb's behaviour if the fact fails. */
  readonly instead: string;
  /** ctxb is of no use with such a claude. */
  readonly vital?: true;
  /** What claude is put through. Facts of one scene are checked together. */
  readonly scene: Scene;
  /** @throws Contradiction when what was seen is not what the fact says */
  readonly look: (seen: Seen) => void;
}

/** claude did something else than a fact says; scenes and what looks at them throw it. The message says what was seen. */
export class Contradiction extends Error {}

/** @param otherwise what was seen when it does not hold */
export function expectFact(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Contradiction(otherwise);
}

/**
 * - `good`
 * - `warning`: ctxb works, but not as its settings say, or with less.
 * - `fault`: `ctxb run` would refuse to start, or would be of no use.
 */
export interface Remark {
  readonly status: 'good' | 'warning' | 'fault';
  /** What was looked at: `Node`, a key of the configuration, a variable, a file. */
  readonly subject: string;
  readonly text: string;
  /** What to do about it. */
  readonly todo?: string;
}
