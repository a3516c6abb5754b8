import { type Fields, isFields, parseJson } from './fields.ts';
import { valueEnd } from './json-spans.ts';

/** Maximum number of times that torn text is scanned for the end of an object. */
const MAX_SCANS = 100;

/** The start of an object. Within a string, the quotes would be escaped. */
const OPENING = /^\{ ?"/;

const CALL = /"usage"|"type":\s*"assistant"/;

/** The rows in a line of a log. Several if two processes wrote to the log at once. */
export function rowsIn(line: string): readonly Fields[] {
  const value = parseJson(line);
  return isFields(value) ? [value] : objectsIn(line).values;
}

/**
 * The complete rows in a line of JSON objects, some of which may be torn: two processes may have written to a file at
 * once. `isTorn`: the line also contains other text. `isLost`: that text contained a call.
 */
export function objectsIn(line: string) {
  const values: Fields[] = [];
  let rest = '';
  let done = 0;
  let scanned = 0;
  for (let at = line.indexOf('{'); at !== -1 && scanned < MAX_SCANS * line.length; at = line.indexOf('{', at)) {
    const end = OPENING.test(line.slice(at, at + 3)) ? valueEnd(line, at) : at;
    const value = end === at ? undefined : parseJson(line.slice(at, end));
    scanned += end - at;
    if (!isRow(value)) {
      at++;
      continue;
    }
    values.push(value);
    rest += line.slice(done, at);
    done = end;
    at = end;
  }
  rest += line.slice(done);
  // One process wrote into the middle of a row of the other.
  const outer = parseJson(rest);
  if (isRow(outer)) return { values: [outer, ...values], isTorn: false, isLost: false };
  return { values, isTorn: rest.trim() !== '', isLost: CALL.test(rest) };
}

/** A row, not a part of one, has an id or a session id; in a record, it has a time and a line. */
function isRow(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const isFromClaude = typeof value.type === 'string';
  const isNamed = [value.uuid, value.sessionId, value.session_id].some((id) => typeof id === 'string');
  return (isFromClaude && isNamed) || (typeof value.t === 'number' && typeof value.line === 'string');
}
