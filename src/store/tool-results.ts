import { closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { openContextDir } from './context-dir.ts';
import { masked } from './disk-text.ts';
import { fileName } from './file-name.ts';
import { kindOf, openPlain, removeFile, writeWhole } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

const FOLDER = 'tool-results';

/** Names are ids of tool calls, which some back-ends count from one in every session. */
const MOST_OF_A_NAME = 1_000;

/**
 * Stores the whole of a tool's result, masked, in a file of its own in the context folder. Lines keep their numbers.
 *
 * @returns the file's absolute path
 * @throws CtxbError `store`
 */
export function storeToolResult(contextDir: string, name: string, text: string | readonly string[]): string {
  const path = freePath(contextDir, fileName(name));
  const fd = openPlain(path, O_WRONLY | O_CREAT | O_EXCL);
  try {
    orStoreError(path, () => writeWhole(fd, masked(text)));
  } catch (error) {
    removeFile(path);
    throw error;
  } finally {
    closeSync(fd);
  }
  return path;
}

function freePath(contextDir: string, name: string): string {
  const folder = openContextDir(contextDir);
  for (let count = 1; count < MOST_OF_A_NAME; count++) {
    const path = folder.place(join(FOLDER, count === 1 ? `${name}.txt` : `${name}-${count}.txt`));
    if (kindOf(path) === 'missing') return path;
  }
  return folder.place(join(FOLDER, `${name}-${MOST_OF_A_NAME}.txt`));
}
