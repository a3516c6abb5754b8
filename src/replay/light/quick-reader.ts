import { decodeObject } from '../../core/protocol/decode.ts';
import type { OtherEvent, UserEvent } from '../../core/protocol/events.ts';
import { type Fields, fieldsOf, isFields, parseJson } from '../../core/protocol/fields.ts';
import { subagentOf } from '../../core/protocol/line-fields.ts';
import type { ReadLine, ReadQuickly } from '../read/line-feed.ts';
import { answerReader } from './answer-row.ts';
import { type BlockForm, blockForm } from './block-form.ts';
import { hidesText, QUOTE } from './json-units.ts';
import { afterPiece, hole, layoutOf } from './layout.ts';
import { CONTENT, layoutWith, type Reader, TIMESTAMP, UUID, withSlots } from './row-pattern.ts';

/** Longer lines are parsed in full, because their strings may be cut. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Maximum number of layouts. The least recently used ones are dropped. */
const MAX_LAYOUTS = 16;

/**
 * The start of a row of a conversation, and the end of that start, which a search finds faster. A string cannot contain
 * it, because its quotes would be escaped.
 */
const [ROW_OPENING, OPENING_MARK] = [Buffer.from('{"parentUuid":'), Buffer.from('Uuid":')];

const CARRIAGE_RETURN = 13;

const [REPORT, DATA] = [hole('report'), hole('data')];

/** Facts about the log so far. */
interface State {
  /** Whether tool results currently have no effect on the figures. */
  readonly areResultsUnused: () => boolean;
  /** Whether neither tool results nor prompts currently have an effect on the figures. */
  readonly areTextsUnused: () => boolean;
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
    let at = 0;
    // Not `findIndex`: V8 would allocate its callback for every row, also where the line above returns.
    while (at < readers.length && !readers[at]?.layout.fits(bytes, from, to)) at++;
    const reader = readers[at];
    if (at > 0) readers.splice(at - 1, 2, reader as Reader, readers[at - 1] as Reader);
    if (last !== undefined) last.next = reader;
    return reader;
  }

  return (bytes, from, to) => {
    if (to - from > MAX_BYTES) return undefined;
    const isRow = afterPiece(bytes, from, ROW_OPENING) !== -1;
    const nextRow = isRow ? bytes.indexOf(OPENING_MARK, from + ROW_OPENING.length) : -1;
    if (nextRow !== -1 && nextRow < to) return undefined;
    last = readerFor(bytes, from, bytes[to - 1] === CARRIAGE_RETURN ? to - 1 : to);
    return last === undefined ? readAndLearn(bytes.toString('utf8', from, to), isRow) : last.read();
  };
}

/** Reads rows completely, except for the tools' reports and the data of progress. */
function skipperOf(row: Fields, needsTexts: () => boolean): Reader | undefined {
  if (row.type === 'assistant') return answerReader(row, needsTexts);
  const form = row.tool_use_result === undefined ? resultIn(row) : undefined;
  const layout = layoutWith(row, openParts(row, form));
  if (layout === undefined) return undefined;
  const [id, uuid, timestamp] = [layout.idOf(UUID), layout.textOf(UUID), layout.timeOf(TIMESTAMP)];
  const [report, blocks] = [layout.bytesOf(REPORT), form?.readerIn(layout, needsTexts)];
  const shared = { ...decodeObject(row), ...(layout.has(REPORT) && { toolReport: {} }) } as UserEvent | OtherEvent;
  return {
    layout,
    read() {
      if (hasAny(report(), REPORT_KEYS) || hidesText(report())) return undefined;
      const found = blocks === undefined ? [] : blocks();
      return found && { kind: 'parts', shared, own: [uuid(), timestamp(), found], id: id() };
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
  const prompt = { message: { ...fieldsOf(row.message), content: CONTENT } };
  const layout = layoutWith(row, isPrompt ? prompt : openParts(row, resultIn(row)));
  if (layout === undefined) return undefined;
  const [id, timestamp] = [layout.idOf(UUID), layout.timeOf(TIMESTAMP)];
  const [content, report] = [layout.bytesOf(CONTENT), layout.bytesOf(REPORT)];
  const answers = row.type === 'user' ? (subagentOf(row) ?? '') : undefined;
  const isSignificant = () => {
    if (isPrompt) return !state.areTextsUnused() || content()[0] !== QUOTE || hasAny(content(), SIGNIFICANT);
    return !state.areResultsUnused() || hasAny(report(), AGENT_KEYS);
  };
  return {
    layout,
    read: () => (isSignificant() ? undefined : { kind: 'unread', row: { id: id(), t: timestamp(), answers } }),
  };
}

/** For lines of plain values, without id and time, whose type shows that they do not affect the figures. */
function flatReader(line: Fields, { areResultsUnused }: State): Reader | undefined {
  const isFlat = Object.values(line).every((value) => typeof value !== 'object' || value === null);
  // A record of `ctxb run` has claude's line as a text.
  const isPlain = isFlat && (line.uuid ?? line.timestamp ?? line.line) === undefined;
  const isKnown = decodeObject({ type: line.type }).kind === 'known';
  const layout = isPlain && isKnown ? layoutOf(withSlots(line)) : undefined;
  return layout && { layout, read: () => (areResultsUnused() ? UNREAD : undefined) };
}

const UNREAD: ReadLine = { kind: 'unread', row: { id: undefined, t: undefined, answers: undefined } };

function isPromptRow({ type, message, isReplay, isCompactSummary }: Fields): boolean {
  const isNew = isReplay === undefined && isCompactSummary === undefined;
  return type === 'user' && isNew && typeof fieldsOf(message).content === 'string';
}

/** Texts of prompts that affect the figures: commands, a change of the window, a compaction. */
const SIGNIFICANT = ['<command-name>', 'Set model to', 'This session is being continued'].map((text) =>
  Buffer.from(text),
);

function hasAny(text: Buffer, words: readonly Buffer[]): boolean {
  for (const word of words) if (text.includes(word)) return true;
  return false;
}

function resultIn({ type, message, isReplay }: Fields): BlockForm | undefined {
  const form = type === 'user' && isReplay === undefined ? blockForm(fieldsOf(message).content) : undefined;
  return form?.type === 'tool_result' ? form : undefined;
}

/** The fields of a row with holes: the result of a tool with its report, or the data of progress. */
function openParts({ type, data, message, toolUseResult }: Fields, result: BlockForm | undefined): Fields | undefined {
  if (result === undefined) return type === 'progress' && data !== undefined ? { data: DATA } : undefined;
  return {
    message: { ...fieldsOf(message), content: [result.pattern] },
    ...(toolUseResult !== undefined && { toolUseResult: REPORT }),
  };
}
