import {
  Composer,
  type Document,
  isAlias,
  isMap,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
  visit,
} from 'yaml';
import { messageOf } from '../errors.ts';
import { parseJson, SyntaxFault } from './parse-data.ts';

/** Maximum nesting depth. The library parses recursively, and a stack overflow in it can end the process. */
const MAX_LEVELS = 50;
/** Maximum tokens of a text: words, marks and white space. A thousand steps of eighty keys have fewer. */
const MAX_PARTS = 400_000;

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

/**
 * Parses one YAML document, or JSON, into nodes with their offsets in the text. Without aliases and tags, they are plain
 * data.
 *
 * @throws SyntaxFault
 */
export function parseYaml(text: string, { isJson }: { readonly isJson: boolean }) {
  if (isJson) parseJson(text);
  const lines = new LineCounter();
  // In valid JSON, tabs and CR occur only between tokens; the library does not accept them as spaces.
  const plain = isJson ? text.replaceAll(/[\t\r]/g, ' ') : text.replaceAll(/\r(?!\n)/g, '\n');
  /** Line and column of an offset, counted from 1. */
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  try {
    return { document: compose(plain, lines), placeOf };
  } catch (error) {
    // Faults, and errors that the library does not handle itself.
    const offset = error instanceof TextFault ? error.offset : 0;
    throw new SyntaxFault(isJson ? 'JSON' : 'YAML', messageOf(error), placeOf(offset));
  }
}

function compose(text: string, lines: LineCounter): Document.Parsed {
  // Makes the library return a document for an empty text too.
  const documents = [...new Composer(OPTIONS).compose(tokens(text, lines), true, text.length)];
  const [document, second] = documents as [Document.Parsed, Document.Parsed?];
  const [fault] = [...document.errors, ...document.warnings];
  // The library's message names its own option.
  if (fault?.code === 'NON_STRING_KEY') throw new TextFault('a key that is not a text', fault.pos[0]);
  // The library only warns about an unknown tag.
  if (fault !== undefined && fault.code !== 'TAG_RESOLVE_FAILED') throw new TextFault(fault.message, fault.pos[0]);
  if (second !== undefined) throw new TextFault('a second document after ---', second.range[0]);
  visit(document, { Node: (_, node) => refuseOthers(node as ParsedNode) });
  return document;
}

function refuseOthers(node: ParsedNode): void {
  const [offset] = node.range;
  if (isAlias(node)) throw new TextFault(`the alias *${node.source}, whose value must be written out`, offset);
  if ('tag' in node && node.tag !== undefined) throw new TextFault(`the tag ${node.tag}`, offset);
  if (!isMap<Scalar.Parsed>(node)) return;
  const keys = new Set<unknown>();
  for (const { key } of node.items) {
    if (keys.has(key.value)) throw new TextFault(`the key ${key.value} a second time`, key.range[0]);
    keys.add(key.value);
  }
}

class TextFault extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** The tokens of the text, checked for depth and number. @throws TextFault */
function* tokens(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let parts = 0;
  for (const part of new Lexer().lex(text)) {
    yield* parser.next(part);
    parts += 1;
    if (parser.stack.length > MAX_LEVELS) throw new TextFault(`more than ${MAX_LEVELS} levels`, parser.offset);
    if (parts > MAX_PARTS) throw new TextFault(`more than ${MAX_PARTS} parts`, parser.offset);
  }
  yield* parser.end();
}
