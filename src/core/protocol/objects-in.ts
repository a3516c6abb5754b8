import { type Fields, isFields, parsed } from './fields.ts';
import { valueEnd } from './json-spans.ts';

/** The readable parts of a line that is not one object: two processes may have written to a file at once. */
interface Salvaged {
  readonly values: readonly Fields[];
  /** Something else is in the line. */
  readonly isTorn: boolean;
  /** That held a call. */
  readonly isLost: boolean;
}

/** Places at which an object is looked for in what is torn: each takes a walk to the end of the line. */
const MOST_PLACES = 100;

const CALL = /"usage"|"type":\s*"assistant"/;

/** The rows in a line of a log: one, unless two processes have written to it at once. */
export function rowsIn(line: string): readonly Fields[] {
  const value = parsed(line);
  return isFields(value) ? [value] : objectsIn(line).values;
}

/** The whole rows in a line of JSON objects, some of which may be torn. */
export function objectsIn(line: string): Salvaged {
  const values: Fields[] = [];
  let rest = '';
  let done = 0;
  let places = 0;
  for (let at = line.indexOf('{'); at !== -1 && places < MOST_PLACES; at = line.indexOf('{', at)) {
    const end = valueEnd(line, at);
    const value = parsed(line.slice(at, end));
    if (!isRow(value)) {
      places++;
      at++;
      continue;
    }
    values.push(value);
    rest += line.slice(done, at);
    done = end;
    at = end;
  }
  rest += line.slice(done);
  return { values, isTorn: rest.trim() !== '', isLost: CALL.test(rest) };
}

/** A row, not a part of one: each carries an id of its own or of its session, in a record the line of the run. */
function isRow(value: unknown): value is Fields {
  if (!isFields(value)) return false;
  const isClaudes = typeof value.type === 'string';
  const isNamed = [value.uuid, value.sessionId, value.session_id].some((id) => typeof id === 'string');
  return (isClaudes && isNamed) || (typeof value.t === 'number' && typeof value.line === 'string');
}
