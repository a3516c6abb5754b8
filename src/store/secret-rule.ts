/** One kind of secret. */
export interface SecretRule {
  /** What it is, for the words that take its place. */
  readonly what: string;
  /** A text with none of them holds no such secret, and is not searched. None: every text is searched. */
  readonly hints: readonly string[];
  /**
   * With the flag `g`. A first group is what stays in front of the secret; the rest of the match is the secret. A group
   * `head` is its beginning, which stands before the match.
   */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

export function rule(
  what: string,
  hints: string | readonly string[],
  source: string,
  holds?: SecretRule['holds'],
  flags = 'g',
): SecretRule {
  return { what, hints: typeof hints === 'string' ? [hints] : hints, pattern: new RegExp(source, flags), holds };
}

/** The start of a word: in escaped, encoded or coloured text that is also after `\\n`, `%3D` or `ESC[32m`. */
const START = '(?:^|[^\\w-]|\\\\[nrt]|%[0-9A-Fa-f]{2}|\\[[\\d;]{0,8}m)';

/**
 * A short prefix counts only at the start of a word. The look behind comes second, so that the engine may search for the prefix.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

/**
 * For a look behind: the beginning of a secret whose rarest part stands further on. The engine searches for that part,
 * and looks back from there, which it does far less often than try every character as the first.
 */
export function head(source: string): string {
  return `${START}(?<head>${source})`;
}
