import { join, relative } from 'node:path';
import type { Decision } from '../core/governor/decisions.ts';
import { type HookAnswer, hookOutput } from '../core/governor/effects.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import type { Entry } from '../core/memory/entry.ts';
import type { ExactNote, HookReply } from '../core/memory/hand-back/hand-back.ts';
import type { Memory } from '../core/memory/memory.ts';
import { createNotebook, type DetailFile, type Page } from '../core/memory/notebook/notebook.ts';
import { type Fields, parseFields } from '../core/protocol/fields.ts';
import { type Faults, tryOrReport } from '../store/files/store-error.ts';
import { type DiskText, joinTexts, masked, maskedJson } from '../store/masks/disk-text.ts';
import { MEMORY_LOG, openSessionFolder, type SessionFolder } from '../store/sessions/sessions.ts';

export interface NoteTakerOptions {
  readonly memory: Memory;
  readonly run: Run;
  readonly folder: string;
  readonly onFault: Faults;
  readonly notice: (text: string) => void;
  /**
   * What claude has logged of a session and its past.
   * @param since time of the last entry to leave out, in milliseconds since the epoch
   */
  readonly logged: (session: string, since: number) => Iterable<Entry>;
  readonly isOff: boolean;
}

/**
 * Milliseconds before notes are written. The caller's next prompt comes after a result, and must not wait for files.
 * Short turns share one write.
 */
const FLUSH_AFTER_MS = 500;

const NOTES_STOPPED = 'no more notes are kept';

/** Connects working memory with its files. */
export function createNoteTaker(options: NoteTakerOptions) {
  const { memory } = options;
  let folder: SessionFolder | undefined;
  let files: NoteFiles | undefined;
  let sessionId: string | undefined;
  let isStale = true;
  let isOver = options.isOff;
  const begun = Date.now();
  /** The state after the newest input. */
  let latest: GovernorState;
  let timer: NodeJS.Timeout | undefined;
  const unnoted: { readonly input: Input; readonly state: GovernorState }[] = [];
  const decisions: Decision[] = [];
  let opened: Iterable<OwnEvent> = [];

  /** Reports a fault (a full disk, a foreign file in the way) once; the run then continues without notes. */
  function attempt<T>(work: () => T): T | undefined {
    return isOver ? undefined : tryOrReport(fail, NOTES_STOPPED, work);
  }

  function fail(consequence: string, error: unknown): void {
    isOver = true;
    // The timer would only delay the end of the process.
    clearTimeout(timer);
    options.onFault(consequence, error);
    try {
      folder?.close();
    } catch {
      // Another process takes the lock over after this one has exited.
    }
  }

  function* earlierNotes(session: string, notes: NoteFiles, path: string): Generator<OwnEvent> {
    try {
      const known = new Set<string>();
      let last = 0;
      for (const entry of notes.earlier()) {
        if (entry.t > last + SAME_TIME_MS) known.clear();
        known.add(identityOf(entry));
        last = Math.max(last, entry.t);
        yield { kind: 'earlier', entry };
      }
      const isNews = (entry: Entry) => entry.t < begun && !known.has(identityOf(entry));
      const news = options.run.resumes ? loggedAfter(session, last).filter(isNews) : [];
      notes.append(news, []);
      for (const entry of news) yield { kind: 'earlier', entry: { v: LOG_VERSION, ...entry } };
      yield { kind: 'notes', path };
    } catch (error) {
      fail(NOTES_STOPPED, error);
    }
  }

  /** What was said and done in a session since the last run with ctxb. */
  function loggedAfter(session: string, since: number): Entry[] {
    const consequence = 'the notes have nothing of the session from before this run';
    return tryOrReport(options.onFault, consequence, () => [...options.logged(session, since)]) ?? [];
  }

  function remember(input: Input, state: GovernorState): void {
    const { entries, pages, decisions: made } = memory.add(input, state);
    if (input.event.kind === 'earlier') {
      files?.check(pages);
      return;
    }
    if (input.event.kind === 'notes') files?.repair();
    if (entries.length > 0) {
      files?.append(entries, pages);
      isStale = true;
    }
    decisions.push(...made);
  }

  function catchUp(): void {
    for (const { input, state } of unnoted.splice(0)) {
      remember(input, state);
      const { session, turn, run } = state;
      // Before the init line of a resumed session, the progress of its first prompt has the id.
      const early = input.event.kind === 'lifecycle' ? input.event.sessionId : undefined;
      // If claude ends a turn without reporting a session id, it never reports one.
      follow(session.id ?? early ?? (turn.ended > 0 ? run.runId : undefined));
      if (state.facts.ending) {
        timer ??= setTimeout(() => attempt(flush), FLUSH_AFTER_MS);
        isStale = true;
      }
    }
  }

  /** claude's session id can change in the middle of a session (`/clear`): the notes stay in the same folder. */
  function follow(id: string | undefined): void {
    if (id === undefined || id === sessionId) return;
    sessionId = id;
    isStale = true;
    if (folder === undefined) open(id);
    else folder.alias(id);
  }

  function open(id: string): void {
    const { run, folder: root } = options;
    folder = openSessionFolder(root, id, run.runId);
    files = createNoteFiles(folder);
    // The path as the agent should use it.
    const name = join(latest.run.contextDir, relative(root, folder.path));
    if (folder.contested) {
      options.notice(`another run keeps the notes of session ${id}: this one keeps its own in ${name}`);
    }
    opened = earlierNotes(id, files, name);
  }

  function flush(): void {
    catchUp();
    clearTimeout(timer);
    timer = undefined;
    if (!isStale) return;
    isStale = files === undefined;
    files?.writeWhole({ toolLog: memory.toolLog(), index: memory.index(latest, Date.now()) });
  }

  return {
    /** Queues an input that the governor has processed. No method here returns notes before the queue is processed. */
    see(input: Input, state: GovernorState): void {
      latest = state;
      if (!isOver) unnoted.push({ input, state });
    },
    /** Notes the queued inputs; returns the resulting decisions and the events for governor and memory. */
    note() {
      attempt(catchUp);
      const tell = opened;
      opened = [];
      return { decisions: decisions.splice(0), tell };
    },
    answer: (hook: HookAnswer): HookReply =>
      isOver ? { output: hookOutput(hook, hook.context), decisions: [] } : memory.answer(hook, latest),
    exactNote: (): ExactNote =>
      attempt(() => {
        catchUp();
        return memory.exactNote(latest);
      }) ?? { note: '' },
    flush: () => void attempt(flush),
    close(): void {
      attempt(() => {
        flush();
        folder?.close();
      });
      isOver = true;
    },
  };
}

