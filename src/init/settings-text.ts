import { parseJson, SyntaxFault } from '../config/parse-data.ts';
import { CtxbError } from '../errors.ts';
import { type Fields, isFields } from '../stream/fields.ts';

/** A file of settings in JSON, and how it is written. */
export interface SettingsText {
  readonly settings: Fields;
  /** The same settings, or others, in the same manner. */
  write(settings: Fields): string;
}

const MARK = '\uFEFF';

/**
 * @param text undefined or empty: there are no settings yet
 * @throws CtxbError `config` when it is no JSON, or no object
 */
export function readSettingsText(path: string, text: string | undefined): SettingsText {
  const mark = text?.startsWith(MARK) ? MARK : '';
  const json = (text ?? '').slice(mark.length);
  const settings = json.trim() === '' ? {} : parsed(path, json);
  const indent = /^(?:\t+| +)(?=")/m.exec(json)?.[0] ?? '  ';
  const newline = json.includes('\r\n') ? '\r\n' : '\n';
  const end = json === '' || json.endsWith('\n') ? newline : '';
  return {
    settings,
    write: (changed) => mark + JSON.stringify(changed, null, indent).replaceAll('\n', newline) + end,
  };
}

function parsed(path: string, json: string): Fields {
  let value: unknown;
  try {
    value = parseJson(json);
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    const { line, column, message } = error;
    throw new CtxbError(
      'config',
      `${path}:${line}:${column}: expected JSON, found: ${message}; correct it, nothing was changed`,
    );
  }
  if (isFields(value)) return value;
  throw new CtxbError('config', `${path}: expected an object in JSON, found something else; nothing was changed`);
}
