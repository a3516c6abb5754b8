import type { ExitEvent } from '../core/governor/input.ts';
import { promptsInTurn } from '../core/governor/prompts/mailbox.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { DESCRIPTIVE_KEYS } from '../core/memory/call-summary/describe-call.ts';
import { type Fields, fieldsOf, listOf, stringOf } from '../core/protocol/fields.ts';
import { rowsIn } from '../core/protocol/objects-in.ts';
import { cut } from '../core/text/words.ts';
import type { Io } from '../io.ts';
import { readLines } from '../store/files/read-lines.ts';
import { redact } from '../store/masks/redact.ts';
import { findSessionLog } from './claude-folders.ts';

export type SessionLog = ReturnType<typeof readSessionLog>;

/** A tool call of the last answer without a result. */
export interface OpenTool {
  readonly name: string;
  /** The subject of the call (the command, the file), one line of at most 200 characters. Not masked. May be empty. */
  readonly title: string;
}

/**
 * Reads a session log. Reads the intact parts of a line that is not valid JSON, such as one cut off by a kill.
 *
 * @throws CtxbError `store` when the log is unreadable or not a regular file
 */
export function readSessionLog(path: string) {
  const reading = new Reading();
  for (const line of readLines(path)) {
    for (const row of rowsIn(line)) if (row.isSidechain !== true) readRow(reading, row);
  }
  const { hasMessages, delivered, finished } = reading;
  const [openTool] = reading.open.values();
  return { hasMessages, delivered, finished, openTool };
}

class Reading {
  /** Whether the log has messages besides commands: after only `/clear`, the agent knows nothing. */
  hasMessages = false;
  /**
   * The uuids of input that claude has processed: prompts, and texts sent during a turn. Includes rows that claude
   * writes on the user's behalf. Of lines that claude joined into one turn, only the last uuid is present. A row is
   * written up to 0.15 s after the prompt was sent to the API: a claude that is killed earlier does not know the prompt
   * when it resumes.
   */
  readonly delivered = new Set<string>();
  /**
   * Whether the last turn of the main thread ended with an answer, and not with an error, an interruption or a kill.
   */
  finished = false;
  /** The value of `finished` before the slash command of the latest row; false if the row is not a command. */
  beforeCommand = false;
  /** The id of the last answer, which has a row for each of its blocks. */
  message: unknown = '';
  readonly open = new Map<string, OpenTool>();
}

/** With `--json-schema`, the answer is a call of this tool, and nothing follows its result. */
const ANSWER_TOOL = 'StructuredOutput';

const ENDINGS: ReadonlySet<unknown> = new Set(['end_turn', 'stop_sequence', 'refusal']);

const COMMAND = /^\s*<command-(name|message)>/;

const COMMAND_OUTPUT = /^\s*<local-command-std(out|err)>/;

const INTERRUPTED = /^\[Request interrupted by user/;

function readRow(reading: Reading, row: Fields): void {
  const message = fieldsOf(row.message);
  if (row.type === 'assistant') readAnswer(reading, message);
  else if (row.type === 'user') readUser(reading, row, blocksOf(message.content));
  else if (row.type === 'attachment') addText(reading.delivered, fieldsOf(row.attachment).source_uuid);
  else if (row.subtype === 'local_command' && COMMAND_OUTPUT.test(stringOf(row.content))) endCommand(reading);
}

function readAnswer(reading: Reading, { id, model, content, stop_reason }: Fields): void {
  // claude's own text: an error, or the end it adds to an interrupted conversation when it resumes.
  if (model === '<synthetic>') return;
  reading.hasMessages = true;
  if (id !== reading.message) reading.open.clear();
  reading.message = id;
  for (const block of blocksOf(content)) {
    if (block.type !== 'tool_use') continue;
    reading.open.set(stringOf(block.id), { name: stringOf(block.name), title: titleOf(fieldsOf(block.input)) });
  }
  reading.finished = ENDINGS.has(stop_reason) && reading.open.size === 0;
}

function readUser(reading: Reading, row: Fields, blocks: readonly Fields[]): void {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const result of results) readResult(reading, result);
  if (results.length > 0 || row.isCompactSummary === true) {
    reading.hasMessages = true;
    return;
  }
  addText(reading.delivered, row.uuid);
  // 2.1.329 also marks the caller's synthetic prompts as meta.
  if (row.isMeta === true && row.promptSource === undefined) return;
  const text = stringOf(blocks.find(({ type }) => type === 'text')?.text);
  if (COMMAND_OUTPUT.test(text)) endCommand(reading);
  else if (!INTERRUPTED.test(text)) beginTurn(reading, COMMAND.test(text));
}

function readResult(reading: Reading, { tool_use_id, is_error }: Fields): void {
  const id = stringOf(tool_use_id);
  const isAnswer = reading.open.get(id)?.name === ANSWER_TOOL && is_error !== true;
  reading.open.delete(id);
  reading.finished = isAnswer;
}

function beginTurn(reading: Reading, isCommand: boolean): void {
  reading.hasMessages ||= !isCommand;
  reading.beforeCommand = isCommand && reading.finished;
  reading.finished = false;
  reading.open.clear();
}

/** Restores `finished`: a slash command with an output was not a prompt. */
function endCommand(reading: Reading): void {
  reading.finished ||= reading.beforeCommand;
}

const TITLE_LENGTH = 200;

function titleOf(input: Fields): string {
  const title = DESCRIPTIVE_KEYS.map((key) => stringOf(input[key])).find((text) => text !== '') ?? '';
  return cut(title.trim().replace(/\r?\n.*/s, ''), TITLE_LENGTH);
}

function addText(set: Set<string>, value: unknown): void {
  if (typeof value === 'string') set.add(value);
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).map(fieldsOf);
}

export type LoggedState = Pick<ExitEvent, 'logged' | 'delivered' | 'finished' | 'openTool'>;

const UNKNOWN_STATE: LoggedState = { logged: false, delivered: [], finished: false, openTool: undefined };

export function readLoggedState(state: GovernorState, io: Io): LoggedState {
  const path = findSessionLog(state.session, io);
  if (path === undefined) return UNKNOWN_STATE;
  const log = readSessionLog(path);
  const prompts = [...(state.turn.last?.prompts ?? []), ...promptsInTurn(state)];
  const delivered = prompts.map(({ uuid }) => uuid).filter((uuid) => log.delivered.has(uuid));
  // A fresh session after the caller's `/clear` is intended; one after ctxb's `/clear` waits for its document.
  if (!log.hasMessages && delivered.length === 0) return UNKNOWN_STATE;
  return {
    logged: true,
    delivered,
    finished: log.finished,
    openTool: openToolText(log),
  };
}

/** The open tool call in words, with secrets masked. */
export function openToolText({ openTool }: SessionLog): string | undefined {
  return openTool && redact(`${openTool.name} ${openTool.title}`.trim());
}
