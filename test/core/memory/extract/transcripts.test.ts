import { describe, expect, it } from 'vitest';
import type { Entry, ToolEntry } from '../../../../src/core/memory/entry.ts';
import { entriesIn } from '../../../support/notes.ts';
import { FIXTURE_RECORDINGS, linesOf, SHARED_RECORDINGS, TRANSCRIPTS } from '../../../support/recordings.ts';

/** A second, plain reading of the same lines, which shares nothing with the code it is to judge. */
interface Row {
  readonly [key: string]: unknown;
  readonly message?: { readonly content?: unknown };
}

interface Piece {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly text?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly is_error?: boolean;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly bySubagent: boolean;
  readonly failed: boolean;
  readonly text: string;
  readonly report: Readonly<Record<string, unknown>>;
}

interface Plain {
  readonly calls: readonly Call[];
  readonly prompts: readonly string[];
}

const NO_HUMAN = [
  '[Request interrupted by user',
  '<local-command-stdout>',
  '<local-command-stderr>',
  '<local-command-caveat>',
  '<command-name>',
  '<command-message>',
  '<command-args>',
  '<system-reminder>',
  '<task-notification>',
  '<bash-input>',
  '<bash-stdout>',
  '<bash-stderr>',
  'Caveat: The messages below',
  'This session is being continued from a previous conversation',
  'Operation stopped by hook',
];

const FLAGS = ['isSynthetic', 'isReplay', 'isMeta', 'isCompactSummary', 'isSidechain', 'parent_tool_use_id'];

describe.each([...FIXTURE_RECORDINGS, ...TRANSCRIPTS, ...SHARED_RECORDINGS])('$name', ({ path }) => {
  const entries = entriesIn(path);
  const plain = plainReading(path);
  const tools = new Map(entries.filter(isTool).map((entry) => [entry.id, entry]));

  it('has exactly one entry for each call with a result', () => {
    const ids = entries.filter(isTool).map(({ id }) => id);
    expect([...ids].sort()).toStrictEqual(plain.calls.map(({ id }) => id).sort());
  });

  it('has exactly one artifact with path and kind for each successful file change', () => {
    const said = plain.calls.flatMap((call) => artifactOf(call, tools.get(call.id)));
    const expected = plain.calls.filter(isFileTool).map(({ id, failed, ...call }) => {
      return failed ? `${id}: nothing` : `${id}: ${kindOf(call)} ${pathOf(call)}`;
    });
    expect(said).toStrictEqual(expected);
  });

  it('has exactly the prompts of a person', () => {
    const found = entries.flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : []));
    expect(found.filter(isNoHuman)).toStrictEqual([]);
    expect(found).toStrictEqual(plain.prompts);
  });

  it('has the exit status of every command', () => {
    const commands = plain.calls.filter(({ name }) => name === 'Bash');
    const found = commands.map(({ id }) => [id, tools.get(id)?.command?.exit]);
    expect(found).toStrictEqual(commands.map((call) => [call.id, exitOf(call)]));
  });

  it('assigns tool calls of subagents to them', () => {
    const found = plain.calls.map(({ id }) => [id, (tools.get(id)?.agent ?? null) !== null]);
    expect(found).toStrictEqual(plain.calls.map(({ id, bySubagent }) => [id, bySubagent]));
  });
});

function isTool(entry: Entry): entry is ToolEntry {
  return entry.kind === 'tool';
}

function isFileTool({ name }: Pick<Call, 'name'>): boolean {
  return ['Write', 'Edit', 'MultiEdit', 'NotebookEdit'].includes(name);
}

function pathOf({ input }: Pick<Call, 'input'>): unknown {
  return input.file_path ?? input.notebook_path;
}

function kindOf({ name, text, report }: Pick<Call, 'name' | 'text' | 'report'>): string {
  const isNew = name === 'Write' && (report.type === 'create' || /^File created/.test(text));
  return isNew ? 'created' : 'edited';
}

/** What the entry says, with its path spelled as in the call where it is the same file. */
function artifactOf(call: Call, entry: ToolEntry | undefined): string[] {
  if (!isFileTool(call)) return [];
  const change = entry?.change;
  if (change === undefined) return [`${call.id}: nothing`];
  const asked = String(pathOf(call));
  const isSame = asked === change.path || asked.endsWith(`/${change.path}`) || asked.endsWith(`\\${change.path}`);
  return [`${call.id}: ${change.change} ${isSame ? asked : change.path}`];
}

