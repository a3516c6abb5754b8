import type { Origin } from '../../config/config.ts';

/** The path of a value in a flow file: keys and list indexes. */
export type Path = readonly (string | number)[];

/**
 * Reports a fault.
 *
 * @param todo the advice; a function if computing it is expensive, because not all faults are shown
 * @param place the offset in the text and the origin of the value; default: those of `path` in the file
 */
export type Refuse = (
  path: Path,
  expected: string,
  found: string,
  todo: string | (() => string),
  place?: { readonly offset?: number | undefined; readonly origin?: Origin },
) => void;

/** Formats a path for findings: `steps[3].needs[0]`. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? nameText(part) : `${text}.${nameText(part)}`;
  }, '');
}

/** Formats a key of the file, quoted if it could be misread. */
export function nameText(name: string): string {
  return /^[\w$-]{1,64}$/.test(name) ? name : JSON.stringify(name.slice(0, 40));
}
