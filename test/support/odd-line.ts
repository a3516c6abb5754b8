import { mutateLine } from './mutate-line.ts';
import type { Random } from './random.ts';
import { FIXTURE_RECORDINGS, linesOf } from './recordings.ts';
import { restyleLine } from './restyle-line.ts';

const LINES = FIXTURE_RECORDINGS.flatMap(({ path }) => linesOf(path));

/** A line of our own recordings with things wrong, or only odd, in it, and a line feed. */
export function oddLine(random: Random): Buffer {
  const line = random.pick(LINES as [string, ...string[]]);
  const restyled = Buffer.from(random.chance(0.7) ? restyleLine(line, random) : line);
  return Buffer.concat([random.chance(0.4) ? mutateLine(restyled, random) : restyled, Buffer.from('\n')]);
}
