import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from '../../errors.ts';
import { kindOf } from '../../store/files/plain-file.ts';
import { requireOwn } from '../../store/folders/own-folder.ts';
import type { Remark } from '../remark.ts';

/** @param folder absolute; it need not be there */
export function checkContextFolder(folder: string): Remark {
  const subject = 'context folder';
  const kind = kindOf(folder);
  if (kind !== 'missing' && kind !== 'folder') {
    const todo = 'move it away, or name another folder (contextDir)';
    return { status: 'fault', subject, text: `${folder} is a ${kind}: ctxb writes to folders only`, todo };
  }
  const place = nearest(folder);
  if (!isWritable(place)) {
    const todo = `make ${place} writable, or name another folder (contextDir)`;
    return { status: 'fault', subject, text: `${folder} cannot be written: no notes, no recovery`, todo };
  }
  const refusal = kind === 'folder' ? refusalOf(folder) : undefined;
  if (refusal !== undefined) {
    const todo = 'name another folder (contextDir)';
    return { status: 'fault', subject, text: `ctxb run will not start: ${refusal}`, todo };
  }
  return { status: 'good', subject, text: kind === 'folder' ? folder : `${folder} (made by the first run)` };
}

/** Why ctxb would not use it. */
function refusalOf(folder: string): string | undefined {
  try {
    requireOwn(folder);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The folder itself, or the one above it that would hold it. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
