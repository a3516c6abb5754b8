/** Of so many texts of a line the beginnings are remembered: more would take longer to search than to write out. */
const REMEMBERED = 16;

/** Texts that were joined for the line under way, and what they begin with. */
let texts: string[] = [];
let beginnings: string[] = [];

/** Another line begins: the texts of the one before are not asked for any more, or may cost what they cost. */
export function forgetJoined(): void {
  if (texts.length === 0) return;
  texts = [];
  beginnings = [];
}

/** A text of two parts. As long as nobody asks for its characters, the second takes no memory of its own. */
export function joinedText(beginning: string, rest: string): string {
  const text = `${beginning}${rest}`;
  if (texts.length < REMEMBERED) {
    texts.push(text);
    beginnings.push(beginning);
  }
  return text;
}

/**
 * Something to read the first characters of a text from: of one that was joined just now its first part, as V8 writes
 * out all of it for the first character that is asked for.
 */
export function beginningOf(text: string, length: number): string {
  const beginning = beginnings[texts.indexOf(text)] ?? '';
  return beginning.length < length ? text : beginning;
}
