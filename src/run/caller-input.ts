import type { Readable } from 'node:stream';
import { userLine } from '../core/governor/prompts/own-lines.ts';
import { stampUuid } from '../core/governor/prompts/prompt.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import { fieldsOf, parseFields, parseJson } from '../core/protocol/fields.ts';
import { linesOfStream } from '../core/protocol/frame.ts';
import { CtxbError, unreadableError } from '../errors.ts';
import { readNamed, readPiped, textIn } from '../store/files/foreign-file.ts';
import type { HeadlessRun } from './headless-run.ts';
import { linesOf } from './kept-prompts.ts';

/**
 * Prompts come from the run's own options, else from lines on stdin if the caller speaks the protocol, else from
 * `text`.
 *
 * @throws CtxbError `usage` when a file of prompts is unreadable, or no prompt is found
 */
export async function callerInput(
  run: HeadlessRun,
  runId: string,
  stdin: Readable,
  text: string | undefined,
): Promise<CallerInput> {
  const { invocation, prompts = [], promptsFile, config, resumed } = run;
  if (resumed !== undefined) return { lines: linesOf(resumed.prompts, 'waiting') };
  const stamp = createStamper(runId);
  if (invocation.inputFormat === 'stream-json')
    return { stream: protocolLines(stdin, config.observe ? undefined : stamp) };
  const own = [...(text ? [text] : []), ...prompts].map((prompt) => promptLine(prompt, stamp));
  const lines =
    promptsFile === undefined ? own : [...own, ...promptsIn(await read(promptsFile, stdin), promptsFile, stamp)];
  if (lines.length === 0) throw new CtxbError('usage', `--prompts ${promptsFile}: no prompt in it`);
  return { lines };
}

/** Bytes: more than a hundred windows of the largest model. */
const MAX_PROMPT_FILE_BYTES = 64 * 1024 * 1024;

/**
 * One prompt per line: a JSON string, or a user line of claude's input format.
 *
 * @throws CtxbError `usage` when a line is neither; the message names the line
 */
function promptsIn(text: string, path: string, stamp: Stamp): string[] {
  return text
    .split(/\r?\n\uFEFF?/)
    .flatMap((line, index) => (line.trim() === '' ? [] : [toPromptLine(line, `${path}:${index + 1}`, stamp)]));
}

async function read(path: string, stdin: Readable): Promise<string> {
  try {
    return textIn(
      path === '-' ? await readPiped(stdin, MAX_PROMPT_FILE_BYTES) : readNamed(path, MAX_PROMPT_FILE_BYTES),
    );
  } catch (cause) {
    throw unreadableError(`--prompts ${path}`, cause, 'usage');
  }
}

function toPromptLine(line: string, place: string, stamp: Stamp): string {
  const event = decodeLine(line);
  const { role } = fieldsOf(parseFields(line).message);
  if (event.kind === 'user' && role === 'user' && event.blocks.length > 0) return withUuid(line, stamp);
  const text = event.kind === 'malformed' ? parseJson(line) : undefined;
  if (typeof text === 'string' && text !== '') return promptLine(text, stamp);
  throw new CtxbError(
    'usage',
    `${place}: expected a JSON string such as "run the tests", or {"type":"user","message":{"role":"user",…}}, found ${line.slice(0, 60)}`,
  );
}

export interface CallerInput {
  /** Prompt lines, if all are known at the start. */
  readonly lines?: readonly string[];
  /** Lines of a caller that speaks the protocol. Fails if stdin fails or is destroyed. */
  readonly stream?: AsyncIterable<string>;
}

type Stamp = () => string;

export function createStamper(runId: string): Stamp {
  let count = 0;
  return () => stampUuid(runId, ++count);
}

/**
 * The caller's lines. Prompts without a `uuid` get one, so that the session log shows which prompts arrived before a
 * crash. All other bytes stay unchanged, except a byte order mark before a message, which claude accepts and JSON does
 * not.
 */
export async function* protocolLines(stdin: Readable, stamp: Stamp | undefined): AsyncGenerator<string> {
  for await (const bytes of linesOfStream(stdin)) {
    const text = textIn(bytes);
    const line = text.trimStart().startsWith('{') ? text : bytes.toString();
    yield stamp ? withUuid(line, stamp) : line;
  }
}

export function promptLine(text: string, stamp: Stamp): string {
  return userLine(text, stamp());
}

/** Inserts a `uuid` before the closing brace of a user line that has none. All other bytes stay unchanged. */
export function withUuid(line: string, stamp: Stamp): string {
  const event = decodeLine(line);
  if (event.kind !== 'user' || event.uuid !== undefined) return line;
  const end = line.lastIndexOf('}');
  return `${line.slice(0, end)},"uuid":"${stamp()}"${line.slice(end)}`;
}
