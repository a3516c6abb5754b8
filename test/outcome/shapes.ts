import { type Evidence, type Job, type Making, makeJob, type Step, type TaskWork, type Work } from './job.ts';
import { type Picture, pictureFile, type Source, sourceFile, sourceLine } from './job-files.ts';

/** The figures of a job whose edits need files in the request. */
export interface Shape {
  readonly prompts: number;
  /** Changes that each prompt asks for. */
  readonly edits: number;
  /** Files that each change needs in the request. */
  readonly files: number;
  /** Size of each of them. */
  readonly tokens: number;
  /** Files that the changes go round; each needs the next `files` of them. Default: as many as `files`. */
  readonly round?: number;
  /** Tokens of each file that a change needs. Default: all of it. */
  readonly region?: number;
  /** Pictures that each change needs as well. */
  readonly pictures?: number;
  /** Commands of each prompt, beside those that its rules ask for. */
  readonly commands?: number;
  /** Each prompt has files of its own. */
  readonly fresh?: boolean;
  /** Minutes between two prompts. */
  readonly pause?: number;
  /** Tokens of each prompt, beside what it asks for. Default: none. */
  readonly 'prompt-tokens'?: number;
  /** How long the prompt cache lives: it never hits, five minutes (default), an hour. */
  readonly cache?: 'cold' | 'hour';
}

/** Jobs of every kind; the first ones are those whose edits need whole files. */
export const SHAPES: Readonly<Record<string, Shape | undefined>> = {
  /** Files are read, changed, and rarely needed again: the job of `makeJob`. */
  'move-on': undefined,
  'working-set': { prompts: 3, edits: 5, files: 8, tokens: 10_000 },
  'working-set-long': { prompts: 12, edits: 5, files: 8, tokens: 10_000 },
  'working-set-large': { prompts: 12, edits: 5, files: 10, tokens: 10_000 },
  'working-set-small': { prompts: 3, edits: 5, files: 3, tokens: 8_000 },
  'working-set-small-long': { prompts: 12, edits: 5, files: 4, tokens: 8_000, commands: 8 },
  'round-robin': { prompts: 12, edits: 8, files: 2, round: 16, tokens: 6_000 },
  regions: { prompts: 12, edits: 6, files: 8, tokens: 12_000, region: 2_000 },
  'own-files': { prompts: 12, edits: 5, files: 5, tokens: 4_000, fresh: true, commands: 6 },
  pictures: { prompts: 12, edits: 4, files: 3, tokens: 4_000, pictures: 6 },
  short: { prompts: 3, edits: 2, files: 4, tokens: 5_000 },
  pauses: { prompts: 12, edits: 4, files: 5, tokens: 5_000, pause: 20 },
  'cold-cache': { prompts: 12, edits: 4, files: 5, tokens: 5_000, cache: 'cold' },
  'hour-cache': { prompts: 12, edits: 4, files: 5, tokens: 5_000, cache: 'hour', pause: 20 },
};

/** Average characters of a token, in what the stand-in counts; and of a line as Read shows it. */
const CHARS_PER_TOKEN = 4;
const CHARS_PER_LINE = 74;
/** A cut may fall anywhere: what is missing of a file is seen to within so many lines. */
const SIGN_EVERY = 20;

/** Makes the job of a shape. */
export function jobOf(shape: Shape | undefined, seed: number, tasks: number): Job {
  return shape === undefined ? makeJob(seed, tasks) : makeJob(seed, shape.prompts, workOf(shape));
}

/** A file and what its limit is now. */
interface Worked extends Source {
  limit: number;
}

function workOf(shape: Shape): Work {
  let files: Worked[] = [];
  let pictures: Picture[] = [];
  let turn = 0;

  function next(): Step {
    const needed = Array.from({ length: shape.files }, (_, index) => files[(turn + index) % files.length] as Worked);
    const edited = needed[0] as Worked;
    turn++;
    const needs = [...pictures.map(({ sign }) => sign), ...needed.flatMap((file) => neededOf(file, shape.region))];
    const old = lineOf(edited);
    edited.limit++;
    return { kind: 'edit', file: edited.file.path, old, now: lineOf(edited), needs };
  }

  return (making): TaskWork => {
    const { at, random } = making;
    const name = shape.fresh === true ? `part${at + 1}` : 'all';
    if (at === 0 || shape.fresh === true) {
      const lines = Math.ceil((shape.tokens * CHARS_PER_TOKEN) / CHARS_PER_LINE);
      files = Array.from({ length: shape.round ?? shape.files }, (_, index) => ({
        ...sourceFile(random, `src/${name}/file-${index + 1}.ts`, { lines, signEvery: SIGN_EVERY }),
        limit: 0,
      }));
      pictures = Array.from({ length: shape.pictures ?? 0 }, (_, index) =>
        pictureFile(random, `img/${name}/picture-${index + 1}.png`),
      );
      for (const { file } of [...files, ...pictures]) making.files.set(file.path, file);
    }
    return { name: `${name}-${at + 1}`, asked: askedOf(making, shape, files), steps: stepsOf(shape, at, next) };
  };
}

function askedOf({ at, random }: Making, shape: Shape, files: readonly Worked[]): string {
  const paths = files.map(({ file }) => file.path).join(', ');
  const lines = Math.ceil(((shape['prompt-tokens'] ?? 0) * CHARS_PER_TOKEN) / CHARS_PER_LINE);
  const said = Array.from({ length: lines }, () => `\n${sourceLine(random)}`).join('');
  return `raise the limits once more (round ${at + 1}), each of them only with all that it depends on before your eyes: ${paths}.${said}`;
}

function stepsOf({ edits, commands = 0 }: Shape, at: number, edit: () => Step): Step[] {
  return Array.from({ length: edits }, (_, index) => {
    const [from, to] = [index, index + 1].map((each) => Math.floor((each * commands) / edits)) as [number, number];
    const runs = Array.from({ length: to - from }, (__, run): Step => {
      return { kind: 'run', command: `bin/inspect part-${at + 1}-${from + run + 1}` };
    });
    return [edit(), ...runs];
  }).flat();
}

/** The line that is changed, as it is now. */
function lineOf({ target, limit }: Worked): string {
  return target.replace(/\d+;$/, `${limit};`);
}

/** What must be seen of a file: its pages, or those around its limit, and the limit as it is now. */
function neededOf(worked: Worked, tokens: number | undefined): Evidence[] {
  const { file, signs, fact } = worked;
  const line = fact.line + 2;
  const now: Evidence = { id: `${file.path}:limit`, kind: 'path', sign: lineOf(worked), file: file.path, line };
  const pages = [...signs, now].sort((a, b) => a.line - b.line);
  if (tokens === undefined) return pages;
  const lines = Math.ceil((tokens * CHARS_PER_TOKEN) / CHARS_PER_LINE);
  const region = { from: Math.max(1, line - Math.floor(lines / 2)), lines };
  const isNear = (page: Evidence) => page.line >= region.from && page.line < region.from + lines;
  return pages.filter(isNear).map((page) => ({ ...page, region }));
}
