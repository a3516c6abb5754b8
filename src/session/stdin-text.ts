import type { Readable } from 'node:stream';

/** claude goes on without its stdin when nothing has come for so long and it has a prompt from its arguments. */
const PATIENCE_MS = 3_000;

export interface StdinText {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  /** There is a prompt already: stdin is an addition to it and not waited for without end. */
  readonly hasPrompt: boolean;
  readonly onNotice: (text: string) => void;
}

/**
 * What was piped in, as text, or undefined when stdin is a terminal or nothing came.
 *
 * As claude does it: the first byte must come within three seconds when there is a prompt from elsewhere; once it has
 * come, everything is waited for.
 */
export async function readStdinText({ stdin, hasPrompt, onNotice }: StdinText): Promise<string | undefined> {
  if (stdin.isTTY) return undefined;
  const chunks: Buffer[] = [];
  let gaveUp = false;
  const timer = setTimeout(() => {
    if (!hasPrompt) return onNotice('nothing has come on stdin for 3 s; still waiting for the prompt');
    onNotice('nothing has come on stdin for 3 s; going on without it (redirect it from /dev/null to skip the wait)');
    gaveUp = true;
    stdin.destroy();
  }, PATIENCE_MS);
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    // Destroying a stream under a reader makes the reader throw.
    if (!gaveUp) throw error;
  } finally {
    clearTimeout(timer);
  }
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : text;
}

/** An argument and piped text are one prompt: argument, newline, text. Nothing is trimmed. */
export function joinPrompt(argument: string | undefined, piped: string | undefined): string | undefined {
  if (argument === undefined || argument === '') return piped;
  return piped === undefined ? argument : `${argument}\n${piped}`;
}
