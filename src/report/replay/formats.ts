import { CtxbError } from '../../errors.ts';
import type { OpenReport } from './format.ts';

/** A way to print what a replay has found. */
export interface ReportFormat {
  /** As in `--name`. */
  readonly name: string;
  readonly about: string;
  /** It shows calls one by one. */
  readonly needsSeries: boolean;
  /** Loads what writes it: a call pays only for the format that it asks for. */
  readonly load: () => Promise<OpenReport>;
}

/** What is printed when no format is asked for. */
const TEXT: ReportFormat = {
  name: 'text',
  about: 'for a person',
  needsSeries: false,
  load: async () => (await import('./text.ts')).text,
};

/** Formats that are asked for, one at a time. */
export const FORMATS: readonly ReportFormat[] = [
  {
    name: 'json',
    about: 'as JSON',
    needsSeries: false,
    load: async () => (await import('./json.ts')).json,
  },
];

/**
 * The format that flags ask for.
 *
 * @throws CtxbError `usage` when they ask for two
 */
export function chosenFormat(flags: Readonly<Record<string, unknown>>): ReportFormat {
  const [chosen = TEXT, ...others] = FORMATS.filter(({ name }) => flags[name] !== undefined);
  if (others.length === 0) return chosen;
  const names = [chosen, ...others].map(({ name }) => `--${name}`).join(' and ');
  throw new CtxbError('usage', `${names} exclude each other: ask for one format at a time`);
}
