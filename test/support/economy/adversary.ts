import { createRandom } from '../random.ts';
import { PREFIXES, WORLDS } from './drawn.ts';
import { ANSWER, edit, pathOf, signOf, textOf } from './moves.ts';
import type { Call, Move, PlayedSetup, PlayedTurn, Sight } from './played-claude.ts';

/** A file or a page that the model can fetch. */
interface Thing {
  readonly name: string;
  readonly tokens: number;
  readonly isFile: boolean;
}

/** A step of the work: it needs some things in the request at once. */
interface Step {
  readonly needs: readonly Thing[];
  readonly edits: boolean;
  readonly ends: boolean;
}

/** A model that tries to make compactions as expensive as possible. */
export interface Adversary {
  readonly world: PlayedSetup;
  /** Chooses each step by the contents that the last compaction removed. */
  attack(): readonly PlayedTurn[];
  /** Repeats the same steps, regardless of the request. */
  repeat(): readonly PlayedTurn[];
  /** Contents that had left the context, at each step. */
  readonly gone: readonly { readonly calls: number; readonly tokens: number }[];
}

/** When the work comes back to what a compaction took. */
const WAYS = ['at once', 'later', 'alternate', 'half', 'never'] as const;
const GROWTHS = ['changed', 'read', 'together', 'pages', 'reused'] as const;

/** An adversary drawn by lot. What it needs at once fits into the window beside a summary. */
export function drawnAdversary(seed: number): Adversary {
  const random = createRandom(seed * 49_979_687);
  const drawnOf = <T>(all: readonly [T, ...T[]]) => random.pick(all);
  const world = { ...drawnOf(WORLDS), prefix: drawnOf(PREFIXES), cold: random.chance(0.1), atOnce: random.chance(0.5) };
  const room = Math.min(250_000, 0.85 * (world.window - 33_000 - world.prefix));
  const [size, growth, way] = [drawnOf([500, 1_500, 4_000, 8_000, 20_000]), drawnOf(GROWTHS), drawnOf(WAYS)];
  const [prompts, total, wait] = [drawnOf([1, 5, 20]), drawnOf([50, 80]), drawnOf([1, 10, 24, 26, 40])];
  const steps: Step[] = [];
  const gone: { calls: number; tokens: number }[] = [];
  let known: Thing[] = [];
  let missed = 0;
  let attacks = 0;
  let due: number | undefined;

  function grow(): Pick<Step, 'needs' | 'edits'> {
    if (growth === 'reused' && known.length > 3 && random.chance(0.7)) return { needs: known.slice(-4), edits: true };
    const things = Array.from({ length: growth === 'together' ? 3 : 1 }, () => {
      const name = `src/f${known.length}-${random.whole(1, 1e9)}.ts`;
      return { name, tokens: random.whole(size / 2, size * 1.5), isFile: growth !== 'pages' };
    });
    known.push(...things);
    return { needs: things, edits: growth === 'changed' || growth === 'together' };
  }

  function strike(lost: readonly Thing[]): Pick<Step, 'needs' | 'edits'> {
    due = undefined;
    missed = 0;
    const wanted = fitting(way === 'half' ? lost.filter(() => random.chance(0.5)) : lost, room);
    known = fitting(known, room);
    return { needs: wanted, edits: random.chance(0.5) };
  }

  /** Plans the answer to a compaction. */
  function plan(lost: number): void {
    missed = lost;
    if (way === 'never' || (way === 'alternate' && attacks++ % 2 === 1)) return;
    due = way === 'later' ? wait : 0;
  }

  function choose(lost: readonly Thing[]): Pick<Step, 'needs' | 'edits'> {
    if (due === undefined) return grow();
    return due-- > 0 ? { needs: [], edits: false } : strike(lost);
  }

  function next(sight: Sight): Step | undefined {
    if (steps.length >= total) return undefined;
    const lost = known.filter(({ name }) => !sight(signOf(name)));
    gone.push({ calls: lost.length, tokens: lost.reduce((sum, { tokens }) => sum + tokens, 0) });
    if (lost.length > missed && due === undefined) plan(lost.length);
    steps.push({ ...choose(lost), ends: (steps.length + 1) % Math.ceil(total / prompts) === 0 });
    return steps.at(-1);
  }

  function repeat(): readonly PlayedTurn[] {
    const left = [...steps];
    return turnsOf(prompts + 1, () => left.shift());
  }
  return { world, gone, repeat, attack: () => turnsOf(prompts + 1, next) };
}

/** The last things that have room. */
function fitting(things: readonly Thing[], room: number): Thing[] {
  let sum = 0;
  const fits = [...things].reverse().filter(({ tokens }) => {
    sum += tokens;
    return sum <= room;
  });
  return fits.reverse();
}

function turnsOf(prompts: number, nextStep: (sight: Sight) => Step | undefined): readonly PlayedTurn[] {
  let calls = 0;
  return Array.from({ length: prompts }, (_, at) => {
    let step: Step | undefined;
    let fetched = 0;
    return {
      prompt: `Do part ${at + 1}.`,
      next(sight): Move {
        step ??= nextStep(sight);
        if (step === undefined) return ANSWER;
        const id = `toolu_${++calls}`;
        const { needs, edits, ends } = step;
        const missing = needs.find(({ name }) => !sight(signOf(name)));
        if (missing !== undefined && fetched++ < 2 * needs.length) return fetching(missing, id);
        step = undefined;
        fetched = 0;
        if (ends) return ANSWER;
        const file = needs.findLast(({ isFile }) => isFile);
        return edits && file !== undefined ? edit(file.name, id) : called(id, 'TodoWrite', { todos: [] }, 'Done.');
      },
    };
  });
}

function fetching({ name, tokens, isFile }: Thing, id: string): Call {
  const [tool, input] = isFile ? ['Read', { file_path: pathOf(name) }] : ['WebFetch', { url: `https://pages/${name}` }];
  // A line about the call shows the end of what it printed.
  return { ...called(id, tool, input, `${textOf(name, tokens)}\nEnd of the text.\n${'-'.repeat(400)}`), again: true };
}

function called(tool_use_id: string, tool: string, input: object, text: string): Call {
  return { ...ANSWER, uses: [{ tool_use_id, tool, input }], results: [{ tool_use_id, text }], ends: false };
}
