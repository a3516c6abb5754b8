import { extname } from 'node:path';
import { fieldsOf, groupsIn } from '../core/protocol/fields.ts';
import { collapseWhitespace } from '../core/text/words.ts';
import { messageOf } from '../errors.ts';

/** An error in the syntax of a text, with its line and column, both counted from 1. */
export class SyntaxFault extends Error {
  readonly format: 'JSON' | 'YAML';
  readonly line: number;
  readonly column: number;

  constructor(format: 'JSON' | 'YAML', message: string, place: { line: number; column: number }) {
    super(message);
    this.format = format;
    this.line = place.line;
    this.column = place.column;
  }
}

/** Parses a configuration file as JSON or YAML, depending on its name. A file without an extension may be either. */
export async function parseData(path: string, text: string): Promise<unknown> {
  if (extname(path) === '.json') return parseJson(text);
  try {
    // JSON is also YAML; trying it first avoids loading the YAML parser.
    return JSON.parse(text);
  } catch {
    return parseYaml(path, text);
  }
}

/** Parses JSON. @throws SyntaxFault */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const before = text.slice(0, faultOffset(text, messageOf(error)));
    const place = { line: before.split('\n').length, column: before.length - before.lastIndexOf('\n') };
    // The message may quote whole lines of the file.
    throw new SyntaxFault('JSON', collapseWhitespace(messageOf(error)), place);
  }
}

/**
 * The offset of a syntax error in JSON. If Node does not report it: the end of the shortest prefix that also fails at a
 * token.
 */
function faultOffset(text: string, message: string): number {
  const [position] = groupsIn(/at position (\d+)/, message);
  if (position !== undefined) return Number(position);
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (failsAtToken(text.slice(0, middle + 1))) high = middle;
    else low = middle + 1;
  }
  return low;
}

function failsAtToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return messageOf(error).startsWith('Unexpected token');
  }
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  // Use only the loader: `cosmiconfig()` itself reads its own settings from .config/config.js of the working folder,
  // and so executes it; its `$import` key loads JavaScript too. The package is CommonJS, whose named exports are lost
  // in a bundle.
  const { default: cosmiconfig } = await import('cosmiconfig');
  let value: unknown;
  try {
    value = cosmiconfig.defaultLoaders['.yaml'](path, text);
  } catch (error) {
    // js-yaml counts lines and columns from 0.
    const { reason, mark } = fieldsOf(error);
    if (typeof reason !== 'string') throw error;
    const { line = 0, column = 0 } = fieldsOf(mark);
    throw new SyntaxFault('YAML', reason, { line: Number(line) + 1, column: Number(column) + 1 });
  }
  if (isBounded(value)) return value;
  throw new SyntaxFault('YAML', `more than ${MAX_VALUES} values, or one that holds itself`, { line: 1, column: 1 });
}

/** Maximum number of values in a file; no real configuration has as many. */
const MAX_VALUES = 10_000;

/** Whether the data has a bounded size. With anchors, a few lines can represent billions of values, or a cyclic one. */
function isBounded(root: unknown): boolean {
  const open = [root];
  for (let count = 1; open.length > 0; count++) {
    if (count > MAX_VALUES) return false;
    const value = open.pop();
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) open.push(part);
  }
  return true;
}
