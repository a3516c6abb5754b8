import type { Origin } from '../../config/config.ts';

/** The path of a value in a flow file: names of keys and indexes of lists. */
export type Path = readonly (string | number)[];

/**
 * Reports a fault.
 *
 * @param todo a function where the advice takes a search: not all faults are shown
 * @param place the offset in the text, and where the value comes from; default: that of `path` in the file
 */
export type Refuse = (
  path: Path,
  expected: string,
  found: string,
  todo: string | (() => string),
  place?: { readonly offset?: number | undefined; readonly origin?: Origin },
) => void;

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
