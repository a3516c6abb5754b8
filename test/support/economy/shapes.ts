import { createRandom, type Random } from '../random.ts';
import { ANSWER, edit, pathOf, read, run, signOf, textOf, write } from './moves.ts';
import type { Move, PlayedJob, PlayedTurn } from './played-claude.ts';

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
  /** Tokens of a prompt, from and to, and its pictures. */
  readonly asked?: readonly [number, number];
  readonly pictures?: number;
  /** Files that the model writes itself with the first prompt; each edit needs them too. */
  readonly written?: number;
}

/** Progress of a job. */
interface Progress {
  readonly random: Random;
  edits: number;
  calls: number;
}

/** A job of that shape; with the same seed it is the same job. */
export function jobOf(shape: Shape, seed = 1): PlayedJob {
  return () => {
    const progress: Progress = { random: createRandom(seed), edits: 0, calls: 0 };
    return Array.from({ length: shape.prompts }, (_, prompt) => turnOf(shape, prompt, progress));
  };
}

/** The work for one prompt. Before an edit, the model reads the needed files that are not in its context. */
type Step =
  | 'edit'
  | { readonly write: string }
  | { readonly command: string; readonly tokens: number }
  | { readonly pauseMs: number };

function turnOf(shape: Shape, prompt: number, progress: Progress): PlayedTurn {
  const { random } = progress;
  const steps = stepsOf(shape, prompt, random);
  let reads = 0;
  const task = `Prompt ${prompt + 1}: do the next part of ${namesOf(shape, prompt).map(pathOf).join(', ')}.`;
  const more = shape.asked === undefined ? '' : `\n${textOf(`prompt ${prompt + 1}`, random.whole(...shape.asked))}`;
  return {
    prompt: `${task}${more}`,
    pictures: shape.pictures ?? 0,
    next(sight): Move {
      const step = steps[0];
      if (step === undefined) return ANSWER;
      const id = `toolu_${++progress.calls}`;
      if (step === 'edit') {
        const needed = neededFor(shape, prompt, progress.edits);
        const missing = needed.find((name) => !sight(signOf(name)));
        // If the needed files do not fit into the context together, the model gives up.
        if (missing !== undefined && reads++ < 2 * needed.length) return read(missing, shape.tokens, id);
        reads = 0;
        progress.edits++;
        steps.shift();
        return edit(shape.edited === 'first' ? needed[0] : random.pick(needed), id);
      }
      steps.shift();
      if ('write' in step) return write(step.write, shape.tokens, id);
      return 'pauseMs' in step ? { kind: 'pause', ms: step.pauseMs } : run(step.command, step.tokens, id);
    },
  };
}

function stepsOf(
  { edits, runs = 0, printed = 1_500, pauseMs, written }: Shape,
  prompt: number,
  random: Random,
): Step[] {
  const steps: Step[] = [
    ...Array.from({ length: edits }, (): Step => 'edit'),
    ...Array.from({ length: runs }, (_, at): Step => {
      const tokens = random.whole(printed / 2, printed * 1.5);
      return { command: `bin/check ${prompt}-${at}`, tokens };
    }),
  ];
  const mixed = steps.map((step) => ({ step, key: random.next() })).sort((a, b) => a.key - b.key);
  const pause: Step[] = pauseMs === undefined || prompt === 0 ? [] : [{ pauseMs }];
  const writes = prompt === 0 ? ownNamesOf(written).map((write): Step => ({ write })) : [];
  return [...pause, ...writes, ...mixed.map(({ step }) => step)];
}

function namesOf({ files, fresh }: Shape, prompt: number): string[] {
  return Array.from({ length: files }, (_, index) => `src/${fresh === true ? `p${prompt}-` : ''}f${index}.ts`);
}

function ownNamesOf(written = 0): string[] {
  return Array.from({ length: written }, (_, index) => `out/own${index}.ts`);
}

function neededFor(shape: Shape, prompt: number, at: number): [string, ...string[]] {
  const { files, inTurn = files } = shape;
  const names = namesOf(shape, prompt);
  const nameOf = (index: number) => names[index % files] as string;
  const from = inTurn === files ? 0 : at;
  const others = Array.from({ length: inTurn - 1 }, (_, index) => nameOf(from + index + 1));
  return [nameOf(from), ...others, ...ownNamesOf(shape.written)];
}
