import type { Finding, Origin } from '../../config/config.ts';
import { finding } from '../../config/finding.ts';

/** The path of a value in a flow file: names of keys and indexes of lists. */
export type Path = readonly (string | number)[];

export interface Fault {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  /** A function where the advice takes a search: not all faults are reported. */
  readonly todo: string | (() => string);
  /** Its offset in the text. Default: that of `path`. */
  readonly offset?: number;
  /** Where the value comes from. Default: that place in the file. */
  readonly origin?: Origin;
}

/** A path as findings name it: `steps[3].needs[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? nameText(part) : `${text}.${nameText(part)}`;
  }, '');
}

/** A name from the file, in quotes where it could be misread. */
export function nameText(name: string): string {
  return /^[\w$-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 40));
}

/** The finding about a fault; one about the file as a whole has the file's path as its key. */
export function toFinding(fault: Fault, place: { readonly file: string; readonly line: number }): Finding {
  const { path, expected, found, origin = { source: 'file', where: `${place.file}:${place.line}` } } = fault;
  const todo = typeof fault.todo === 'string' ? fault.todo : fault.todo();
  return finding(pathText(path) || place.file, { expected, found, todo, origin });
}
