import { createRandom } from '../random.ts';
import type { PlayedSetup } from './played-claude.ts';
import type { Shape } from './shapes.ts';

export const SONNET = { window: 200_000, model: 'claude-sonnet-4-6' };
export const OPUS = { window: 1_000_000, model: 'claude-opus-5-5' };
export const HAIKU = { window: 200_000, model: 'claude-haiku-4-5' };

export const WORLDS = [SONNET, OPUS, HAIKU, { ...SONNET, model: OPUS.model }] as const;
/** Tokens of the system prompt and the tools. */
export const PREFIXES = [20_000, 33_000, 45_000] as const;

export interface DrawnJob {
  readonly shape: Shape;
  readonly world: PlayedSetup;
}

/** A job drawn by lot. What a change needs fills up to half of the window. */
export function drawn(seed: number): DrawnJob {
  const random = createRandom(seed * 7919);
  const drawnOf = <T>(all: readonly [T, ...T[]]) => random.pick(all);
  const files = random.whole(1, 20);
  const world = drawnOf(WORLDS);
  const inTurn = random.whole(0, 2) === 0 ? random.whole(1, files) : files;
  const tokens = Math.min(drawnOf([1, 2, 4, 6, 8, 10, 13, 20, 30]) * 1_000, Math.floor(world.window / 2 / inTurn));
  const shape: Shape = {
    ...{ files, tokens, prompts: drawnOf([1, 3, 5, 8, 12, 20]), edits: drawnOf([1, 2, 5, 8, 12, 20]) },
    ...{ runs: drawnOf([0, 1, 4, 8, 14]), printed: drawnOf([500, 1_500, 4_000]), fresh: drawnOf([true, false, false]) },
    ...{ inTurn, edited: drawnOf(['any', 'any', 'first']) },
  };
  return { shape, world: { ...world, cold: random.whole(0, 9) === 0, atOnce: drawnOf([true, false]) } };
}

/** A job drawn by lot. What a change needs fills up to the whole room behind a summary. */
export function drawnWide(seed: number): DrawnJob {
  const random = createRandom(seed * 104_729);
  const drawnOf = <T>(all: readonly [T, ...T[]]) => random.pick(all);
  const { window, model } = drawnOf(WORLDS);
  const prefix = drawnOf(PREFIXES);
  const files = random.whole(1, 30);
  const tokens = drawnOf([2, 4, 6, 8, 10, 13, 17, 20, 25, 30]) * 1_000;
  const most = Math.max(1, Math.floor((0.85 * (window - 33_000 - prefix)) / tokens));
  const prompts = drawnOf([3, 5, 8, 12, 20, 40]);
  const shape: Shape = {
    ...{ files, tokens, prompts, edits: Math.min(drawnOf([1, 2, 5, 8, 12, 20]), Math.ceil(100 / prompts)) },
    inTurn: Math.min(most, files, drawnOf([files, random.whole(1, 20)])),
    ...{ runs: drawnOf([0, 1, 4, 8, 14]), printed: drawnOf([500, 1_500, 4_000, 8_000]), fresh: drawnOf([true, false]) },
    ...(random.whole(0, 5) === 0 ? { pauseMs: 1_200_000 } : {}),
  };
  return { shape, world: { window, model, prefix, cold: random.whole(0, 9) === 0, atOnce: drawnOf([true, false]) } };
}

/** A job of many long prompts, drawn by lot. What a change needs fills up to the whole room behind a summary. */
export function drawnLong(seed: number): DrawnJob {
  const random = createRandom(seed * 15_485_863);
  const drawnOf = <T>(all: readonly [T, ...T[]]) => random.pick(all);
  const { window, model } = drawnOf(WORLDS);
  const prefix = drawnOf(PREFIXES);
  const prompts = random.whole(20, 60);
  const least = drawnOf([200, 200, 1_000, 2_500]);
  const asked = [least, random.whole(least, 4_000)] as const;
  // Behind its summary claude has this much room.
  const room = window - 33_000 - prefix - 2_250;
  const share = drawnOf([0, 0.1, 0.3, 0.5, 0.7, 0.85, 0.9, 0.95, 1]);
  const tokens = Math.max(drawnOf([2, 4, 6, 10, 17, 25]) * 1_000, Math.ceil((share * room) / 30));
  const needed = Math.max(1, Math.floor((share * room) / tokens));
  const written = random.whole(0, 3) === 0 ? random.whole(1, Math.min(4, needed)) : 0;
  const inTurn = Math.max(1, needed - written);
  const runs = drawnOf([0, 0, 1, 4]);
  const shape: Shape = {
    ...{ prompts, asked, tokens, inTurn, written, runs, printed: drawnOf([500, 1_500, 4_000, 20_000]) },
    ...{ files: inTurn + drawnOf([0, 0, 2, 10]), edits: Math.min(drawnOf([1, 1, 2, 4]), Math.ceil(100 / prompts)) },
    ...{ pictures: drawnOf([0, 0, 0, 1, 3]), fresh: random.whole(0, 4) === 0, edited: drawnOf(['any', 'first']) },
    ...(random.whole(0, 7) === 0 ? { pauseMs: 1_200_000 } : {}),
  };
  const atOnce = drawnOf([true, false]);
  return {
    shape,
    world: { window, model, prefix, cold: random.whole(0, 12) === 0, atOnce, ended: random.whole(0, 1) === 0 },
  };
}
