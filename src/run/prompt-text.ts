import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { HeadlessRun } from './headless-run.ts';

const WAYS =
  'no prompt: give one as an argument of claude, with --prompt "…", with --prompts FILE, ' +
  'on stdin, or as lines on stdin with --input-format stream-json';

const INTERACTIVE = 'for a conversation at the terminal, install the plugin of ctxb (docs/terminal.md)';

/** The text of the prompt; undefined when the caller speaks the protocol, or when other prompts were given. */
export interface PromptText {
  readonly text?: string | undefined;
  /** Text that claude refuses as a prompt: empty, or too long. */
  readonly refused?: string;
}

/**
 * Checks the prompts of a run. @throws CtxbError `usage` when options contradict each other, or a prompt is empty,
 * which claude rejects
 */
export function checkPrompts({ invocation, prompts = [], promptsFile }: HeadlessRun): void {
  if (invocation.inputFormat === 'stream-json' && (prompts.length > 0 || promptsFile !== undefined)) {
    throw new CtxbError('usage', '--prompt and --prompts do not go with --input-format stream-json: choose one');
  }
  if (prompts.some((prompt) => prompt.trim() === '')) throw new CtxbError('usage', '--prompt: the text is empty');
}

/**
 * The prompt from claude's argument and the text on stdin. If other prompts were given, stdin is not read.
 *
 * @throws CtxbError `usage` when a user at a terminal gave no prompt
 */
export async function promptText(headless: HeadlessRun, io: Io, onNotice: (text: string) => void): Promise<PromptText> {
  const { prompt: argument, isPrint } = headless.invocation;
  if (!readsText(headless)) return { text: argument };
  const piped = await readStdinText(io.stdin, Boolean(argument), onNotice);
  if (piped !== undefined && piped.length > MAX_PIPED) return { refused: piped };
  const prompt = joinPrompt(argument, piped);
  if (prompt?.trim()) return { text: prompt };
  // At a terminal, claude would start interactively.
  if (io.stdin.isTTY && io.stdout.isTTY && !isPrint) throw new CtxbError('usage', `${WAYS}; ${INTERACTIVE}`);
  return { refused: piped ?? '' };
}

/** Milliseconds to wait for text, because a pipe may stay open and silent. */
const GRACE_MS = 100;

/**
 * Finds text on a stdin that nobody reads. Without a message, it would be lost.
 *
 * @returns a check, to call before the first prompt; it throws CtxbError `usage` if text has arrived. Later text goes
 * to `onLate`
 */
export function watchUnreadStdin(
  headless: HeadlessRun,
  { stdin }: { readonly stdin: Readable & { readonly isTTY?: boolean; unref?(): void } },
  onLate: (text: string) => void,
): () => Promise<void> {
  const { invocation, promptsFile } = headless;
  const isRead = readsText(headless) || invocation.inputFormat === 'stream-json' || promptsFile === '-';
  if (isRead || stdin.isTTY) return async () => {};
  const arrival = new Promise<boolean>((resolve) => {
    stdin.once('end', () => resolve(false));
    stdin.once('data', () => {
      stdin.destroy();
      resolve(true);
    });
  });
  // A directory as stdin cannot be read, and has no text.
  stdin.on('error', () => {});
  // An open, silent pipe must not keep the process alive.
  stdin.unref?.();
  return async () => {
    if (await Promise.race([arrival, delay(GRACE_MS, false)])) throw new CtxbError('usage', UNREAD);
    void arrival.then((isText) => isText && onLate(UNREAD));
  };
}

const UNREAD =
  'the text on stdin is not sent, because the prompts come from elsewhere: give the prompt to claude instead ' +
  '(claude -p "…" reads both), or redirect stdin from /dev/null';

/** Whether text on stdin is the prompt, or a part of it. */
function readsText({ invocation, prompts = [], promptsFile, resumed }: HeadlessRun): boolean {
  const isGiven = prompts.length > 0 || promptsFile !== undefined || resumed !== undefined;
  return invocation.inputFormat === 'text' && !isGiven;
}

/** UTF-16 units. claude rejects more (2.1.197 and 2.1.332). */
const MAX_PIPED = 10 * 1024 * 1024;

/** Milliseconds of silence on stdin after which claude ignores it, if its arguments contain a prompt. */
const PATIENCE_MS = 3_000;

/**
 * Piped text; undefined when stdin is a terminal or empty. Reads no more than claude accepts. Like claude, if there is
 * another prompt it waits three seconds for the first byte, and then for all input.
 *
 * @param hasPrompt whether a prompt already exists, so that stdin only adds to it
 */
export async function readStdinText(stdin: Io['stdin'], hasPrompt: boolean, onNotice: (text: string) => void) {
  if (stdin.isTTY) return undefined;
  const decoder = new StringDecoder('utf8');
  let text = '';
  let gaveUp = false;
  const timer = setTimeout(() => {
    if (!hasPrompt) return onNotice('no input on stdin for 3 s; still waiting for the prompt');
    onNotice('no input on stdin for 3 s; continuing without it (redirect it from /dev/null to skip the wait)');
    gaveUp = true;
    stdin.destroy();
  }, PATIENCE_MS);
  try {
    for await (const chunk of stdin) {
      clearTimeout(timer);
      text += decoder.write(chunk as Buffer);
      if (text.length > MAX_PIPED) break;
    }
  } catch (error) {
    // Destroying a stream makes its reader throw.
    if (!gaveUp) throw error;
  } finally {
    clearTimeout(timer);
  }
  text += decoder.end();
  return text === '' ? undefined : text;
}

/** Joins the argument and the piped text, without trimming. */
export function joinPrompt(argument: string | undefined, piped: string | undefined): string | undefined {
  if (argument === undefined || argument === '') return piped;
  return piped === undefined ? argument : `${argument}\n${piped}`;
}
