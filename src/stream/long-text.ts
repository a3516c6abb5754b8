/** Texts that are remembered: as many as are under way in one line of a recording. */
const REMEMBERED = 16;

const texts: string[] = new Array(REMEMBERED).fill('');
const beginnings: string[] = new Array(REMEMBERED).fill('');
let next = 0;

/** A text of two parts. As long as nobody asks for its characters, the second takes no memory of its own. */
export function joinedText(beginning: string, rest: string): string {
  const text = `${beginning}${rest}`;
  texts[next] = text;
  beginnings[next] = beginning;
  next = (next + 1) % REMEMBERED;
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
