/** Code points a token is taken for until the session's own calls have shown a better figure. */
export const CHARS_PER_TOKEN = 3.5;

const PAIRS = /[\ud800-\udbff][\udc00-\udfff]/g;

/** Tokens of a text, rounded up; `charsPerToken` counts code points. */
export function estimateTokens(text: string, charsPerToken = CHARS_PER_TOKEN): number {
  return Math.ceil(codePoints(text) / charsPerToken);
}

/** UTF-16 units, less one for every pair of them that is one character. */
export function codePoints(text: string): number {
  let pairs = 0;
  PAIRS.lastIndex = 0;
  while (PAIRS.test(text)) pairs++;
  return text.length - pairs;
}
