import type { Finding } from '../../config/config.ts';
import { finding } from '../../config/finding.ts';

/** The way to a value in a flow file: names of keys, places in lists. */
export type Path = readonly (string | number)[];

/** Something that is refused, before it is known in which line it is. */
export interface Fault {
  readonly path: Path;
  readonly expected: string;
  readonly found: string;
  /** A function where it takes a search: only so many faults are told. */
  readonly todo: string | (() => string);
  /** Where it is in the text; where `path` is, unless given. */
  readonly offset?: number;
}

/** A path as findings name it: `steps[3].needs[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? nameText(part) : `${text}.${nameText(part)}`;
  }, '');
}

/** A name of the file's own; in quotes where there is anything odd in it, and it would read as several or run over lines. */
export function nameText(name: string): string {
  return /^[\w$-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 40));
}

/** The finding about a fault; one about the file as a whole has the file's path as its key. */
export function toFinding(fault: Fault, place: { readonly file: string; readonly line: number }): Finding {
  const { path, expected, found } = fault;
  const todo = typeof fault.todo === 'string' ? fault.todo : fault.todo();
  const origin = { source: 'file', where: `${place.file}:${place.line}` } as const;
  return finding(pathText(path) || place.file, { expected, found, todo, origin });
}
