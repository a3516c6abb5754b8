import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IGNORE_ALL } from '../../store/context-dir.ts';
import { kindOf } from '../../store/plain-file.ts';
import type { Remark } from '../remark.ts';

/** @param folder absolute; it need not be there */
export async function checkContextFolder(folder: string): Promise<Remark> {
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
  if (kind === 'folder' && (await isSeenByGit(folder))) {
    const todo = `write a line with * to ${join(folder, '.gitignore')}`;
    return { status: 'warning', subject, text: `${folder} is not ignored by git: notes could be committed`, todo };
  }
  return { status: 'good', subject, text: kind === 'folder' ? folder : `${folder} (made by the first run)` };
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

/**
 * Only patterns are asked for: a folder that came with somebody else's repository, which can be one itself, may name
 * programs that git starts when it reads the index.
 */
const CHECK = ['-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit', 'check-ignore', '--no-index', '-q'];

/** Where ctxb's own file stands, git need not be asked. */
async function isSeenByGit(folder: string): Promise<boolean> {
  const own = join(folder, '.gitignore');
  // Where there is none, the next run writes it.
  if (!existsSync(own) || readFileSync(own, 'utf8') === IGNORE_ALL) return false;
  return new Promise((resolve) => {
    // 1 says that it is not ignored; anything else that there is no git, or no repository.
    execFile('git', [...CHECK, join(folder, 'journal.ndjson')], { cwd: folder }, (error) => resolve(error?.code === 1));
  });
}
