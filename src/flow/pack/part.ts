import { codePoints } from '../../core/governor/gauge/token-estimate.ts';

export const BETWEEN_PARTS = '\n\n';

/** Code points that a part takes in a text, with the break after it. */
export function costOf(part: string): number {
  return codePoints(part) + BETWEEN_PARTS.length;
}

export interface Part {
  readonly text: string;
  readonly cost: number;
}

/**
 * The part with about as much as `room` allows: between `least` and `most` code points, or undefined where `least`
 * is too much. The length changes what stands around it (a fence, a marker), so it is found by trying.
 */
export function fitted<T extends Part>(
  render: (limit: number) => T,
  { most, least, room }: { most: number; least: number; room: number },
): T | undefined {
  const whole = render(most);
  if (whole.cost <= room) return whole;
  const smallest = render(Math.min(least, most));
  if (smallest.cost > room) return undefined;
  let excess = whole.cost - room;
  // The steps double, so that the search ends soon for a text of control characters too.
  for (let limit = most - excess, steps = 1; limit > least; limit -= excess * steps, steps *= 2) {
    const part = render(limit);
    if (part.cost <= room) return part;
    excess = part.cost - room;
  }
  return smallest;
}
