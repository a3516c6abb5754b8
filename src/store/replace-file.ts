import { closeSync, constants } from 'node:fs';
import writeFileAtomic from 'write-file-atomic';
import { type DiskText, joined } from './disk-text.ts';
import { FILE_MODE, openPlain, writeWhole } from './plain-file.ts';
import { orStoreError } from './store-error.ts';

const BLOCK = 64 * 1024;

/**
 * Puts a file in the place of the old one, whole or not at all. Memory stays bounded however long the text is.
 *
 * write-file-atomic makes and renames the temporary file. It is filled here, because the package takes a write that
 * the disk cut short for a success and replaces the good file with the torn one.
 *
 * @param mode permissions of the new file
 * @throws CtxbError `store`
 */
export function replaceFile(path: string, chunks: Iterable<DiskText>, mode = FILE_MODE): void {
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

function fill(path: string, chunks: Iterable<DiskText>): void {
  const fd = openPlain(path, constants.O_WRONLY);
  try {
    for (const block of blocksOf(chunks)) writeWhole(fd, block);
  } finally {
    closeSync(fd);
  }
}

/** Joins small chunks, so that a line costs no system call of its own. */
function* blocksOf(chunks: Iterable<DiskText>): Generator<DiskText> {
  let pending: DiskText[] = [];
  let length = 0;
  for (const chunk of chunks) {
    pending.push(chunk);
    length += chunk.length;
    if (length < BLOCK) continue;
    yield joined(pending);
    pending = [];
    length = 0;
  }
  yield joined(pending);
}
