/**
 * A text that is to take no more than `width` code points. Of one that is too long the `keep` part stays.
 *
 * @param ellipsis stands for what was cut off
 */
export function fitted(text: string, width: number, ellipsis: string, keep: 'begin' | 'end' = 'begin'): string {
  // As many units hold at most as many code points.
  if (text.length <= width) return text;
  const points = [...text];
  if (points.length <= width) return text;
  const room = Math.max(0, width - ellipsis.length);
  return keep === 'begin'
    ? points.slice(0, room).join('') + ellipsis
    : ellipsis + points.slice(points.length - room).join('');
}

/** Filled up with blanks to `width` code points. */
export function filled(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
