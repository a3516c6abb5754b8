import { Composer, type Document, Lexer, LineCounter, Parser } from 'yaml';
import { messageOf } from '../errors.ts';

/** Maximum nesting depth. The library parses recursively, and a stack overflow in it can end the process. */
const MAX_LEVELS = 50;
/** Maximum tokens of a text: words, marks and white space. A thousand steps of eighty keys have fewer. */
const MAX_PARTS = 400_000;
/** Maximum number of reported errors. Only the first syntax errors are real; the others follow from them. */
const MAX_ERRORS = 10;

// Name the schema, because `%YAML 1.1` in the text would select one with dates, sets and merged keys.
const OPTIONS = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  // The library compares every pair of keys, which takes minutes for many keys.
  uniqueKeys: false,
  prettyErrors: false,
} as const;

interface TextFault {
  readonly offset: number;
  readonly message: string;
}

/**
 * Parses one YAML document, or JSON, into nodes with their offsets in the text. If errors occurred, the nodes are
 * unreliable. Never throws.
 */
export function parseYaml(text: string, { isJson }: { readonly isJson: boolean }) {
  const lines = new LineCounter();
  // In valid JSON, tabs and CR occur only between tokens; the library does not accept them as spaces.
  const plain = isJson ? text.replaceAll(/[\t\r]/g, ' ') : text.replaceAll(/\r(?!\n)/g, '\n');
  return {
    ...compose(plain, lines),
    /** Line and column of an offset, counted from 1. */
    placeOf: (offset: number) => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    },
  };
}

function compose(text: string, lines: LineCounter) {
  try {
    const [document, another] = [...new Composer(OPTIONS).compose(tokens(text, lines), true, text.length)];
    const errors = faultsOf(document);
    if (another !== undefined) errors.push({ offset: another.range[0], message: 'a second document after ---' });
    return { document, errors: errors.slice(0, MAX_ERRORS) };
  } catch (error) {
    // Limits, and errors that the library does not handle itself.
    const offset = error instanceof Limit ? error.offset : 0;
    return { document: undefined, errors: [{ offset, message: messageOf(error) }] };
  }
}

function faultsOf(document: Document.Parsed | undefined): TextFault[] {
  // The library only warns about an unknown tag; ctxb rejects a flow with one, and names its key.
  const warnings = document?.warnings.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED') ?? [];
  return [...(document?.errors ?? []), ...warnings].map(({ pos, code, message }) => ({
    offset: pos[0],
    // The library's message names its own option.
    message: code === 'NON_STRING_KEY' ? 'a key that is not a text' : message,
  }));
}

class Limit extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** @throws Limit */
function* tokens(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  for (const part of new Lexer().lex(text)) {
    yield* parser.next(part);
    parts += 1;
    if (parser.stack.length > MAX_LEVELS) throw new Limit(`more than ${MAX_LEVELS} levels`, parser.offset);
    if (parts > MAX_PARTS) throw new Limit(`more than ${MAX_PARTS} parts`, parser.offset);
  }
  yield* parser.end();
}
