import { type Fields, isFields } from '../../core/protocol/fields.ts';

/** What stands in one line: JSON of an object, nothing but white space, or anything else. */
export type Found = { readonly kind: 'blank' | 'malformed' } | { readonly kind: 'value'; readonly value: Fields };

const BLANK: Found = { kind: 'blank' };
export const MALFORMED: Found = { kind: 'malformed' };

/** A line of a recording, and where it is. */
export type ReadLine = Found & {
  /** From 1. */
  readonly number: number;
  /** Of its first byte, from 0. */
  readonly offset: number;
  /** Its beginning (256 KiB) as it stands; only of the first line that is not blank, by which recordings are told apart. */
  readonly text?: string;
};

export function placed(found: Found, number: number, offset: number, text?: string): ReadLine {
  if (text !== undefined) return { ...found, number, offset, text };
  // Not spread: this is done for every line, and would take a tenth of the time.
  return found.kind === 'value'
    ? { kind: 'value', value: found.value, number, offset }
    : { kind: found.kind, number, offset };
}

export function findIn(text: string): Found {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? { kind: 'value', value } : MALFORMED;
  } catch {
    return text.trim() === '' ? BLANK : MALFORMED;
  }
}
