import { closeSync, constants } from 'node:fs';
import writeFileAtomic from 'write-file-atomic';
import { FILE_MODE, openPlain, writeWhole } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

const BLOCK = 64 * 1024;

/** What write-file-atomic calls its temporary files, of the kinds that ctxb replaces: the name and 32 bits. */
export const LEFTOVER = /^(.+\.(?:md|json|ndjson))\.\d{1,10}$/;

/**
 * Puts a file in the place of the old one, whole or not at all. Memory stays bounded however long the text is.
 *
 * write-file-atomic makes and renames the temporary file. It is filled here, because the package takes a write that
 * the disk cut short for a success and replaces the good file with the torn one.
 *
 * @param mode permissions of the new file
 * @throws CtxbError `store`
 */
export function replaceFile(path: string, chunks: Iterable<string>, mode = FILE_MODE): void {
  surviveLongFiles();
  orStoreError(path, () => {
    writeFileAtomic.sync(path, '', { mode, tmpfileCreated: (temporary) => fill(temporary, chunks) });
  });
}

/**
 * Node ignores the signal for a file beyond `ulimit -f`, so that writing fails with an error. The package listens to
 * signals while it writes and leaves this one deadly behind, unless somebody else listens as well.
 */
function surviveLongFiles(): void {
  if (process.listenerCount('SIGXFSZ') === 0) process.on('SIGXFSZ', () => {});
}

function fill(path: string, chunks: Iterable<string>): void {
  const fd = openPlain(path, constants.O_WRONLY);
  try {
    for (const block of blocksOf(chunks)) writeWhole(fd, Buffer.from(block));
  } finally {
    closeSync(fd);
  }
}

/** Joins small chunks, so that a line costs no system call of its own. */
function* blocksOf(chunks: Iterable<string>): Generator<string> {
  let pending: string[] = [];
  let length = 0;
  for (const chunk of chunks) {
    pending.push(chunk);
    length += chunk.length;
    if (length < BLOCK) continue;
    yield pending.join('');
    pending = [];
    length = 0;
  }
  yield pending.join('');
}
