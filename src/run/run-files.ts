import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Child } from '../claude/child.ts';
import { findSessionLog, newestSession } from '../claude/claude-folders.ts';
import { loggedEntries } from '../claude/logged-entries.ts';
import type { Decision } from '../core/governor/decisions.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import { readOutsideRequest } from '../core/governor/own-events.ts';
import { recordDecision, recordRun, toRecord } from '../core/governor/record.ts';
import type { Run } from '../core/governor/state.ts';
import { createMemory } from '../core/memory/memory.ts';
import { parseFields, stringOf } from '../core/protocol/fields.ts';
import { CtxbError, isCtxbError, messageOf, systemReason } from '../errors.ts';
import type { Io } from '../io.ts';
import { writeWhole } from '../store/files/plain-file.ts';
import { processMark } from '../store/files/process-mark.ts';
import { createFaults, errorCode, type Faults, tryOrReport } from '../store/files/store-error.ts';
import { openOutput } from '../store/files/write-file.ts';
import { openContextDir } from '../store/folders/context-dir.ts';
import { stateFolder } from '../store/folders/user-folders.ts';
import { joinTexts, maskedEntry, unmaskedText } from '../store/masks/disk-text.ts';
import { redact } from '../store/masks/redact.ts';
import { createInbox, type Inbox } from '../store/runs/inbox.ts';
import { readRunCards } from '../store/runs/run-cards.ts';
import { openSeal } from '../store/runs/seal.ts';
import { createSessionStore, type SessionStore } from '../store/runs/session-store.ts';
import { createCostKeeper } from './cost-keeper.ts';
import { contextFolder, costPlace, type HeadlessRun, type Watcher } from './headless-run.ts';
import { waitingPrompt } from './kept-prompts.ts';
import { createNoteTaker } from './notes.ts';
import { createWholeResults } from './output/whole-results.ts';
import { settingsToKeep } from './resume/run-settings.ts';

export type RunFiles = ReturnType<typeof openRunFiles>;

interface Place {
  readonly run: Run;
  readonly io: Io;
  readonly record: RecordFile | undefined;
  readonly notice: (text: string) => void;
}

/** Opens the files of a run. A file that cannot be written is reported once, and the run continues without it. */
export function openRunFiles(headless: HeadlessRun, { run, io, record, notice }: Place) {
  const { runId } = run;
  const { projectLimitUsd, period } = headless.config.cost;
  const folder = contextFolder(headless, io);
  const faults = createFaults(notice);
  // A run that no other process can resume, such as a step of a flow, leaves no state.
  const seal = headless.values && openSeal(stateFolder(io.env));
  const store = createSessionStore(folder, runId, faults, seal);
  const inbox = openInbox(folder, runId, faults);
  const isOff = inbox === undefined || !headless.config.memory.enabled;
  const memory = createMemory({ run, mask: redact });
  const { resumes, resumed } = headless.invocation;
  const session = resumes ? (resumed ?? newestSession(io)) : undefined;
  const cards = session === undefined ? [] : readRunCards(stateFolder(io.env));
  const before = cards.find((card) => card.session === session);
  const figures = createWholeResults(headless.resumed?.figures, before?.lost);
  return {
    folder,
    faults,
    figures,
    store,
    memory,
    mail: createMail(inbox, faults),
    notes: createNoteTaker({
      memory,
      run,
      folder,
      onFault: faults,
      notice,
      logged(id, since) {
        // claude writes the log of a fork late.
        const path = findSessionLog({ id }, io) ?? findSessionLog({ id: resumed }, io);
        return path === undefined ? [] : loggedEntries(path, since);
      },
      isOff,
    }),
    costs:
      run.mode === 'act'
        ? createCostKeeper({
            ...costPlace(headless, io),
            runId,
            period,
            now: Date.now,
            lostBefore: headless.resumed?.spent.lost,
            limitUsd: projectLimitUsd,
            notice,
            onSpent: (spent) => store.run({ spent, figures: figures.kept() }),
          })
        : undefined,
    recorder: record && createRecorder(record, run, notice),
  };
}

export function recordRunStart(
  { store, figures }: RunFiles,
  headless: HeadlessRun,
  run: Run,
  child: Child,
  lines: readonly string[] = [],
): void {
  const { resumed, values, otlp, record } = headless;
  const settings = values && settingsToKeep({ values, otlp, record });
  const before = { settled: 0, open: 0, raised: {}, agents: 0, lost: 0, ...resumed?.spent };
  const spent = { ...before, at: Date.now(), computed: 0, claimed: 0 };
  const { document, prompts = lines.flatMap(waitingPrompt) } = resumed ?? {};
  const kept = { spent, figures: figures.kept() };
  const folder = resolve(run.project, run.contextDir);
  store.run({ words: startWords(headless), folder, prompts, settings, ...kept, handedOver: document?.path });
  // From this line on, a resume finds this run instead of the previous one.
  recordProcess(store, run, child, resumed?.runId);
  if (resumed?.sessionId !== undefined) store.journal({ kind: 'session', runId: run.runId, id: resumed.sessionId });
}

