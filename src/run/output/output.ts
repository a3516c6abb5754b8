import type { Event, ResultEvent } from '../../core/protocol/events.ts';
import { groupsIn } from '../../core/protocol/fields.ts';
import type { Outlet } from './outlet.ts';

export interface OutputFormat {
  readonly format: 'text' | 'json' | 'stream-json';
  readonly verbose: boolean;
}

interface Writer {
  /** Writes a visible line that is not decoded yet. */
  bytes(line: Buffer): void;
  /** The same line, decoded. @param isFinal no later answer replaces this one */
  event(event: Event, line: Buffer, isFinal: boolean): void;
  /** A prompt was sent to claude, so the previous answer is complete. */
  promptSent(): void;
  /** Calls back when all answers so far were written, immediately if they are. */
  whenGiven(callback: () => void): void;
  end(): void;
}

/** The caller's view of the run: visible lines only, in the requested format. */
export type CallerOutput = ReturnType<typeof createOutput>;

export function createOutput({ format, verbose }: OutputFormat, outlet: Outlet) {
  let lastResult: ResultEvent | undefined;
  let isUnsaved = false;
  let isWoken = false;
  const writer = createWriter(format, verbose, outlet);
  return {
    ...writer,
    format,
    event(event: Event, line: Buffer, isFinal: boolean): void {
      if (event.kind === 'result') lastResult = event;
      isUnsaved ||= format !== 'stream-json' && reportsUnsaved(event);
      isWoken ||= event.kind === 'lifecycle' && event.isWakeUp;
      // Text of an agent that was woken belongs to its last answer, like text about a background task.
      const belongs = event.kind === 'result' && isWoken;
      writer.event(belongs ? { ...event, fromBackgroundTask: true } : event, line, isFinal);
      if (belongs) isWoken = false;
    },
    /** Call it after the last line. */
    finish() {
      writer.end();
      return outlet.finish();
    },
    get isBlocked() {
      return outlet.isBlocked;
    },
    whenDrained: outlet.whenDrained,
    /** The last visible result, which decides the exit code. */
    get lastResult() {
      return lastResult;
    },
    /** Whether claude could not write its log. Outside of stream-json it then exits with 1. */
    get isUnsaved() {
      return isUnsaved;
    },
  };
}

function createWriter(format: OutputFormat['format'], verbose: boolean, outlet: Outlet): Writer {
  if (format === 'stream-json') return passThrough(outlet);
  if (format === 'json' && verbose) return withoutEmptyResult(array(outlet));
  return withoutEmptyResult(format === 'text' ? text(outlet) : json(outlet));
}

/** For an unknown session, claude prints a result without an init line. Drops that result. */
function withoutEmptyResult(writer: Writer): Writer {
  let hasInit = false;
  return {
    ...writer,
    event(event, line, isFinal) {
      hasInit ||= event.kind === 'init';
      const isEmptyResult = event.kind === 'result' && event.subtype === 'error_during_execution' && !hasInit;
      if (!isEmptyResult) writer.event(event, line, isFinal);
    },
  };
}

const SILENT: Writer = { bytes() {}, event() {}, promptSent() {}, whenGiven: (callback) => callback(), end() {} };

function passThrough(outlet: Outlet): Writer {
  return { ...SILENT, bytes: outlet.write };
}

/**
 * Writes the text of each answer as claude's own text mode prints it. claude ends an error without a line feed, because
 * it answers only one prompt; here the next answer begins on a new line.
 */
function text(outlet: Outlet): Writer {
  let isMidLine = false;
  return {
    ...SILENT,
    event(event) {
      if (event.kind !== 'result' || isInterruptedResult(event)) return;
      // claude prints the answer to each background task below the previous one.
      const answer = event.fromBackgroundTask ? `\n${resultText(event)}` : resultText(event);
      outlet.write(isMidLine && !answer.startsWith('\n') ? `\n${answer}` : answer);
      isMidLine = !answer.endsWith('\n');
    },
  };
}

/**
 * Writes one answer per prompt. A later answer from a background task replaces the earlier one. Before any prompt is
 * answered, the first prompt's answer replaces answers to tasks of an earlier run.
 */
function json(outlet: Outlet): Writer {
  let pending: Buffer | undefined;
  let isAnswered = false;
  let waiting: (() => void)[] = [];

  function settle(): void {
    if (pending !== undefined) outlet.write(pending);
    pending = undefined;
    const callbacks = waiting;
    waiting = [];
    for (const callback of callbacks) callback();
  }

  return {
    ...SILENT,
    event(event, line, isFinal) {
      if (event.kind !== 'result' || isInterruptedResult(event)) return;
      const replaces = event.fromBackgroundTask;
      if (!replaces && isAnswered) settle();
      pending = Buffer.concat([trimLine(line), NEWLINE]);
      isAnswered ||= !replaces;
      if (isFinal && isAnswered) settle();
    },
    promptSent() {
      if (isAnswered) settle();
    },
    whenGiven(callback) {
      if (pending === undefined) callback();
      else waiting.push(callback);
    },
    end: settle,
  };
}

const NEWLINE = Buffer.from('\n');

/** `--output-format json --verbose`: all messages as one array, written as they arrive. */
function array(outlet: Outlet): Writer {
  let count = 0;
  return {
    ...SILENT,
    event(event, line) {
      // Skip a line that is not JSON, because it would make the whole array unreadable.
      if (event.kind === 'malformed' || reportsUnsaved(event)) return;
      outlet.write(count++ === 0 ? '[' : ',');
      outlet.write(trimLine(line));
    },
    end: () => outlet.write(count === 0 ? '' : ']\n'),
  };
}

/** Whether the event reports a lost session log. claude writes it at the end, and only in stream-json. */
function reportsUnsaved(event: Event): boolean {
  return event.kind === 'known' && event.name === 'system/session_writes_lost';
}

function trimLine(line: Buffer): Buffer {
  const end = line.at(-1) === 10 ? line.length - 1 : line.length;
  return line.subarray(0, line.at(end - 1) === 13 ? end - 1 : end);
}

/**
 * claude's output for a result in text mode, byte for byte (measured with 2.1.197): the text, ending in one newline;
 * for errors a fixed sentence without a newline.
 */
export function resultText(event: ResultEvent): string {
  switch (event.subtype) {
    case 'error_max_turns':
      return `Error: Reached max turns (${figureOf(event)})`;
    case 'error_max_budget_usd':
      return `Error: Exceeded USD budget (${figureOf(event)})`;
    case 'error_max_structured_output_retries':
      return 'Error: Failed to provide valid structured output after maximum retries';
    case 'error_during_execution':
      return 'Execution error';
    default: {
      const text = event.text ?? '';
      return text.endsWith('\n') ? text : `${text}\n`;
    }
  }
}

/** Whether the turn was interrupted. In text and JSON mode, claude prints nothing then. */
export function isInterruptedResult({ subtype, terminalReason }: ResultEvent): boolean {
  return subtype === 'error_during_execution' && terminalReason?.startsWith('aborted') === true;
}

/** The limit, in parentheses in the result's own message. */
function figureOf(event: ResultEvent): string {
  return groupsIn(/\(\$?([\d.]+)\)/, event.errors.join('\n'))[0] ?? '';
}
