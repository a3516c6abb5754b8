import type { Readable } from 'node:stream';
import { userLine } from '../core/governor/prompts/own-lines.ts';
import { stampUuid } from '../core/governor/prompts/prompt.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import { parsed } from '../core/protocol/fields.ts';
import { createFramer } from '../core/protocol/frame.ts';
import { CtxbError, unreadable } from '../errors.ts';
import type { Io } from '../io.ts';
import { readNamed } from '../store/files/given-file.ts';
import type { HeadlessRun } from './describe-run.ts';

const WAYS =
  'no prompt: give one as an argument of claude, with --prompt "…", with --prompts FILE, ' +
  'on stdin, or as lines on stdin with --input-format stream-json';

/** There is no prompt, which claude refuses. `piped` is all of stdin. */
interface NoPrompt {
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

/** Bytes: more than a hundred windows of the largest model hold. */
const LIMIT = 64 * 1024 * 1024;

/**
 * Prompts out of a file, one a line: a JSON string, or a user line of claude's input format.
 *
 * @throws CtxbError `usage` when the file cannot be read or a line is neither; the message names the line
 */
function readPromptsFile(path: string, stamp: Stamp): string[] {
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
  const text = event.kind === 'malformed' ? parsed(line) : undefined;
  if (typeof text === 'string' && text !== '') return promptLine(text, stamp);
  throw new CtxbError(
    'usage',
    `${place}: expected a JSON string that is not empty or {"type":"user","message":…}, found ${line.slice(0, 60)}`,
  );
}

/** After this time without input, claude ignores stdin if its arguments hold a prompt. */
const PATIENCE_MS = 3_000;

interface StdinText {
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

/** Where the caller's lines come from. */
export interface CallerInput {
  /** Lines of prompts, where all are known at the start. */
  readonly lines?: readonly string[];
  start(listener: CallerListener): void;
  stop(): void;
}

interface CallerListener {
  readonly line: (event: Event, line: string) => void;
  readonly end: () => void;
  /** Calls back when claude's stdin takes more. */
  readonly mayContinue: (resume: () => void) => void;
}

/** Makes the `uuid` of the next prompt that came without one. */
type Stamp = () => string;

export function createStamp(runId: string): Stamp {
  let count = 0;
  return () => stampUuid(runId, ++count);
}

/** Prompts that are all known at the start; each is a line of claude's input format. */
export function fixedPrompts(lines: readonly string[]): CallerInput {
  return {
    lines,
    start({ line, end }) {
      for (const text of lines) line(decodeLine(text), text);
      end();
    },
    stop() {},
  };
}

/**
 * Lines of a program that speaks the stream protocol, each with its own terminator. Prompts without a `uuid` get one,
 * so that after a crash the session log says which were delivered; nothing else is changed.
 */
export function protocolLines(stdin: Readable, stamp: Stamp | undefined): CallerInput {
  async function read({ line, end, mayContinue }: CallerListener): Promise<void> {
    const framer = createFramer();
    const deliver = async (bytes: Buffer) => {
      const text = stamp ? withUuid(bytes.toString(), stamp) : bytes.toString();
      line(decodeLine(text), text);
      await new Promise<void>(mayContinue);
    };
    for await (const chunk of stdin) {
      for (const bytes of framer.push(chunk as Buffer)) await deliver(bytes);
    }
    const last = framer.flush();
    if (last) await deliver(last);
    end();
  }

  return {
    // A stdin that fails, or that was destroyed, is at its end.
    start: (listener) => void read(listener).catch(listener.end),
    // An open stdin that nobody reads any more must not keep the process alive.
    stop: () => stdin.destroy(),
  };
}

/** A prompt as a line of claude's input format. */
export function promptLine(text: string, stamp: Stamp): string {
  return userLine(text, stamp());
}

/** Puts a `uuid` before the closing brace of a user line that has none; every other byte stays as it is. */
export function withUuid(line: string, stamp: Stamp): string {
  const event = decodeLine(line);
  if (event.kind !== 'user' || event.uuid !== undefined) return line;
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},"uuid":"${stamp()}"${line.slice(end)}`;
}
