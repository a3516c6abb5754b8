import { expectedTokens } from '../../core/governor/gauge/token-estimate.ts';
import { readBlocks } from '../../core/protocol/blocks.ts';
import { decodeObject, subagentOf } from '../../core/protocol/decode.ts';
import type { Block, OtherEvent, UserEvent } from '../../core/protocol/events.ts';
import { type Fields, fieldsOf, isFields, listOf, parseJson } from '../../core/protocol/fields.ts';
import type { Usage } from '../../core/protocol/usage.ts';
import type { ReadLine, ReadQuickly } from '../read/line-feed.ts';
import { sizedBlock } from '../read/row-parts.ts';
import { hidesText, QUOTE, unitsIn } from './json-units.ts';
import { afterPiece, hole, type Layout, layoutOf, slot } from './layout.ts';

/** Longer lines are parsed in full, because their strings may be cut. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Maximum number of layouts kept, those used last. */
const MAX_LAYOUTS = 16;

/**
 * The start of a row of a conversation, and the end of that start, which a search finds faster. A string cannot contain
 * it, because its quotes would be escaped.
 */
const [ROW_OPENING, OPENING_MARK] = [Buffer.from('{"parentUuid":'), Buffer.from('Uuid":')];

const CARRIAGE_RETURN = 13;

const [UUID, TIMESTAMP, STOP, ID] = [slot('uuid'), slot('timestamp'), slot('stop_reason'), slot('message id')];
const TOOL_ID = slot('tool_use_id');
const [CONTENT, REPORT, DATA] = [hole('content'), hole('report'), hole('data')];

/** Facts about the log so far. */
interface State {
  /** Whether tool results currently have no effect on the figures. */
  readonly isCalm: () => boolean;
  /** Whether neither tool results nor prompts currently have an effect on the figures. */
  readonly areTextsUnused: () => boolean;
}

/** Reads the rows of one layout. */
interface Reader {
  readonly layout: Layout;
  /** Reads the row that `layout` has just matched; undefined if it must be parsed. */
  read(): ReadLine | undefined;
  /** The reader of the row that followed the last row of this form. */
  next?: Reader | undefined;
}

/**
 * Reads rows of a session log by the layouts of earlier rows, which were parsed. Skips the model's texts if the usage
 * is known, and tool results.
 *
 * @param state whether tool results and prompts currently have an effect
 * @returns undefined if the line is not a row with an object
 */
export function createQuickReader(state: State): ReadQuickly {
  return createRowReader((row, isRow) => (isRow ? readerOf(row, state) : flatReader(row, state)));
}

/**
 * For a full replay: reads rows without the tools' reports and the data of progress, which no figure needs.
 *
 * @param needsTexts whether more than the sizes of tool results currently matters
 */
export function createSkipper(needsTexts: () => boolean): ReadQuickly {
  return createRowReader((row, isRow) => (isRow ? skipperOf(row, needsTexts) : undefined));
}

/** @param readerOf undefined if lines of this form must always be parsed; `isRow`: it begins with `ROW_OPENING` */
function createRowReader(readerOf: (line: Fields, isRow: boolean) => Reader | undefined): ReadQuickly {
  const readers: Reader[] = [];
  /** The reader of the last row; rows of the same forms follow each other. */
  let last: Reader | undefined;

  function readAndLearn(text: string, isRow: boolean): ReadLine | undefined {
    const value = parseJson(text);
    if (!isFields(value)) return undefined;
    // Otherwise a row that has these fields could fit, and hide them in a hole.
    const isNamed = value.uuid !== undefined && value.timestamp !== undefined && value.sessionId !== undefined;
    const reader = readerOf(value, isRow && isNamed);
    if (reader !== undefined && readers.unshift(reader) > MAX_LAYOUTS) readers.pop();
    return { kind: 'value', value };
  }

  function readerFor(bytes: Buffer, from: number, to: number): Reader | undefined {
    if (last?.next?.layout.fits(bytes, from, to)) return last.next;
    const at = readers.findIndex((each) => each !== last?.next && each.layout.fits(bytes, from, to));
    const reader = readers[at];
    if (at > 0) readers.splice(at - 1, 2, reader as Reader, readers[at - 1] as Reader);
    if (last !== undefined) last.next = reader;
    return reader;
  }

  return (bytes, from, to) => {
    if (to - from > MAX_BYTES) return undefined;
    const isRow = afterPiece(bytes, from, ROW_OPENING) !== -1;
    const another = isRow ? bytes.indexOf(OPENING_MARK, from + ROW_OPENING.length) : -1;
    if (another !== -1 && another < to) return undefined;
    last = readerFor(bytes, from, bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to);
    return last === undefined ? readAndLearn(bytes.toString('utf8', from, to), isRow) : last.read();
  };
}

