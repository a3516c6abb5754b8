import type { Scenario } from '../standin/scenario.ts';
import type { Stage } from './stage/stage.ts';

/** The part of the protocol that a fact belongs to. */
export type Section =
  | 'Running it'
  | 'The context gauge'
  | 'Compaction'
  | 'Speaking into a running turn'
  | 'Hooks over the control channel'
  | 'Subagents'
  | 'Cost';

/** One fact about how claude behaves that ctxb relies on, and a short scene that shows whether it holds. */
export interface Check {
  /** The name of its file, for `--only`. */
  readonly name: string;
  /** A sentence of the present tense. */
  readonly fact: string;
  readonly section: Section;
  /** What ctxb does with a claude of which the fact is not true. */
  readonly instead: string;
  /** ctxb is of no use with such a claude. */
  readonly vital?: true;
  /** What the stand-in for the API says. */
  readonly scenario: Scenario;
  /**
   * Plays the scene with a claude that is started for it alone.
   *
   * @throws Contradiction when the fact does not hold
   */
  readonly play: (stage: Stage) => Promise<void>;
}

/** claude did something else than the fact says. The message says what was seen. */
export class Contradiction extends Error {}

/** @param otherwise what was seen when it does not hold */
export function hold(condition: boolean, otherwise: string): asserts condition {
  if (!condition) throw new Contradiction(otherwise);
}
