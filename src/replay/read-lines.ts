import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { unreadable } from '../errors.ts';
import { createFramer } from '../stream/frame.ts';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Hands over the lines of a file one by one.
 *
 * @param file a path; `-` is stdin
 * @throws CtxbError `unreadable-input` when the file cannot be read
 */
export async function readLines(file: string, stdin: Readable, onLine: (line: string) => void): Promise<void> {
  const framer = createFramer();
  const stream = file === '-' ? stdin : createReadStream(file, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of stream) {
      for (const line of framer.push(chunk as Buffer)) onLine(line.toString());
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
  const last = framer.flush();
  if (last) onLine(last.toString());
}
