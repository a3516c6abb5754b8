import { CtxbError } from '../errors.ts';
import type { Io } from '../io.ts';
import type { HeadlessRun } from './headless-run.ts';
import { type CallerInput, fixedPrompts, promptLine, protocolLines, type Stamp } from './prompts.ts';
import { readPromptsFile } from './prompts-file.ts';
import { joinPrompt, readStdinText } from './stdin-text.ts';

const WAYS =
  'no prompt: give one as an argument of claude, with --prompt "…", with --prompts FILE, ' +
  'on stdin, or as lines on stdin with --input-format stream-json';

/** There is no prompt, which claude refuses; the text is all that was on stdin. */
export interface NoPrompt {
  readonly piped: string;
}

/**
 * Where this run's prompts come from: its own options, else lines on stdin if the caller speaks the protocol, else
 * claude's argument and piped text.
 *
 * @throws CtxbError `usage` when a person gave no prompt, or an option of ours none; it names the ways
 */
export async function callerInput(
  run: HeadlessRun,
  io: Io,
  stamp: Stamp,
  onNotice: (text: string) => void,
): Promise<CallerInput | NoPrompt> {
  const { invocation, prompts = [], promptsFile, config } = run;
  if (invocation.inputFormat === 'stream-json') {
    if (prompts.length > 0 || promptsFile !== undefined) {
      throw new CtxbError('usage', '--prompt and --prompts do not go with --input-format stream-json: choose one');
    }
    return protocolLines(io.stdin, config.observe ? undefined : stamp);
  }
  const line = (text: string) => promptLine(text, stamp);
  const given = [...prompts.map(line), ...(promptsFile === undefined ? [] : readPromptsFile(promptsFile, stamp))];
  if (given.length > 0) return fixedPrompts(invocation.prompt ? [line(invocation.prompt), ...given] : given);
  const argument = invocation.prompt;
  const piped = await readStdinText({ stdin: io.stdin, hasPrompt: Boolean(argument), onNotice });
  const prompt = joinPrompt(argument, piped);
  if (prompt?.trim()) return fixedPrompts([line(prompt)]);
  // At a terminal claude would not be headless.
  const isTalk = io.stdin.isTTY && io.stdout.isTTY && !invocation.isPrint;
  if (promptsFile !== undefined || isTalk) throw new CtxbError('usage', WAYS);
  return { piped: piped ?? '' };
}
