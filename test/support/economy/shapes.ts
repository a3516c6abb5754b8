import { createRandom, type Random } from '../random.ts';
import type { Move, PlayedJob, Sight } from './played-job.ts';

export interface Shape {
  readonly prompts: number;
  /** Edits of a prompt. */
  readonly edits: number;
  /** Files that each edit needs whole in the request, and their tokens. */
  readonly files: number;
  readonly tokens: number;
  /** Each prompt has files of its own. */
  readonly fresh?: boolean;
  /** Commands of a prompt, and what each prints on an average, in tokens. */
  readonly runs?: number;
  readonly printed?: number;
  /** Between two prompts. */
  readonly pauseMs?: number;
  /** An edit needs only so many of the files, in turn. */
  readonly inTurn?: number;
  /** Which file is edited: any of those needed, or always the first. */
  readonly edited?: 'any' | 'first';
}

/** A job of that shape; with the same seed it is the same job. */
export function jobOf(shape: Shape, seed = 1): PlayedJob {
  return () => {
    const random = createRandom(seed);
    const turn = { at: 0 };
    return Array.from({ length: shape.prompts }, (_, prompt) => turnOf(shape, prompt, random, turn));
  };
}

type Step = Exclude<Move, { kind: 'read' }>;

function turnOf(shape: Shape, prompt: number, random: Random, turn: { at: number }): (sight: Sight) => Move {
  const steps = stepsOf(shape, prompt, random);
  let reads = 0;
  return (sight) => {
    const step = steps.shift() ?? { kind: 'answer' };
    if (step.kind !== 'edit') return step;
    const needed = neededFor(shape, prompt, turn.at);
    const missing = needed.find((name) => !sight(name));
    // What cannot be brought into sight together is given up, as a model would.
    if (missing !== undefined && reads++ < 2 * needed.length) {
      steps.unshift(step);
      return { kind: 'read', file: missing, tokens: shape.tokens };
    }
    reads = 0;
    turn.at++;
    return { kind: 'edit', file: shape.edited === 'first' ? needed[0] : random.pick(needed) };
  };
}

function stepsOf({ edits, runs = 0, printed = 1_500, pauseMs }: Shape, prompt: number, random: Random): Step[] {
  const steps: Step[] = [
    ...Array.from({ length: edits }, (): Step => ({ kind: 'edit', file: '' })),
    ...Array.from({ length: runs }, (_, run): Step => {
      const tokens = random.whole(printed / 2, printed * 1.5);
      return { kind: 'run', command: `bin/check ${prompt}-${run}`, tokens };
    }),
  ];
  const mixed = steps.map((step) => ({ step, key: random.next() })).sort((one, other) => one.key - other.key);
  const pause: Step[] = pauseMs === undefined || prompt === 0 ? [] : [{ kind: 'pause', ms: pauseMs }];
  return [...pause, ...mixed.map(({ step }) => step)];
}

function neededFor({ files, fresh, inTurn = files }: Shape, prompt: number, at: number): [string, ...string[]] {
  const nameOf = (index: number) => `src/${fresh === true ? `p${prompt}-` : ''}f${index % files}.ts`;
  const from = inTurn === files ? 0 : at;
  return [nameOf(from), ...Array.from({ length: inTurn - 1 }, (_, index) => nameOf(from + index + 1))];
}
