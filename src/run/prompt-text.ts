import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { HeadlessRun } from './headless-run.ts';

export const WAYS =
  'no prompt: give one as an argument of claude, with --prompt "…", with --prompts FILE, ' +
  'on stdin, or as lines on stdin with --input-format stream-json';

const INTERACTIVE =
  'ctxb run holds no conversation: at the terminal ctxb is a plugin, claude plugin install ctxb@ctxb (docs/terminal.md)';

/** The text of the prompt; undefined when the caller speaks the protocol, or prompts come from elsewhere. */
export interface PromptText {
  readonly text?: string | undefined;
  /** stdin without a prompt, or with one that is too long: claude refuses it. */
  readonly refused?: string;
}

/** @throws CtxbError `usage` when options contradict each other, or a prompt is empty, which claude refuses */
export function checkPrompts({ invocation, prompts = [], promptsFile }: HeadlessRun): void {
  if (invocation.inputFormat === 'stream-json' && (prompts.length > 0 || promptsFile !== undefined)) {
    throw new CtxbError('usage', '--prompt and --prompts do not go with --input-format stream-json: choose one');
  }
  if (prompts.some((prompt) => prompt.trim() === '')) throw new CtxbError('usage', '--prompt: the text is empty');
}

/**
 * The prompt that claude's argument and, where no other prompts are given, the text on stdin make.
 *
 * @throws CtxbError `usage` when a person gave no prompt
 */
export async function promptText(
  { invocation, prompts = [], promptsFile, resumed }: HeadlessRun,
  io: Io,
  onNotice: (text: string) => void,
): Promise<PromptText> {
  const { inputFormat, prompt: argument, isPrint } = invocation;
  const isGiven = prompts.length > 0 || promptsFile !== undefined;
  if (inputFormat === 'stream-json' || isGiven || resumed !== undefined) return { text: argument };
  const piped = await readStdinText({ stdin: io.stdin, hasPrompt: Boolean(argument), onNotice });
  if (piped !== undefined && piped.length > MOST_PIPED) return { refused: piped };
  const prompt = joinPrompt(argument, piped);
  if (prompt?.trim()) return { text: prompt };
  // At a terminal claude would not be headless.
  if (io.stdin.isTTY && io.stdout.isTTY && !isPrint) throw new CtxbError('usage', `${WAYS}; ${INTERACTIVE}`);
  return { refused: piped ?? '' };
}

/** UTF-16 units. claude refuses more (2.1.197 and 2.1.332). */
const MOST_PIPED = 10 * 1024 * 1024;

/** If stdin is silent for this long, claude ignores it when its arguments have a prompt. */
const PATIENCE_MS = 3_000;

interface StdinText {
  readonly stdin: Readable & { readonly isTTY?: boolean | undefined };
  /** There is a prompt already: stdin is an addition to it and not waited for without end. */
  readonly hasPrompt: boolean;
  readonly onNotice: (text: string) => void;
}

/**
 * Piped text, or undefined when stdin is a terminal or empty. Reads only the beginning of more than claude takes.  Like
 * claude: with a prompt from elsewhere the first byte must come within three seconds; then it waits for all input.
 */
export async function readStdinText({ stdin, hasPrompt, onNotice }: StdinText): Promise<string | undefined> {
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
      if (text.length > MOST_PIPED) break;
    }
  } catch (error) {
    // Destroying a stream under a reader makes the reader throw.
    if (!gaveUp) throw error;
  } finally {
    clearTimeout(timer);
  }
  text += decoder.end();
  return text === '' ? undefined : text;
}

/** An argument and piped text are one prompt: argument, newline, text. Nothing is trimmed. */
export function joinPrompt(argument: string | undefined, piped: string | undefined): string | undefined {
  if (argument === undefined || argument === '') return piped;
  return piped === undefined ? argument : `${argument}\n${piped}`;
}
