import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson, SyntaxFault } from '../config/parse-data.ts';
import { type Fields, isFields } from '../core/protocol/fields.ts';
import { CtxbError } from '../errors.ts';
import { kindOf, makeFolder, readPlain, removeFile } from '../store/files/plain-file.ts';
import { readUserFile, replaceUserFile } from '../store/files/user-file.ts';
import { writeNewFile } from '../store/files/write-file.ts';
import { asItIs } from '../store/masks/disk-text.ts';

const LIMIT = 4 * 1024 * 1024;

export type SettingsFile = ReturnType<typeof openSettingsFile>;

/**
 * A settings file of the user, which may be a link, and its backup.
 *
 * @throws CtxbError `store` where it is not a regular file, too long, or not text
 */
export function openSettingsFile(named: string) {
  if (!existsSync(named) && kindOf(named) === 'symbolic link') {
    throw new CtxbError('store', `${named} is a link to a file that is not there: make the file, or remove the link`);
  }
  const path = existsSync(named) ? realpathSync(named) : named;
  const backupPath = `${path}.ctxb-backup`;
  const file = existsSync(path) ? readUserFile(path, LIMIT) : undefined;

  function put(text: string): boolean {
    if (file !== undefined) return replaceUserFile(path, text, { hash: file.hash, limit: LIMIT });
    makeFolderFor(path);
    return writeNewFile(path, asItIs(text));
  }

  return {
    text: file?.text,
    /** The text without ours, from before ctxb changed it. Undefined: there was nothing but ours. */
    backup: readPlain(backupPath, LIMIT),
    backupPath,
    /** Makes the backup, unless it exists. */
    keep: (text: string) => void writeNewFile(backupPath, asItIs(text)),
    /** Writes the file, whole or not at all; empty: removes it. Permissions stay. */
    write(text: string) {
      if (text === '') removeFile(path);
      else if (!put(text)) throw new CtxbError('store', `${named} was changed meanwhile: call this again`);
    },
    forget: () => removeFile(backupPath),
  };
}

/** An existing folder may be a link. */
function makeFolderFor(path: string): void {
  if (!existsSync(dirname(path))) makeFolder(dirname(path));
}

const MARK = '\uFEFF';

/**
 * Settings in JSON, and what writes them as the text was: indent, line breaks, byte order mark.
 *
 * @param text undefined or empty: no settings yet
 * @throws CtxbError `config` where it is not JSON, or not an object
 */
export function readSettingsText(path: string, text: string | undefined) {
  const mark = text?.startsWith(MARK) ? MARK : '';
  const json = (text ?? '').slice(mark.length);
  const settings = json.trim() === '' ? {} : parsed(path, json);
  const indent = /^(?:\t+| +)(?=")/m.exec(json)?.[0] ?? '  ';
  const newline = json.includes('\r\n') ? '\r\n' : '\n';
  const end = json === '' || json.endsWith('\n') ? newline : '';
  return {
    settings,
    write: (changed: Fields) => mark + JSON.stringify(changed, null, indent).replaceAll('\n', newline) + end,
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