function exitOf({ failed, text, report }: Call): number | null {
  if (report.interrupted === true) return null;
  if (failed) {
    const said = /^(?:Error: )?Exit code (\d+)/.exec(text)?.[1];
    return said === undefined ? null : Number(said);
  }
  if (report.backgroundTaskId !== undefined || /^Command running in background/.test(text)) return null;
  return report.returnCodeInterpretation === undefined ? 0 : 1;
}

/** A command from a file or a skill, as a person has typed it. claude logs those that it answers itself name first. */
const TYPED =
  /^<command-message>.*<\/command-message>\s*<command-name>(.*)<\/command-name>(?:\s*<command-args>([\s\S]*)<\/command-args>)?/;

function typed(text: string): string {
  const [, name, words = ''] = TYPED.exec(text) ?? [];
  return name === undefined ? text : `${name} ${words}`.trim();
}

function isNoHuman(text: string): boolean {
  return NO_HUMAN.some((opening) => text.trimStart().startsWith(opening));
}

function plainReading(path: string): Plain {
  const rows = [...rowsOf(path)];
  const said = rows.filter(({ row, fromCaller }) => fromCaller && isSpoken(row)).map(({ row }) => wordsOf(row));
  const shown = rows.flatMap(({ row, fromCaller }) => (fromCaller ? [] : [row]));
  const heard = shown.filter((row) => isSpoken(row) && !isFlagged(row)).map((row) => typed(wordsOf(row)));
  return { calls: callsIn(shown), prompts: said.length > 0 ? said : heard.filter((text) => !isNoHuman(text)) };
}

function callsIn(rows: readonly Row[]): Call[] {
  const uses = new Map<string, Pick<Call, 'name' | 'input' | 'bySubagent'>>();
  const calls = new Map<string, Call>();
  for (const row of rows) {
    const bySubagent = typeof row.parent_tool_use_id === 'string' || row.isSidechain === true;
    const report = row.tool_use_result ?? row.toolUseResult;
    const fields = typeof report === 'object' && report !== null ? { ...report } : {};
    for (const { type, id, name, input = {}, tool_use_id, is_error, content } of piecesOf(row)) {
      if (type === 'tool_use') uses.set(String(id), { name: String(name), input, bySubagent });
      const use = uses.get(String(tool_use_id));
      if (type !== 'tool_result' || use === undefined || calls.has(String(tool_use_id))) continue;
      const end = { failed: is_error === true, text: textIn(content), report: fields };
      calls.set(String(tool_use_id), { id: String(tool_use_id), ...use, ...end });
    }
  }
  return [...calls.values()];
}

function isFlagged(row: Row): boolean {
  return FLAGS.some((flag) => row[flag] === true || typeof row[flag] === 'string');
}

function* rowsOf(path: string): Generator<{ readonly row: Row; readonly fromCaller: boolean }> {
  const seen = new Set<unknown>();
  let keptUntil = '';
  for (const line of linesOf(path)) {
    const value = parsed(line);
    if (value === undefined) continue;
    if (typeof value.line === 'string') {
      yield { row: parsed(value.line) ?? {}, fromCaller: value.to === 'claude' };
      continue;
    }
    // A session log repeats the rows that a compaction keeps.
    if (value.sessionId !== undefined && value.uuid !== undefined && seen.has(value.uuid)) continue;
    seen.add(value.uuid);
    // An exact one writes them anew, with the times that they had.
    if (value.subtype === 'compact_boundary') keptUntil = String(value.timestamp ?? '');
    if (typeof value.timestamp === 'string' && value.timestamp < keptUntil) continue;
    yield { row: value, fromCaller: false };
  }
}

function parsed(line: string): Row | undefined {
  try {
    return JSON.parse(line) as Row;
  } catch {
    return undefined;
  }
}

function piecesOf(row: Row): readonly Piece[] {
  const content = row.message?.content;
  return Array.isArray(content) ? (content as readonly Piece[]) : [];
}

/** A user's line that holds words or a picture and no result of a tool; or what was said while a turn ran. */
function isSpoken(row: Row): boolean {
  if (row.type === 'attachment') return (row.attachment as Piece & { commandMode?: string }).commandMode === 'prompt';
  if (row.type !== 'user') return false;
  const pieces = piecesOf(row);
  return !pieces.some(({ type }) => type === 'tool_result') && (pieces.length > 0 || wordsOf(row) !== '');
}

function wordsOf(row: Row): string {
  if (row.type === 'attachment') return textIn((row.attachment as { readonly prompt?: unknown }).prompt);
  return textIn(row.message?.content);
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  const pieces = Array.isArray(content) ? (content as readonly Piece[]) : [];
  return pieces.flatMap(({ type, text }) => (type === 'text' ? [text ?? ''] : [])).join('\n');
}
