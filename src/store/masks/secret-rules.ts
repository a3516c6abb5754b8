import { TOKEN_TABLE } from './token-table.ts';

export interface SecretRule {
  /** The kind of secret, shown in the mask. */
  readonly what: string;
  /**
   * Texts of which each match contains one, in lower case if the pattern ignores case. A text without any is skipped,
   * which is far faster than compiling the pattern.
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

/** The start of a word: also after `\\n`, `%3D` or `ESC[32m` in escaped, encoded or colored text. */
const START = String.raw`(?:^|[^\w-]|\\[nrt]|%[0-9A-Fa-f]{2}|\[[\d;]{0,8}m)`;

/**
 * A pattern that matches only at the start of a word. The lookbehind follows the prefix, so that the engine can search
 * for the prefix first.
 */
function atStart(prefix: string): string {
  return `${prefix}(?<=${START}${prefix})`;
}

const CHECKS_BY_MARK: Readonly<Record<string, SecretRule['holds']>> = { '*': isMixed, '**': isDiscordToken };

const TOKENS: readonly SecretRule[] = TOKEN_TABLE.trim()
  .split('\n')
  .filter((line) => !line.startsWith('#'))
  .map(ruleOf);

function ruleOf(line: string): SecretRule {
  const [name = '', form = '', keywords] = line.split(/ {2,}/);
  const [what = '', mark = ''] = name.split(/ (?=\*+$)/);
  const [first = '', second, third] = form.split(' ');
  const [searched, source] =
    third === undefined
      ? [first, second === undefined ? first : atStart(first) + second]
      : [second, `${second}(?<=${START}(?<head>${first})${second})${third}`];
  return {
    what,
    keywords: keywords?.split(' ') ?? [beginning(String(searched))],
    pattern: new RegExp(source, 'g'),
    holds: CHECKS_BY_MARK[mark],
  };
}

function beginning(source: string): string {
  return source.replace(/^((?:[\w:=~-]|\\[./])*(?![?*{])).*/, '$1').replaceAll('\\', '');
}

function isDiscordToken(secret: string): boolean {
  const [id = '', , signature = ''] = secret.split('.');
  return isMixed(id) && isMixed(signature);
}

/** Whether digits and letters alternate at least three times: likely in a key, rare in a name made of words. */
function isMixed(text: string): boolean {
  const boundaries = text.slice(0, 200).match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)/g);
  return boundaries !== null && boundaries.length >= 3;
}

const raw = String.raw;

const NAME =
  'pass(?:word|wd|phrase)|pwd|secret|token|credentials?|api[_-]?key|(?:access|private|auth|account|signing|encryption|master)[_-]?key';
/** Parts of the names above; each name contains one, in any spelling. */
const NAMES =
  'password passwd passphrase pwd secret token credential _key -key apikey accesskey privatekey authkey accountkey signingkey encryptionkey masterkey';

/** Quotes, escaped up to three times as in JSON in JSON in JSON. `\x60` is a backtick. */
const ESCAPED = raw`\\{0,7}["'\x60]?`;
const NO_VALUE = raw`\s"'\x60`;
/** White space, literal or escaped. */
const GAP = raw`(?:\s|\\[nrt]){1,8}`;
/** Words of a command before the option with the secret. */
const WORDS = raw`[^\n|;&]{0,300}?\s`;
/** The operator that assigns a value to a name, in a configuration file or JSON. */
const ASSIGNMENT = raw`${ESCAPED}\s{0,3}[:=]\s{0,3}${ESCAPED}`;
/** The first character of a value; excludes options, variables and code. */
const WORD = raw`[^\s"'\x60$<>(){}[\]|\\…-]`;

