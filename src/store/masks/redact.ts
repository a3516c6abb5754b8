import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END_HERE = new RegExp(KEY_END.source, 'y');
const KEY = 'private key';

/** Maximum characters between the first and the last line of one key; a key of 16,384 bits has 13,000. */
const KEY_MAX = 20_000;

/** A complete line of a key (RFC 7468: 64 characters), with preceding quotes, escaped line ends or line numbers. */
const KEY_LINE =
  /(?:[\s"'`,|>→:]|\\[nrt]|\d{1,6}(?=[\t→:|])|(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{0,200})*[A-Za-z0-9+/]{24,}={0,2}/y;
/** The line at which a truncated text ends. */
const TORN_LINE = /(?:[\s"'`,|>→:]|\\[nrt])*[A-Za-z0-9+/]{1,23}={0,2}(?=…|$)/y;
const LINE_START = /(?<=\n|\\n)/;
const WHOLE_LINE = /^[\s\d→:|>"'`]{0,40}[A-Za-z0-9+/]{24,}={0,2}(?:[\s"'`,+]|\\[nr]){0,8}$/;
const LAST_LINE = /^[\s\d→:|>"'`]{0,40}[A-Za-z0-9+/]{0,23}={0,2}(?:[\s"'`,+]|\\[nr]){0,8}$/;

/**
 * Replaces each secret in the text by its kind, as in `[masked: GitHub token]`.
 *
 * Masks tokens in the format of a known provider, JWTs, private keys (also truncated ones), passwords in URLs,
 * authorization headers, and random-looking values whose name suggests a secret. It does not understand meaning: a
 * password of plain words passes. Masking is idempotent.
 *
 * @param text several texts are the blocks of one message: each becomes a line, and a secret that continues in the next
 * block is masked too
 */
export function redact(text: string | readonly string[], { keepLines = false } = {}): string {
  const replacer = keepLines ? maskWithLines : mask;
  return replaceSecrets(typeof text === 'string' ? text : linesOf(text, replacer), replacer);
}

type Replacer = (what: string, secret: string, from: number) => string;

function mask(what: string): string {
  return `[masked: ${what}]`;
}

/** Keeps the number of lines, so that line numbers after the mask stay right. */
function maskWithLines(what: string, secret: string): string {
  return mask(what) + secret.replaceAll(/[^\n]/g, '');
}

interface Secret {
  readonly what: string;
  readonly from: number;
  readonly end: number;
}

/** Replaces secrets. Of overlapping ones, only the first. */
function replace(text: string, secrets: Iterable<Secret>, replacer: Replacer): string {
  let masked = '';
  let done = 0;
  for (const { what, from, end } of secrets) {
    if (from < done) continue;
    masked += text.slice(done, from) + replacer(what, text.slice(from, end), from);
    done = end;
  }
  return done === 0 ? text : masked + text.slice(done);
}

/** Joins the texts as lines. Masks only secrets that span several texts. */
function linesOf(texts: readonly string[], replacer: Replacer): string {
  if (texts.length < 2) return texts.join('');
  const whole = texts.join('');
  const secrets = secretsIn(whole);
  let lines = '';
  let done = 0;
  let end = 0;
  for (const text of texts.slice(0, -1)) {
    end += text.length;
    const overlapping = secrets.find((secret) => secret.from < end && end < secret.end);
    if (overlapping === undefined || overlapping.end <= done) lines += whole.slice(done, end);
    else
      lines +=
        whole.slice(done, overlapping.from) +
        replacer(overlapping.what, whole.slice(overlapping.from, overlapping.end), overlapping.from);
    lines += '\n';
    done = Math.max(done, overlapping?.end ?? end);
  }
  return lines + whole.slice(done);
}

function secretsIn(text: string, replaceAll = replaceSecrets): Secret[] {
  const secrets: Secret[] = [];
  replaceAll(text, (what, secret, from) => {
    secrets.push({ what, from, end: from + secret.length });
    // The same length keeps later offsets right.
    return '\0'.repeat(secret.length);
  });
  return secrets.sort((a, b) => a.from - b.from);
}

const ENCODED = /%[0-7][0-9A-Fa-f]/g;
const CHARACTER = /%[0-7][0-9A-Fa-f]|[\s\S]/g;
/** The end of a word that may be percent-encoded, such as a URL. */
const WORD_END = /[\s"`<>\\]/g;

/** Finds secrets in percent-decoded words, such as a URL that contains a command. */
function* encodedSecrets(text: string): Generator<Secret> {
  let done = 0;
  for (const { index } of text.matchAll(ENCODED)) {
    if (index < done) continue;
    let from = index;
    while (from > done && text.charAt(from - 1).search(WORD_END) < 0) from -= 1;
    WORD_END.lastIndex = index;
    done = WORD_END.exec(text)?.index ?? text.length;
    yield* secretsInWord(text.slice(from, done), from);
  }
}

function* secretsInWord(word: string, at: number): Generator<Secret> {
  const characters = [...word.matchAll(CHARACTER)];
  const placeOf = (index: number) => at + (characters[index]?.index ?? word.length);
  const text = characters.map(([character]) => decodeCharacter(character)).join('');
  for (const { what, from, end } of secretsIn(text, replaceKnown))
    yield { what, from: placeOf(from), end: placeOf(end) };
}

function decodeCharacter(character: string): string {
  return character.length === 3 ? String.fromCharCode(Number.parseInt(character.slice(1), 16)) : character;
}

function replaceSecrets(text: string, replacer: Replacer): string {
  const masked = replaceKnown(text, replacer);
  return masked.includes('%') ? replace(masked, encodedSecrets(masked), replacer) : masked;
}

/** Words too short to contain even a truncated token. Most JSON keys are this short. */
const SHORT_WORD = /^[\w-]{0,14}$/;

function replaceKnown(text: string, replacer: Replacer): string {
  if (SHORT_WORD.test(text)) return text;
  let masked = text;
  if (text.includes('PRIVATE KEY')) {
    masked = replace(masked, keysIn(masked), replacer);
    masked = replace(masked, endsOfKeysIn(masked), replacer);
  }
  const lower = masked.toLowerCase();
  let masks = '';
  for (const rule of SECRET_RULES) {
    const searched = rule.pattern.ignoreCase ? lower : masked;
    const isIn = (keyword: string) => searched.includes(keyword) || masks.includes(keyword);
    if (!rule.keywords.some(isIn) || masked.search(rule.pattern) < 0) continue;
    masked = replace(masked, secretsOf(rule, masked), replacer);
    // Only the masks are new text. No keyword contains a bracket, so no match starts before a mask and ends inside it.
    masks += mask(rule.what).toLowerCase();
  }
  return masked;
}

function* secretsOf({ what, pattern, holds }: SecretRule, text: string): Generator<Secret> {
  for (const match of text.matchAll(pattern)) {
    const { head = '' } = match.groups ?? {};
    const [whole, group = ''] = match;
    const before = head === '' ? group : '';
    const from = match.index - head.length + before.length;
    const end = match.index + whole.length;
    if (holds?.(text.slice(from, end), before, text.charAt(end)) !== false) yield { what, from, end };
  }
}

/** Keys from the first line to the last line, or to the end of the key's lines. */
function* keysIn(text: string): Generator<Secret> {
  for (const { index, 0: begin } of text.matchAll(KEY_BEGIN)) {
    const end = keyEnd(text, index + begin.length);
    if (end > index + begin.length) yield { what: KEY, from: index, end };
  }
}

/** The end of a key whose first line ends at `from`; `from` itself if no key follows, as in a text about keys. */
function keyEnd(text: string, from: number): number {
  const dashes = text.indexOf('-----', from);
  if (dashes >= 0 && dashes - from <= KEY_MAX && /[A-Za-z0-9+/]{24}/.test(text.slice(from, dashes))) {
    const end = matchEnd(KEY_END_HERE, text, dashes);
    if (end > dashes) return end;
  }
  let end = from;
  for (let next = matchEnd(KEY_LINE, text, end); next > end; next = matchEnd(KEY_LINE, text, end)) end = next;
  return end === from ? from : matchEnd(TORN_LINE, text, end);
}

function matchEnd(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return sticky.test(text) ? sticky.lastIndex : from;
}

/** The rest of a key whose first line was cut off. */
function* endsOfKeysIn(text: string): Generator<Secret> {
  let previous = 0;
  for (const { index, 0: last } of text.matchAll(KEY_END)) {
    const length = keyLength(text.slice(Math.max(previous, index - KEY_MAX), index));
    previous = index + last.length;
    if (length > 0) yield { what: KEY, from: index - length, end: previous };
  }
}

/** Number of characters at the end of the text that are lines of a key. The last line may be short. */
function keyLength(text: string): number {
  const lines = text.split(LINE_START);
  let first = lines.length;
  while (first > 0 && first > lines.length - 2 && LAST_LINE.test(lines[first - 1] ?? '')) first -= 1;
  const whole = first;
  while (WHOLE_LINE.test(lines[first - 1] ?? '')) first -= 1;
  return first === whole ? 0 : lines.slice(first).join('').length;
}