/** Maximum difference between the times that ctxb and claude record for the same prompt. */
const SAME_TIME_MS = 60_000;

function identityOf(entry: Entry): string {
  return entry.kind === 'tool' ? entry.id : entry.kind === 'prompt' ? entry.text : JSON.stringify(entry);
}

const TOOL_LOG = 'tool-log.md';

/** The files of the notes. The log is written first, so that all others can be made again from it after a crash. */
type NoteFiles = ReturnType<typeof createNoteFiles>;

function createNoteFiles(folder: SessionFolder) {
  const sizes = new Map<DetailFile, number>();
  let logged: string | undefined;

  return {
    earlier: () => entriesIn(folder.logLines()),
    /** Takes only the sizes of pages from earlier entries: masking them again would take most of the time. */
    check(pages: readonly Page[]): void {
      for (const { file, text } of pages) sizes.set(file, (sizes.get(file) ?? 0) + Buffer.byteLength(text));
    },
    /** Rewrites detail files whose size does not match the log. */
    repair(): void {
      for (const [file, size] of sizes) if (folder.sizeOf(file) !== size) folder.rewrite(file, pagesOf(folder, file));
    },
    append(entries: readonly Entry[], pages: readonly Page[]): void {
      const lines = entries.map((entry) => maskedJson({ v: LOG_VERSION, ...entry }));
      folder.append(MEMORY_LOG, joinTexts(lines, '\n'));
      for (const { file, text } of pages) folder.append(file, masked(text));
    },
    /** The index refers to the tool log, so it is written after it. */
    writeWhole({ index, toolLog }: { readonly index: string; readonly toolLog: string | undefined }): void {
      if (toolLog !== undefined && toolLog !== logged) folder.rewrite(TOOL_LOG, [masked(toolLog)]);
      logged = toolLog;
      folder.writeIndex(masked(index));
    },
  };
}

function* pagesOf(folder: SessionFolder, wanted: DetailFile): Generator<DiskText> {
  const notebook = createNotebook();
  for (const entry of entriesIn(folder.logLines())) {
    for (const { file, text } of notebook.add(entry).pages) if (file === wanted) yield masked(text);
  }
}

const LOG_VERSION = 1;

/** The entries in the lines of a log. Skips invalid lines. */
function* entriesIn(lines: Iterable<string>): Generator<Entry & Fields> {
  for (const line of lines) {
    const entry = parseFields(line);
    // This program wrote the log, in this version's shape.
    if (entry.v === LOG_VERSION && typeof entry.kind === 'string') yield entry as unknown as Entry & Fields;
  }
}