/** Places that contain secrets of any form. They come last, so that a token is masked by its own kind. */
const PLACES: readonly SecretRule[] = [
  // RFC 3986, userinfo. A password may contain an unescaped @, so the last one before the path ends it.
  place('password', '@', raw`(://[^\s/:@"'<>\x60]{0,80}:)[^\s/"'<>\x60]{1,200}(?=@)`, isNoPlaceholder),
  place('token', '@', raw`(://)[^\s/:@"'<>\x60$%{]{16,200}(?=@)`, isMixed),
  place('password', '%40', raw`(%3A%2F%2F[\w.~+-]{0,80}%3A)[\w.~!*%+-]{1,200}?(?=%40)`, isNoPlaceholder),
  // RFC 7235 and RFC 6750.
  place(
    'credentials',
    'authorization',
    raw`(authorization["'\\]{0,5}\s{0,3}[:=]\s{0,3}["'\\]{0,5}(?:bearer|basic|token|apikey|digest)(?:\s|%20|\+){1,3})[\w.~+/=-]{8,}`,
    (secret, _, next) => next !== '(' && (/\d/.test(secret) || /[a-z][A-Z]/.test(secret)) && !isMemberAccess(secret),
  ),
  place(
    'credentials',
    'authorization',
    raw`(authorization${ESCAPED}\s{0,3}:\s{0,3}${ESCAPED})[\w.~+/=-]{20,}`,
    isMixed,
  ),
  place('bearer token', 'bearer', raw`(\bbearer(?:\s|%20){1,3})[\w.~+/-]{20,}=*`, isMixed),
  // RFC 6265. A header has several cookies; if one looks random, all are masked.
  place('cookie', 'cookie', raw`(cookie${ASSIGNMENT}|\s--cookie[= ]["']?)[\w.-]{1,64}=[^\r\n"'\\]{8,4000}`, (secret) =>
    secret.split(/[;=]/).some((part) => part.trim().length >= 12 && isMixed(part)),
  ),
  // AWS CLI configuration: 40 characters of base64, which may begin like a path.
  place(
    'AWS secret key',
    'secret_access secretaccess',
    raw`(secret_?access_?key["'\\]{0,3}\s{0,3}[:=]\s{0,3}["'\\]{0,2})[A-Za-z0-9/+]{40}(?![\w/+=])`,
  ),
  // Signed URLs: Azure SAS, Amazon S3, Google Cloud Storage, CloudFront.
  place(
    'signature',
    'sig= sig%3d signature= signature%3d',
    raw`((?:[?&;]|\\u0026|%26|x-amz-|x-goog-)(?:sig|signature)(?:=|%3D))[\w%+/=.~-]{20,}`,
  ),
  place('signature', 'x-amz-security-token', raw`(x-amz-security-token(?:=|%3D))[\w%+/=.~-]{20,}`),
  // .npmrc, the configuration of Docker, kubeconfig.
  place('credentials', '_auth', raw`((?:^|[\s:"'])_auth${ASSIGNMENT})[A-Za-z0-9+/]{8,}={0,2}`),
  place('credentials', '"auth', raw`("auth\\{0,7}"\s{0,3}:\s{0,3}\\{0,7}")[A-Za-z0-9+/]{8,}={0,2}`, isUserAndPassword),
  place(
    'private key',
    'client-key-data',
    raw`(client-key-data${ESCAPED}\s{0,3}:\s{0,3}${ESCAPED})[A-Za-z0-9+/]{20,}={0,2}`,
  ),
  place('private key', 'ls0tls1crudjti', raw`${atStart('LS0tLS1CRUdJTi')}[A-Za-z0-9+/]{40,}={0,2}`, isEncodedKey),
  place(
    'private key',
    '-----begin',
    raw`-----BEGIN(?:%20|\+)[A-Z0-9%+]{0,40}PRIVATE(?:%20|\+)KEY(?:(?:%20|\+)BLOCK)?-----[\w%+/=.-]{40,24000}`,
  ),
  // .netrc and .pgpass.
  place(
    'password',
    'login',
    raw`((?:${atStart('machine')}${GAP}[^\s\\]{1,200}|${atStart('default')})${GAP}login${GAP}[^\s\\]{1,200}${GAP}password${GAP})[^${NO_VALUE}\\]{1,200}`,
  ),
  place(
    'password',
    ':',
    raw`(:(?:\d{4,5}|\*):(?<=(?:^|[\s"'\x60:=→|]|\\n)[\w.*-]{1,100}:(?:\d{4,5}|\*):)[A-Za-z*][\w.-]{0,63}:[A-Za-z*][\w.-]{0,63}:)[^\s:"'\x60\\]{4,100}`,
  ),
  // XML files, such as those of Maven and NuGet.
  place(
    'secret',
    '</ <\\',
    raw`(<(?:[\w.:-]{0,40}(?:${NAME})[\w.-]{0,20})(?:\s[^<>]{0,100})?>\s{0,3})[^<>\s]{4,200}(?=\s{0,3}<\\{0,3}/)`,
    // `<total_tokens>20009</total_tokens>` is a count.
    (secret, before) => isNoPlaceholder(secret) && !(/tokens\b/i.test(before) && /^\d+$/.test(secret)),
  ),
  place(
    'secret',
    'value=',
    raw`(key=\\{0,3}"[\w.]{0,40}(?:${NAME})[\w.]{0,20}\\{0,3}"\s{1,3}value=\\{0,3}")[^"\\]{4,200}`,
    isNoPlaceholder,
  ),
  // Commands that take a password as an argument.
  command('curl', raw`(?:-u|--user|--proxy-user|-U)[\s=]{0,3}${ESCAPED}[^\s"':\\]{1,80}:`),
  command('curl', raw`-b\s{1,3}${ESCAPED}[\w.-]{1,64}=`),
  command('mysql mariadb', raw`-p${ESCAPED}(?=[^\s-])`),
  command('sshpass', raw`-p\s{0,3}${ESCAPED}`),
  command('redis-cli', raw`-a\s{1,3}${ESCAPED}`),
  command('docker', raw`login\b${WORDS}-p\s{1,3}${ESCAPED}(?!\d{1,5}:|[\d.]{7,15}:)`),
  command('ldap', raw`-w\s{1,3}${ESCAPED}`),
  command('smbclient', raw`-U\s{0,3}${ESCAPED}[^\s%]{1,80}%`),
  command('kubectl', raw`--from-literal[= ]${ESCAPED}[\w.-]{1,80}=`),
  place('password', 'pass:', raw`(\s-pass(?:in|out)?\s{1,3}${ESCAPED}pass:)[^${NO_VALUE}\\]{4,200}`, isNoPlaceholder),
  place(
    'password',
    'sudo',
    raw`(${atStart('echo')}\s{1,3}(?:-\w\s{1,3})?${ESCAPED})[^${NO_VALUE}\\|]{4,100}(?=${ESCAPED}\s{0,3}\|\s{0,3}sudo\s[^|;&\n]{0,40}-\w{0,3}S)`,
    isNoPlaceholder,
  ),
  place(
    'password',
    'pass',
    raw`(--(?<![\w-]--)[a-z-]{0,30}pass(?:word|wd|phrase)?(?:=|\s{1,3})${ESCAPED})${WORD}[^${NO_VALUE}\\]{3,200}`,
    (secret, before) =>
      isNoPlaceholder(secret) &&
      (before.includes('=') || /[\dA-Z!@#$%^&*]/.test(secret)) &&
      !/^[.~]{0,2}\//.test(secret),
  ),
  // A capturing group for the rest of the name, which the engine compiles as a loop. Repeated copies would take ten
  // times as long to compile.
  place(
    'secret',
    NAMES,
    raw`((?:${NAME})([_-]?(?:key|base|value|prod|dev|test|live|\d)){0,3}["'\x60\\\]]{0,8}[ \t]{0,3}` +
      raw`(?::[ \t]?(?:string|str)[ \t]?=|:=|=>|={1,3}|:)[ \t]{0,3}${ESCAPED})[^\s"'\x60,;&<>(){}[\]|\\…]{8,}`,
    isAssigned,
  ),
  place(
    'secret',
    '%3d %3a',
    raw`((?:${NAME})(?:%22|%27){0,2}(?:%20|\+)?(?:%3D|%3A)(?:%20|\+)?(?:%22|%27)?)(?:(?!%(?:26|22|27|2C|3B|0A|0D|20|7D))[\w.~!*%+/=-]){8,200}`,
    (value, before, next) => isAssigned(value.replaceAll(/%[0-9a-f]{2}/gi, '!'), `${before}"`, next),
  ),
  place(
    'secret',
    NAMES,
    raw`(--(?<![\w-]--)[a-z-]{0,30}(?:${NAME})\s{1,3}["']?)${WORD}[^\s"'\x60<>(){}[\]|\\…]{7,}`,
    isAssigned,
  ),
];

/** In the order in which they are applied. */
export const SECRET_RULES: readonly SecretRule[] = [...TOKENS, ...PLACES];

/** Ignores case, because headers and variables are written in either case; provider tokens are case-sensitive. */
function place(what: string, keywords: string, source: string, holds?: SecretRule['holds']): SecretRule {
  return { what, keywords: keywords.split(' '), pattern: new RegExp(source, 'gi'), holds };
}

/** A rule for a command: the argument after an option is a password. */
function command(names: string, option: string): SecretRule {
  const keywords = names.split(' ');
  const source = raw`(${atStart(`(?:${keywords.join('|')})`)}\w{0,12}\b${WORDS}${option})[^${NO_VALUE}\\]{2,200}`;
  return { what: 'password', keywords, pattern: new RegExp(source, 'g'), holds: isNoPlaceholder };
}

/** Whether the text is code that reads a secret, such as `process.env.TOKEN`. False if a part looks random. */
function isMemberAccess(text: string): boolean {
  if (!/^[A-Za-z_$][\w$]*\??(?:\.[A-Za-z_$][\w$]*)+[!?:]*$/.test(text)) return false;
  return !text
    .split('.')
    .some((part) => part.length >= 16 && /[a-z]/.test(part) && /[A-Z]/.test(part) && isMixed(part));
}

function isNoPlaceholder(password: string): boolean {
  return !/^(?:[$%{[<]|\*|(.)\1*$)/.test(password) && !password.startsWith('[masked');
}

function isUserAndPassword(secret: string): boolean {
  return /^[^:]{1,200}:[^:]/.test(Buffer.from(secret, 'base64').toString('latin1'));
}

function isEncodedKey(secret: string): boolean {
  return Buffer.from(secret.slice(0, 80), 'base64').includes('PRIVATE KEY');
}

/** Whether the value is a literal rather than a reference, path, type or word. */
function isAssigned(value: string, before: string, next: string): boolean {
  if (next === '(' || /^(?:[$%]|[.~]{0,2}\/|[a-z]+:\/\/)/i.test(value)) return false;
  const literal = /["'`]$/.test(before);
  if (!literal && isMemberAccess(value)) return false;
  if (value.length >= 12 && isMixed(value)) return true;
  // Passwords that people choose look less random; a quoted text or NAME=value is at least not code.
  const chosen = /pass|pwd/i.test(before) && (literal || /[A-Z]=$/.test(before));
  return chosen && /\d/.test(value) && /[A-Za-z]/.test(value);
}
