import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EMPTY_COST, readCost, totalMicroUsd } from '../core/governor/cost/cost.ts';
import type { Prices } from '../core/governor/cost/prices.ts';
import type { ExitEvent } from '../core/governor/input.ts';
import { inTurn } from '../core/governor/prompts/mailbox.ts';
import type { GovernorState } from '../core/governor/state.ts';
import { decodeObject } from '../core/protocol/decode.ts';
import { type Fields, fieldsOf, parseFields, textOf } from '../core/protocol/fields.ts';
import { rowsIn } from '../core/protocol/objects-in.ts';
import { orElse } from '../errors.ts';
import type { Io } from '../io.ts';
import { kindOf, namesOf, realPath } from '../store/files/plain-file.ts';
import { readLines } from '../store/files/read-lines.ts';
import { redact } from '../store/masks/redact.ts';
import { type ClaudePlace, configFolder } from './claude-folders.ts';

/** The place of a claude, as far as its logs depend on it. */
interface LogPlace extends ClaudePlace {
  /** The log as a hook's input named it. It wins, unless it is gone or another session's. */
  readonly transcriptPath?: string | undefined;
}

/** The facts of a session from claude's own log, after its process is gone. */
export interface SessionLog {
  /** The log has messages besides commands: after `/clear` alone an agent knows nothing. */
  readonly hasMessages: boolean;
  /**
   * The uuids of what claude has taken up from its input: prompts, and what was said into a running turn. Rows that
   * claude writes in the user's place count too. Lines that claude has joined into one turn are there under the last
   * one's uuid only. A row is written up to 0.15 s after the API has got the prompt: a claude that is killed before
   * does not know the prompt when it resumes.
   */
  readonly delivered: ReadonlySet<string>;
  /**
   * The last turn of the main thread came to its end by an answer; not by an error, an interruption or a kill. Never so
   * in the logs of old versions (2.1.38 is the newest one seen), which do not say why an answer ended.
   */
  readonly finished: boolean;
  /** A tool call of the last answer that has no result. */
  readonly openTool: OpenTool | undefined;
}

export interface OpenTool {
  readonly name: string;
  /** Its subject, on one line of at most 200 characters: the command, the file. Not masked. May be empty. */
  readonly title: string;
}

/**
 * The log of a session: in the folder of its project below `CLAUDE_CONFIG_DIR` or `~/.claude`, else in any other
 * project's (the session may have been begun elsewhere). Undefined when there is none, as with
 * `--no-session-persistence` and for a claude that was killed within 0.15 s of its first prompt.
 */
export function findSessionLog(sessionId: string, place: LogPlace): string | undefined {
  const name = `${sessionId}.jsonl`;
  if (basename(name) !== name) return undefined;
  const { transcriptPath } = place;
  if (transcriptPath !== undefined && basename(transcriptPath) === name && isFile(transcriptPath)) {
    return transcriptPath;
  }
  const projects = join(configFolder(place), 'projects');
  const usual = join(projectLogs(place), name);
  return isFile(usual) ? usual : newestFirst(namesOf(projects).map((folder) => join(projects, folder, name)))[0];
}

/**
 * The session that claude resumes where none is named: the one of the project whose log was written last, unless nothing
 * was said in it (2.1.330).
 *
 * @param besides id of one that is left out
 */
export function newestSession(place: ClaudePlace, besides?: string): string | undefined {
  const path = sessionLogsSince(0, place).find((path) => basename(path, '.jsonl') !== besides && mayBeResumed(path));
  return path && basename(path, '.jsonl');
}

/**
 * The logs of a project's sessions that were written since a moment, the newest first.
 *
 * @param since milliseconds since the epoch
 */
export function sessionLogsSince(since: number, place: ClaudePlace): string[] {
  const folder = projectLogs(place);
  const logs = namesOf(folder).filter((name) => SESSION_LOG.test(name));
  return newestFirst(
    logs.map((name) => join(folder, name)),
    since,
  );
}

const SESSION_LOG = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}\.jsonl$/;

