import type { Scene, Seen } from './stage/scene.ts';

/** A fact about claude's behaviour that ctxb relies on. */
export interface Check {
  /** Shown in the report, and in docs/doctor.md. */
  readonly name: string;
  /** A sentence in the present tense. */
  readonly fact: string;
  /** ctxb's behaviour if the fact fails. */
  readonly instead: string;
  /** ctxb cannot work with a claude that fails this check. */
  readonly vital?: true;
  /** The scene that shows the fact. Checks with the same scene share one run of it. */
  readonly scene: Scene;
  /** Judges what a scene recorded. @throws Contradiction when it does not match the fact */
  readonly look: (seen: Seen) => void;
}

/** Thrown by scenes and checks when claude's behaviour differs from a fact. The message describes what was observed. */
export class Contradiction extends Error {}

/** @param otherwise describes what was observed if the fact does not hold */
export function expectFact(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Contradiction(otherwise);
}

/**
 * - `good`
 * - `warning`: ctxb works, but not as configured, or with fewer features.
 * - `fault`: `ctxb run` would refuse to start, or could not work.
 */
export interface Remark {
  readonly status: 'good' | 'warning' | 'fault';
  /** What was checked: `Node`, a configuration key, a variable, a file. */
  readonly subject: string;
  readonly text: string;
  /** A remedy. */
  readonly todo?: string;
}

export function remark(status: Remark['status'], subject: string, text: string, todo?: string): Remark {
  return { status, subject, text, ...(todo !== undefined && { todo }) };
}
