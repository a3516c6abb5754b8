import { basename } from 'node:path';
import { editText } from '../config/edit-text.ts';
import { PACKAGE_KEY } from '../config/read-config.ts';
import { CtxbError } from '../errors.ts';

/**
 * The text of a configuration file with other values. Everything else stays as it is, comments and unknown keys too.
 *
 * @param text empty: there is no file yet
 * @param values by the names of keys, as in `thresholds.compact`
 * @throws CtxbError `config` where they can't be put in without changing something else
 */
export function withValues(path: string, text: string, values: Readonly<Record<string, number | string>>): string {
  const within = basename(path) === 'package.json' ? [PACKAGE_KEY] : [];
  const isNew = text.trim() === '';
  const style = { isJson: isNew || text.trimStart().startsWith('{'), inOneLine: true };
  const edited = Object.entries(values).reduce(
    (before, [key, value]) => {
      const after = editText(before, { place: [...within, ...key.split('.')], value }, style);
      if (after !== undefined) return after;
      const todo = `can't be set without changing something else: set it there to ${value}`;
      throw new CtxbError('config', `${path}: ${[...within, key].join('.')} ${todo}`);
    },
    isNew ? '{}\n' : text,
  );
  return isNew ? `${JSON.stringify(JSON.parse(edited), null, 2)}\n` : edited;
}
