import { TOKEN_TABLE } from './token-table.ts';

export interface SecretRule {
  /** The kind of secret, for the mask. */
  readonly what: string;
  /**
   * Each match contains one of them, in lower case where the pattern ignores case. Other texts are not searched, which in a
   * short text takes far less time than to compile the pattern.
   */
  readonly keywords: readonly string[];
  /**
   * With the flag `g`. A first group is the text before the secret; the rest of the match is the secret. A group `head`
   * is its beginning, before the match.
   */
  readonly pattern: RegExp;
  /** Judges what was found, where the pattern alone would take ordinary text for a secret. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

/** The start of a word: in escaped, encoded or coloured text that is also after `\\n`, `%3D` or `ESC[32m`. */
const START = String.raw`(?:^|[^\w-]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m)`;

/**
 * A short prefix counts only at the start of a word. The lookbehind comes second, so that the engine can search for the
 * prefix.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

/** Marks after a name, and their additional checks. */
const JUDGES: Readonly<Record<string, SecretRule['holds']>> = { '*': isMixed, '**': isDiscordToken };

/** All forms of tokens. */
export const TOKENS: readonly SecretRule[] = TOKEN_TABLE.trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map(ruleOf);

function ruleOf(line: string): SecretRule {
  const [name = '', form = '', keywords] = line.split(/ {2,}/);
  const [, what = '', mark = ''] = /^(.*?)(?: (\*+))?$/.exec(name) ?? [];
  const parts = form.split(' ');
  const keyword = parts.at(parts.length === 3 ? 1 : 0) ?? '';
  return {
    what,
    keywords: keywords?.split(' ') ?? [beginning(keyword)],
    pattern: new RegExp(sourceOf(parts), 'g'),
    holds: JUDGES[mark],
  };
}

function sourceOf([first = '', second, third]: readonly string[]): string {
  if (second === undefined) return first;
  if (third === undefined) return atStart(first) + second;
  return `${second}(?<=${START}(?<head>${first})${second})${third}`;
}

/** The plain text that a pattern begins with. */
function beginning(source: string): string {
  return /^(?:[\w:=~-]|\\[./])*(?![?*{])/.exec(source)?.[0].replaceAll('\\', '') ?? '';
}

function isDiscordToken(secret: string): boolean {
  const [id = '', , signature = ''] = secret.split('.');
  return isMixed(id) && isMixed(signature);
}

/** Digits and letters meet at least three times: by chance in a key, hardly ever in a name made of words. */
export function isMixed(text: string): boolean {
  const meetings = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return meetings !== null && meetings.length >= 3;
}
