import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';

/** A file system in memory, which Linux has. */
const MEMORY = '/dev/shm';

/** In a container it may be small. */
const NEEDED_BYTES = 4_000_000_000;

/**
 * Puts the temporary files of this process and its children into memory. Tests write and sync many small files, and none
 * of them has to survive. A TMPDIR of the caller's applies.
 */
export function useFolderInMemory(): void {
  if (process.env.TMPDIR || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < NEEDED_BYTES) return;
  const folder = mkdtempSync(`${MEMORY}/ctxb-tests-`);
  // As /tmp: some tests act as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
}
