import { parseJson, SyntaxFault } from '../config/parse-data.ts';
import { CtxbError } from '../errors.ts';
import { type Fields, isFields } from '../stream/fields.ts';

/** Settings in JSON, and how they are formatted. */
export interface SettingsText {
  readonly settings: Fields;
  /** Formats settings as the text was: indent, line breaks, byte order mark. */
  write(settings: Fields): string;
}

const MARK = '\uFEFF';

/**
 * @param text undefined or empty: no settings yet
 * @throws CtxbError `config` where it is not JSON, or not an object
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