function mayBeResumed(path: string): boolean {
  let isEmpty = true;
  for (const line of readLines(path)) {
    if (/"type":"(?:user|assistant)"/.test(line) && !line.includes('"isSidechain":true')) return true;
    isEmpty = false;
  }
  return isEmpty;
}

/** The folder of a project's logs, whether it is there or not: named after the real one, whatever link leads there. */
export function projectLogs(place: ClaudePlace): string {
  return join(configFolder(place), 'projects', projectFolder(realPath(place.cwd)));
}

/**
 * Whether a log of a project's folder may be the project's: not where its first row with a folder names another project
 * whose logs are in the same one.
 */
export function mayBeOfProject(path: string, { cwd }: ClaudePlace): boolean {
  const own = realPath(cwd);
  for (const line of readLines(path)) {
    const named = line.includes('"cwd"') ? textOf(parseFields(line).cwd) : undefined;
    if (named === undefined) continue;
    const other = realPath(named);
    return other === own || projectFolder(other) !== projectFolder(own);
  }
  return true;
}

/**
 * Reads a session's log; of a file that is not there: nothing delivered, nothing finished. Of a line that is no JSON,
 * such as one that a kill has torn, what can be read counts. One line is in memory at a time.
 *
 * @throws CtxbError `store` when it cannot be read, or is not a regular file
 */
export function readSessionLog(path: string): SessionLog {
  const reading = new Reading();
  for (const line of readLines(path)) {
    for (const row of rowsIn(line)) if (row.isSidechain !== true) takeRow(reading, row);
  }
  const [openTool] = reading.open.values();
  const { hasMessages, delivered, finished } = reading;
  return { hasMessages, delivered, finished, openTool };
}

/** The state of reading so far. */
class Reading {
  hasMessages = false;
  readonly delivered = new Set<string>();
  finished = false;
  /** The value of `finished` before the slash command of the latest row; false if it began none. */
  beforeCommand = false;
  /** The id of the last answer. It has a row for each of its blocks. */
  message: unknown = '';
  readonly open = new Map<string, OpenTool>();
}

/** The answer under `--json-schema` is a call of this tool, and nothing comes after its result. */
const ANSWER_TOOL = 'StructuredOutput';
const ENDINGS: ReadonlySet<unknown> = new Set(['end_turn', 'stop_sequence', 'refusal']);
const COMMAND = /^\s*<command-(name|message)>/;
const COMMAND_OUTPUT = /^\s*<local-command-std(out|err)>/;
const INTERRUPTED = /^\[Request interrupted by user/;

function takeRow(reading: Reading, row: Fields): void {
  const message = fieldsOf(row.message);
  if (row.type === 'assistant') takeAnswer(reading, message);
  else if (row.type === 'user') takeUser(reading, row, blocksOf(message.content));
  else if (row.type === 'attachment') addText(reading.delivered, fieldsOf(row.attachment).source_uuid);
  else if (row.subtype === 'local_command' && COMMAND_OUTPUT.test(wordOf(row.content))) endCommand(reading);
}

function takeAnswer(reading: Reading, { id, model, content, stop_reason }: Fields): void {
  // claude's own words: an error, or the end it gives a broken conversation when it resumes.
  if (model === '<synthetic>') return;
  reading.hasMessages = true;
  if (id !== reading.message) reading.open.clear();
  reading.message = id;
  for (const block of blocksOf(content)) {
    if (block.type !== 'tool_use') continue;
    reading.open.set(wordOf(block.id), { name: wordOf(block.name), title: titleOf(fieldsOf(block.input)) });
  }
  reading.finished = ENDINGS.has(stop_reason) && reading.open.size === 0;
}

function takeUser(reading: Reading, row: Fields, blocks: readonly Fields[]): void {
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const result of results) takeResult(reading, result);
  if (results.length > 0 || row.isCompactSummary === true) {
    reading.hasMessages = true;
    return;
  }
  addText(reading.delivered, row.uuid);
  // 2.1.329 marks the caller's synthetic prompts so as well, but they are prompts.
  if (row.isMeta === true && row.promptSource === undefined) return;
  const text = wordOf(blocks.find(({ type }) => type === 'text')?.text);
  if (COMMAND_OUTPUT.test(text)) endCommand(reading);
  else if (!INTERRUPTED.test(text)) beginTurn(reading, COMMAND.test(text));
}

