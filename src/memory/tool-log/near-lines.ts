/** Of a text this much is looked into; claude itself shows a model less of what a command prints. */
export const NEAR_LENGTH = 256_000;

/** The lines of a text that are looked into. */
export interface NearLines {
  readonly lines: readonly string[];
  /** There are more. */
  readonly more: boolean;
}

/** The whole lines at the beginning of a text, the last newline ends none. */
export function nearLines(text: string): NearLines {
  const isWhole = text.length <= NEAR_LENGTH;
  const near = isWhole ? text : text.slice(0, text.lastIndexOf('\n', NEAR_LENGTH) + 1);
  const lines = near.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return { lines, more: !isWhole };
}

export function countLines(text: string): number {
  if (text === '') return 0;
  let count = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
