/** Random numbers that a seed repeats. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly [T, ...T[]]): T;
  /** A key, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K;
}

/** The generator mulberry32: small, and good enough to choose between a few things. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  function weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [key, weight] of entries) {
      left -= weight;
      if (left < 0) return key;
    }
    throw new Error('no weights');
  }

  return {
    next,
    whole,
    weighted,
    chance: (probability) => next() < probability,
    pick: (values) => values[whole(0, values.length - 1)] ?? values[0],
  };
}
