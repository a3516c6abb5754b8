import { join } from 'node:path';
import { openContextDir } from '../folders/context-dir.ts';
import { masked } from '../masks/disk-text.ts';

/** Writes a handoff to a new file. A second one of the same time gets a number. Returns the absolute path. */
export function writeHandoff(contextDir: string, t: number, document: string): string {
  // A sortable time that any file system accepts as a name: `2026-11-21T08-54-03-123Z`.
  const time = new Date(t).toISOString().replace(/[:.]/g, '-');
  return openContextDir(contextDir).create(join('handoffs', `handoff-${time}`), '.md', masked(document));
}
