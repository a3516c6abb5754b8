import { CtxbError, unreadable } from '../errors.ts';
import { readNamed } from '../store/given-file.ts';
import { decodeLine } from '../stream/decode.ts';
import { promptLine, type Stamp, withUuid } from './prompts.ts';

/** Bytes: more than a hundred windows of the largest model hold. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Prompts out of a file, one a line: a JSON string, or a user line of claude's input format.
 *
 * @throws CtxbError `usage` when the file cannot be read or a line is neither; the message names the line
 */
export function readPromptsFile(path: string, stamp: Stamp): string[] {
  const lines = read(path).split(/\r?\n/);
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [toPromptLine(line, `${path}:${index + 1}`, stamp)],
  );
}

function read(path: string): string {
  try {
    return readNamed(path, LIMIT).toString('utf8');
  } catch (cause) {
    throw unreadable(`--prompts ${path}`, cause, 'usage');
  }
}

function toPromptLine(line: string, place: string, stamp: Stamp): string {
  const event = decodeLine(line);
  if (event.kind === 'user' && event.blocks.length > 0) return withUuid(line, stamp);
  const text = event.kind === 'malformed' ? asString(line) : undefined;
  if (text) return promptLine(text, stamp);
  throw new CtxbError(
    'usage',
    `${place}: expected a JSON string that is not empty or {"type":"user","message":…}, found ${line.slice(0, 60)}`,
  );
}

function asString(line: string): string | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
