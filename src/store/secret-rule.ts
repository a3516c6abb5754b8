/** One kind of secret. */
export interface SecretRule {
  /** What it is, for the words that take its place. */
  readonly what: string;
  /** A text without it holds none, and is not searched. */
  readonly hint: string | RegExp;
  /** With the flag `g`. A first group is what stays in front of the secret; the rest of the match is the secret. */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

export function rule(
  what: string,
  hint: string | RegExp,
  source: string,
  holds?: SecretRule['holds'],
  flags = 'g',
): SecretRule {
  return { what, hint, pattern: new RegExp(source, flags), holds };
}

/** The start of a word: in escaped, encoded or coloured text that is also after `\\n`, `%3D` or `ESC[32m`. */
export const START = '(?<=^|[^\\w-]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,8}m)';

/**
 * A short prefix counts only at the start of a word. The look behind comes second, so that the engine may search for the prefix.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=(?:^|[^\\w-]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,8}m)${prefix})`;
}