/** Reads rows completely, except for the tools' reports and the data of progress. */
function skipperOf(row: Fields, needsTexts: () => boolean): Reader | undefined {
  if (row.type === 'assistant') return answerReader(row, needsTexts);
  const isResult = row.type === 'user' && row.tool_use_result === undefined;
  const layout = layoutWith(row, isResult ? openResult(row) : openProgress(row));
  if (layout === undefined) return undefined;
  const [id, uuid, timestamp] = [layout.idOf(UUID), layout.textOf(UUID), layout.timeOf(TIMESTAMP)];
  const [content, report, toolId] = [layout.bytesOf(CONTENT), layout.bytesOf(REPORT), layout.textOf(TOOL_ID)];
  const shared = { ...decodeObject(row), ...(layout.has(REPORT) && { toolReport: {} }) } as UserEvent | OtherEvent;
  const [block] = listOf(fieldsOf(row.message).content).map(fieldsOf);
  return {
    layout,
    read() {
      if (hasAny(report(), REPORT_KEYS) || hidesText(report())) return undefined;
      const at = [uuid(), timestamp()] as const;
      if (!isResult) return { kind: 'parts', shared, own: [...at, []], id: id() };
      const isSized = !needsTexts();
      const value = (isSized ? unitsIn(content()) : undefined) ?? parseJson(`${content()}`);
      if (value === undefined) return undefined;
      const isText = typeof value === 'string' || value instanceof Uint16Array;
      const found =
        isSized && isText
          ? (['tool_result', expectedTokens(value), value.length, toolId()] as const)
          : readBlocks([{ ...block, tool_use_id: toolId(), content: value }]);
      return { kind: 'parts', shared, own: [...at, found], id: id() };
    },
  };
}

/**
 * Parts of the keys by which a report names an agent, from the first capital on. Node finds texts of up to six bytes
 * faster than longer ones.
 */
const AGENT_KEYS = ['Id"', 'Tokens'].map((text) => Buffer.from(text));

/** A full replay also needs the time of a wake-up. */
const REPORT_KEYS = [...AGENT_KEYS, Buffer.from('For"')];

/** The reader for rows like this one; undefined if they must always be parsed. */
function readerOf(row: Fields, state: State): Reader | undefined {
  if (row.type === 'assistant') return answerReader(row);
  const isPrompt = isPromptRow(row);
  const layout = layoutWith(row, openPrompt(row) ?? openResult(row) ?? openProgress(row));
  if (layout === undefined) return undefined;
  const [id, timestamp] = [layout.idOf(UUID), layout.timeOf(TIMESTAMP)];
  const [content, report] = [layout.bytesOf(CONTENT), layout.bytesOf(REPORT)];
  const answers = row.type === 'user' ? (subagentOf(row) ?? '') : undefined;
  const isTelling = () => {
    if (isPrompt) return !state.areTextsUnused() || content()[0] !== QUOTE || hasAny(content(), SIGNIFICANT);
    return !state.isCalm() || hasAny(report(), AGENT_KEYS);
  };
  return {
    layout,
    read: () => (isTelling() ? undefined : { kind: 'unread', row: { id: id(), t: timestamp(), answers } }),
  };
}

/** For lines of plain values, without id and time, whose type shows that they do not affect the figures. */
function flatReader(line: Fields, { isCalm }: State): Reader | undefined {
  const isFlat = Object.values(line).every((value) => typeof value !== 'object' || value === null);
  // A record of `ctxb run` has claude's line as a text.
  const isPlain = isFlat && (line.uuid ?? line.timestamp ?? line.line) === undefined;
  const isKnown = decodeObject({ type: line.type }).kind === 'known';
  const layout = isPlain && isKnown ? layoutOf(withSlots(line)) : undefined;
  return layout && { layout, read: () => (isCalm() ? UNREAD : undefined) };
}

const UNREAD: ReadLine = { kind: 'unread', row: { id: undefined, t: undefined, answers: undefined } };

function isPromptRow({ type, message, isReplay, isCompactSummary }: Fields): boolean {
  const isNew = isReplay === undefined && isCompactSummary === undefined;
  return type === 'user' && isNew && typeof fieldsOf(message).content === 'string';
}

function openPrompt(row: Fields): Fields | undefined {
  return isPromptRow(row) ? { message: { ...fieldsOf(row.message), content: CONTENT } } : undefined;
}

/** Texts of prompts that affect the figures: commands, a change of the window, a compaction. */
const SIGNIFICANT = ['<command-name>', 'Set model to', 'This session is being continued'].map((text) =>
  Buffer.from(text),
);

function hasAny(text: Buffer, words: readonly Buffer[]): boolean {
  return words.some((word) => text.includes(word));
}

function openResult({ message, isReplay, toolUseResult }: Fields): Fields | undefined {
  const messageFields = fieldsOf(message);
  const [block, ...others] = listOf(messageFields.content).map(fieldsOf);
  if (block?.type !== 'tool_result' || !('content' in block) || others.length > 0 || isReplay !== undefined)
    return undefined;
  const content = [{ ...block, tool_use_id: TOOL_ID, content: CONTENT }];
  return {
    message: { ...messageFields, content },
    ...(toolUseResult !== undefined && { toolUseResult: REPORT }),
  };
}

function openProgress({ type, data }: Fields): Fields | undefined {
  return type === 'progress' && data !== undefined ? { data: DATA } : undefined;
}