function takeResult(reading: Reading, { tool_use_id, is_error }: Fields): void {
  const id = wordOf(tool_use_id);
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

/** A slash command that has an output was no prompt, so what was under way before it is as it was. */
function endCommand(reading: Reading): void {
  reading.finished ||= reading.beforeCommand;
}

/** Inputs that say what a call is about, most telling first. */
const TELLING = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description', 'prompt', 'skill'];
const TITLE_LENGTH = 200;

function titleOf(input: Fields): string {
  const telling = TELLING.map((key) => wordOf(input[key])).find((text) => text !== '') ?? '';
  const line = telling.trim().split(/\r?\n/, 1)[0] ?? '';
  return Array.from(line.slice(0, 2 * TITLE_LENGTH))
    .slice(0, TITLE_LENGTH)
    .join('');
}

function addText(set: Set<string>, value: unknown): void {
  if (typeof value === 'string') set.add(value);
}

function blocksOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

function wordOf(value: unknown): string {
  return textOf(value) ?? '';
}

const FOLDER_LENGTH = 200;

/** The name of a project's folder, measured with 2.1.197 and 2.1.329. Different projects may have the same. */
function projectFolder(cwd: string): string {
  const name = cwd.replaceAll(/[^a-zA-Z0-9]/g, '-');
  return name.length <= FOLDER_LENGTH ? name : `${name.slice(0, FOLDER_LENGTH)}-${hash(cwd)}`;
}

function hash(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (sum * 31 + text.charCodeAt(i)) | 0;
  return Math.abs(sum).toString(36);
}

function newestFirst(paths: readonly string[], since = 0): string[] {
  return paths
    .filter(isFile)
    .map((path) => ({ path, time: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .filter(({ time }) => time >= since)
    .sort((a, b) => b.time - a.time)
    .map(({ path }) => path);
}

function isFile(path: string): boolean {
  return orElse(() => kindOf(path) === 'file', false);
}

export type LoggedState = Pick<ExitEvent, 'logged' | 'delivered' | 'finished' | 'openTool'>;

const UNKNOWN: LoggedState = { logged: false, delivered: [], finished: false, openTool: undefined };

export function readLoggedState(state: GovernorState, { env, cwd }: Io): LoggedState {
  const { session, turn } = state;
  const { id, transcript } = session;
  const path = id && findSessionLog(id, { env, cwd, transcriptPath: transcript });
  if (path === undefined) return UNKNOWN;
  const log = readSessionLog(path);
  const prompts = [...(turn.last?.prompts ?? []), ...inTurn(state)];
  const delivered = prompts.map(({ uuid }) => uuid).filter((uuid) => log.delivered.has(uuid));
  // A `/clear` of the caller's is a wanted beginning; one of ours waits for its document.
  if (!log.hasMessages && delivered.length === 0) return UNKNOWN;
  return {
    logged: true,
    delivered,
    finished: log.finished,
    openTool: openToolText(log),
  };
}

/** The open tool call in a few words, without secrets. */
export function openToolText({ openTool }: SessionLog): string | undefined {
  return openTool && redact(`${openTool.name} ${openTool.title}`.trim());
}

/**
 * Micro-dollars that the calls of the main thread have cost since a moment, by claude's own logs.
 *
 * @param since milliseconds since the epoch
 */
export function loggedCost(paths: readonly string[], since: number, prices: Prices): number {
  let cost = EMPTY_COST;
  const list = { prices, version: undefined };
  for (const path of new Set(paths)) {
    for (const line of readLines(path)) {
      const later = rowsIn(line).filter(({ timestamp }) => Date.parse(textOf(timestamp) ?? '') > since);
      for (const row of later) cost = readCost(cost, decodeObject(row), list);
    }
  }
  return totalMicroUsd(cost);
}
