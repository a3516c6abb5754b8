import { resolve } from 'node:path';
import { fileInside, isInside } from './file-inside.ts';
import { MAX_FILE_BYTES } from './read-text.ts';

/**
 * A file with a prompt in the folder of a flow or below it. Links are followed and judged by where they lead: a flow
 * from somewhere else must not be able to hand over whatever is on this machine. Ask again right before reading.
 *
 * @param file as the flow has it, relative to `folder`
 */
export function promptFile(folder: string, file: string): { readonly path: string } | { readonly fault: string } {
  if (!isInside(resolve(folder), resolve(folder, file))) return { fault: 'a place outside' };
  const found = fileInside(folder, file);
  if ('fault' in found) return found;
  const { path, stats } = found;
  if (stats.size === 0) return { fault: 'an empty file' };
  return stats.size > MAX_FILE_BYTES ? { fault: `a file of ${stats.size} bytes` } : { path };
}
