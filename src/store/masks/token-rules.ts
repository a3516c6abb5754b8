import { TOKEN_TABLE } from './token-table.ts';

export interface SecretRule {
  /** The kind of secret, shown in the mask. */
  readonly what: string;
  /**
   * Each match contains one of these, in lower case if the pattern ignores case. Texts without them are skipped: in a
   * short text that is far faster than compiling the pattern.
   */
  readonly keywords: readonly string[];
  /**
   * Needs the flag `g`. The first group is the text before the secret; the rest of the match is the secret. A group
   * named `head` is the beginning of the secret, before the match.
   */
  readonly pattern: RegExp;
  /** Decides about a match where the pattern alone would also match ordinary text. */
  readonly holds?: ((secret: string, before: string, next: string) => boolean) | undefined;
}

/** The start of a word: also after `\\n`, `%3D` or `ESC[32m` in escaped, encoded or coloured text. */
const START = String.raw`(?:^|[^\w-]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m)`;

/**
 * A short prefix counts only at the start of a word. The lookbehind follows it, so that the engine can search for the
 * prefix first.
 */
export function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

/** Additional checks, by the mark after a token's name. */
const JUDGES: Readonly<Record<string, SecretRule['holds']>> = { '*': isMixed, '**': isDiscordToken };

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

/** The literal text at the beginning of a pattern. */
function beginning(source: string): string {
  return /^(?:[\w:=~-]|\\[./])*(?![?*{])/.exec(source)?.[0].replaceAll('\\', '') ?? '';
}

function isDiscordToken(secret: string): boolean {
  const [id = '', , signature = ''] = secret.split('.');
  return isMixed(id) && isMixed(signature);
}

/** Whether digits and letters alternate at least three times: likely in a key, rare in a name made of words. */
export function isMixed(text: string): boolean {
  const meetings = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return meetings !== null && meetings.length >= 3;
}
