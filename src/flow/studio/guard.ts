import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';

/** What every answer says: the page is nobody's but ours, runs nothing but its own files, and is kept nowhere. */
export const GUARDED: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/**
 * Where below the token a request goes; undefined when it is to be refused. Another page in the same browser knows no
 * token, and a name that somebody else has made to lead to this machine is not our host.
 */
export function placeOf(
  request: IncomingMessage,
  { host, token }: { host: string; token: string },
): string | undefined {
  const { headers, url = '' } = request;
  if (headers.host !== host) return undefined;
  if (headers.origin !== undefined && headers.origin !== `http://${host}`) return undefined;
  const [, given = '', place] = /^\/([^/?#]*)\/([^/?#]*)$/.exec(url) ?? [];
  return isSame(given, token) ? place : undefined;
}

/** Takes the same time wherever the texts differ, and however long they are. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