/** Fields that the figures use, and fields that rarely change from row to row. */
const FIXED: ReadonlySet<string> = new Set([
  ...['type', 'isSidechain', 'agentId', 'sessionId', 'version', 'cwd', 'parent_tool_use_id', 'session_id'],
  ...['model', 'role', 'permissionMode', 'promptSource', 'userType', 'entrypoint', 'gitBranch'],
  ...['stop_sequence', 'stop_details'],
]);

/** The row with slots for its other strings, nulls and numbers. */
function withSlots(row: Fields): Fields {
  const isOpen = (value: unknown) => typeof value === 'string' || value === null || typeof value === 'number';
  const entries = Object.entries(row);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, isOpen(value) && !FIXED.has(name) ? slot(name) : value]),
  );
}

/** @param open the fields with holes; undefined if the row has none */
function layoutWith(row: Fields, open: Fields | undefined): Layout | undefined {
  return open && layoutOf({ ...withSlots(row), ...open });
}

/** @param needsTexts for a full replay, which reads all blocks */
function answerReader(row: Fields, needsTexts?: () => boolean): Reader | undefined {
  const event = decodeObject(row);
  const messageFields = fieldsOf(row.message);
  if (event.kind !== 'assistant' || event.synthetic || row.line !== undefined) return undefined;
  const { usage: known } = event;
  const isUsual = Array.isArray(messageFields.content) && typeof messageFields.id === 'string';
  const lifetimes = Object.keys(fieldsOf(fieldsOf(messageFields.usage).cache_creation));
  if (!isUsual || known === undefined || known.besides !== undefined || event.costUsd !== undefined) return undefined;
  // With a third lifetime, the price would be unknown.
  if (lifetimes.length > 2) return undefined;
  const messagePattern = {
    ...withSlots(messageFields),
    id: ID,
    content: CONTENT,
    usage: withCounts(messageFields.usage, ''),
  };
  const layout = layoutWith(row, { message: messagePattern });
  if (layout === undefined) return undefined;
  const [id, uuid, timestamp] = [layout.idOf(UUID), layout.textOf(UUID), layout.timeOf(TIMESTAMP)];
  const [stop, message, content] = [layout.idOf(STOP), layout.textOf(ID), layout.bytesOf(CONTENT)];
  const countsIn = countsReader(known, layout);
  const shared = { ...event, blocks: [] };
  return {
    layout,
    read() {
      const [messageId, counts] = [message(), countsIn()];
      if (messageId === undefined || counts === undefined) return undefined;
      const outputFinal = stop() !== undefined && counts[3] > 0;
      const isEmpty = counts[0] + counts[1] + counts[2] === 0;
      const blocks = blocksIn(content(), !needsTexts && outputFinal && !isEmpty);
      if (blocks === undefined) return undefined;
      const sized = needsTexts?.() === false ? sizedBlock(blocks) : blocks;
      const own = [isEmpty ? uuid() : undefined, timestamp(), sized, messageId, outputFinal, ...counts] as const;
      return { kind: 'parts', shared, own, id: id() };
    },
  };
}

/** The blocks of an answer, parsed only if they matter: its last row contains the output tokens. */
function blocksIn(bytes: Buffer, isSized: boolean): readonly Block[] | undefined {
  if (isSized && !bytes.includes(LARGE_WINDOW_MARK)) return [];
  const content = parseJson(`${bytes}`);
  return content === undefined ? undefined : readBlocks(content);
}

/** Signed commits contain "M context", which reveals the size of the window. */
const LARGE_WINDOW_MARK = Buffer.from('M cont');

/** A usage with slots for its counts, named by their paths. */
function withCounts(value: unknown, path: string): unknown {
  if (typeof value === 'number') return slot(path);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, withCounts(part, `${path}/${name}`)] as const);
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

const TOTAL = slot('/cache_creation_input_tokens');
const HOUR = slot('/cache_creation/ephemeral_1h_input_tokens');
const MINUTES = slot('/cache_creation/ephemeral_5m_input_tokens');

/** Reads the counts of a usage of a known form; undefined: parse the row. */
function countsReader(known: Usage, { countOf, has }: Layout) {
  const input = countOf(slot('/input_tokens'), known.input);
  const output = countOf(slot('/output_tokens'), known.output);
  const cacheCreation = countOf(TOTAL, known.cacheCreation);
  const cacheRead = countOf(slot('/cache_read_input_tokens'), known.cacheRead);
  const [hour, minutes] = [countOf(HOUR, known.cacheCreationHour ?? 0), countOf(MINUTES, 0)];
  const searches = countOf(slot('/server_tool_use/web_search_requests'), known.terms?.webSearches ?? 0);
  // Without a total, the parts would have to be added up.
  if (!has(TOTAL) && (has(HOUR) || has(MINUTES))) return () => undefined;
  return () => {
    const counts = [input(), cacheCreation(), cacheRead(), output(), hour()] as const;
    if (counts[1] === 0 && counts[4] + minutes() > 0) return undefined;
    if (searches() !== (known.terms?.webSearches ?? 0)) return undefined;
    return counts.some(Number.isNaN) ? undefined : counts;
  };
}
