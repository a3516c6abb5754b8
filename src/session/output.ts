import type { Event, ResultEvent } from '../stream/events.ts';
import { reportsEachTask } from '../stream/version.ts';
import type { Outlet } from './outlet.ts';
import { resultText } from './result-text.ts';

/** What the caller asked claude for. */
export interface OutputFormat {
  readonly format: 'text' | 'json' | 'stream-json';
  readonly verbose: boolean;
}

/** The caller's view of the run: he sees visible lines only, in the format he asked for. */
export interface CallerOutput {
  /** A visible line, before it was looked at. */
  bytes(line: Buffer): void;
  /** The same line, decoded. */
  event(event: Event, line: Buffer): void;
  /** A prompt goes to claude: what was answered before is complete. */
  promptSent(): void;
  /** No more lines come. Resolves when all bytes have left the process. */
  finish(): Promise<void>;
  readonly isBlocked: boolean;
  whenDrained(resume: () => void): void;
  /** The last visible result: it decides the exit code. */
  readonly lastResult: ResultEvent | undefined;
}

/** What is done with visible lines. */
interface Writer {
  bytes(line: Buffer): void;
  event(event: Event, line: Buffer): void;
  promptSent(): void;
  end(): void;
}

export function createOutput({ format, verbose }: OutputFormat, outlet: Outlet): CallerOutput {
  let lastResult: ResultEvent | undefined;
  const writer = createWriter(format, verbose, outlet);
  return {
    bytes: writer.bytes,
    event(event, line) {
      if (event.kind === 'result') lastResult = event;
      writer.event(event, line);
    },
    promptSent: writer.promptSent,
    finish() {
      writer.end();
      return outlet.finish();
    },
    get isBlocked() {
      return outlet.isBlocked;
    },
    whenDrained: (resume) => outlet.whenDrained(resume),
    get lastResult() {
      return lastResult;
    },
  };
}

function createWriter(format: OutputFormat['format'], verbose: boolean, outlet: Outlet): Writer {
  if (format === 'stream-json') return passThrough(outlet);
  if (format === 'text') return text(outlet);
  return verbose ? array(outlet) : json(outlet);
}

function passThrough(outlet: Outlet): Writer {
  return { bytes: (line) => outlet.write(line), event() {}, promptSent() {}, end() {} };
}

/** The text of each answer, as claude's own text mode prints it. */
function text(outlet: Outlet): Writer {
  let begun = false;
  let version: string | undefined;
  const answers = lastOfEachTurn(outlet);
  return {
    ...answers,
    event(event) {
      if (event.kind === 'init') version = event.version;
      begun ||= event.kind === 'init';
      if (event.kind !== 'result') return;
      const answer = resultText(event, begun);
      if (event.fromBackgroundTask && reportsEachTask(version)) answers.add(`\n${answer}`);
      else answers.put(answer, event.fromBackgroundTask);
    },
  };
}

/** The result line of each answer. */
function json(outlet: Outlet): Writer {
  const answers = lastOfEachTurn(outlet);
  return {
    ...answers,
    event(event, line) {
      if (event.kind === 'result') answers.put(Buffer.concat([trimmed(line), NEWLINE]), event.fromBackgroundTask);
    },
  };
}

const NEWLINE = Buffer.from('\n');

/**
 * One answer for each prompt. The one that a background task brought later takes the place of the one before, unless
 * it is added to it.
 */
function lastOfEachTurn(outlet: Outlet) {
  let pending: Buffer | string | undefined;

  function settle(): void {
    if (pending !== undefined) outlet.write(pending);
    pending = undefined;
  }

  function add(answer: Buffer | string): void {
    settle();
    pending = answer;
  }

  return {
    add,
    put(answer: Buffer | string, replaces: boolean): void {
      if (replaces) pending = answer;
      else add(answer);
    },
    bytes() {},
    promptSent: settle,
    end: settle,
  };
}

/** `--output-format json --verbose`: all messages as one array, written as they come. */
function array(outlet: Outlet): Writer {
  let count = 0;
  return {
    bytes() {},
    event(event, line) {
      // What is no JSON would make the whole array unreadable.
      if (event.kind === 'malformed') return;
      outlet.write(count++ === 0 ? '[' : ',');
      outlet.write(trimmed(line));
    },
    promptSent() {},
    end: () => outlet.write(count === 0 ? '' : ']\n'),
  };
}

function trimmed(line: Buffer): Buffer {
  const end = line.at(-1) === 10 ? line.length - 1 : line.length;
  return line.subarray(0, line.at(end - 1) === 13 ? end - 1 : end);
}