/** Records the start of claude's process in the journal. @param resumes id of the run that this one resumes */
export function recordProcess(store: SessionStore, { runId, mode }: Run, { pid }: Child, resumes?: string): void {
  const marks = { claude: processMark(pid), ctxb: processMark(process.pid) };
  store.journal({ kind: 'start', pid, ...marks, runId, mode, resumes });
}

/** The command that starts claude, without prompt and session, for the process that resumes the run. */
function startWords({ program, invocation }: HeadlessRun): string[] {
  const { passedAgain, outputFormat, verbose } = invocation;
  const format = ['-p', '--output-format', outputFormat, ...(verbose ? ['--verbose'] : [])];
  return [program, ...format, ...passedAgain];
}

/** Undefined, after a report, when notes cannot be written. */
function openInbox(folder: string, runId: string, onFault: Faults): Inbox | undefined {
  const opened = tryOrReport(onFault, `nothing more is written to ${folder}`, () => openContextDir(folder));
  return opened && tryOrReport(onFault, 'no notes are kept', () => createInbox(folder, runId));
}

/** Milliseconds between checks of the inbox while claude and the caller are silent. */
const POLL_MS = 250;

function createMail(inbox: Inbox | undefined, onFault: Faults) {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const endWithFault: Faults = (consequence, error) => {
    isOver = true;
    onFault(consequence, error);
  };

  const read = () => inbox?.drain().flatMap(readLine);
  const drain = (): readonly OwnEvent[] =>
    (isOver ? undefined : tryOrReport(endWithFault, 'no more notes and requests are read', read)) ?? [];

  return {
    /** Events from the lines left since the last call; feed them before processing the next input. */
    drain,
    watch(tell: (events: readonly OwnEvent[]) => void): void {
      timer = setInterval(() => tell(drain()), POLL_MS).unref();
    },
    answer: (id: string, answer: object): void =>
      tryOrReport(endWithFault, 'a request from outside is not answered', () => inbox?.answer(id, answer)),
    close(): void {
      clearInterval(timer);
      tryOrReport(endWithFault, 'the inbox of this run is not removed', () => inbox?.dispose());
    },
  };
}

function readLine(line: string): OwnEvent[] {
  const { kind, text, ask, id } = parseFields(line);
  const request = kind === 'ask' ? readOutsideRequest(ask) : undefined;
  if (request !== undefined) return [{ kind: 'ask', ask: request, by: { from: 'command', id: stringOf(id) } }];
  const messageText = stringOf(text);
  if (messageText === '') return [];
  if (kind === 'state') return [{ kind, to: messageText }];
  return kind === 'dead-end' ? [{ kind, text: messageText }] : [];
}

/** Writes a record for `ctxb replay`. A fault (a full disk) is reported once and ends the record, never the run. */
function createRecorder({ path, descriptor, isMasked }: RecordFile, run: Run, notice: Watcher['notice']) {
  let isOver = false;

  function put(line: object): void {
    if (isOver) return;
    try {
      const text = isMasked ? maskedEntry(line) : unmaskedText(JSON.stringify(line));
      writeWhole(descriptor, joinTexts([text], '\n'));
    } catch (error) {
      isOver = true;
      notice(`nothing more is recorded to ${path}: ${messageOf(error)}`);
    }
  }

  put(recordRun(run, Date.now()));
  return {
    write: (input: Input, raw: string | undefined) => put(toRecord(input, raw)),
    /** Records a decision. @param t time of the input that caused it, in milliseconds since the epoch */
    decided: (decision: Decision, t: number) => put(recordDecision(decision, t)),
    close(): void {
      isOver = true;
      closeSync(descriptor);
    },
  };
}

export interface RecordFile {
  readonly isMasked: boolean;
  readonly path: string;
  readonly descriptor: number;
}

/**
 * Opens the record before claude starts, so that an unwritable path costs nothing. The record holds the whole
 * conversation, so only its owner can read it. Never overwrites a file with other contents.
 *
 * @throws CtxbError `usage` when it cannot be written
 */
export function openRecordFile(path: string, isMasked: boolean): RecordFile {
  try {
    return { path, descriptor: openOutput(path), isMasked };
  } catch (cause) {
    if (!isCtxbError(cause)) throw cause;
    // If the system refused, its own message is enough.
    const reason = errorCode(cause.cause) === undefined ? cause.message : systemReason(cause.cause);
    throw new CtxbError('usage', `--record ${path}: cannot be written (${reason}): name another file`, { cause });
  }
}
