import { join, relative } from 'node:path';
import type { Decision } from '../../core/governor/decisions.ts';
import type { HookAnswer } from '../../core/governor/effects.ts';
import type { Input, OwnEvent } from '../../core/governor/input.ts';
import type { GovernorState, Run } from '../../core/governor/state.ts';
import { type Answered, hookOutput } from '../../core/memory/hand-back/hand-back.ts';
import type { Memory } from '../../core/memory/memory.ts';
import { parseFields, textOf } from '../../core/protocol/fields.ts';
import type { Faults } from '../../store/files/store-error.ts';
import type { Inbox } from '../../store/runs/inbox.ts';
import { openSessionFolder, type SessionFolder } from '../../store/sessions/session-folder.ts';
import { createNoteFiles, type NoteFiles } from './note-files.ts';

/** Connects working memory with its files: what is noted is written, and what was noted before is read. */
export interface NoteTaker {
  /** Notes an input that the governor has judged, and returns what follows from it. */
  observe(input: Input, state: GovernorState): Observed;
  /** Lines left in the inbox since the last call; feed them before the next input is judged. */
  drainInbox(): readonly OwnEvent[];
  answer(hook: HookAnswer, state: GovernorState): Answered;
  /** What a compaction that keeps messages is to say beside them. */
  exactNote(state: GovernorState): string;
  /** Brings the index and the tool log up to date. */
  flush(state: GovernorState): void;
  close(state: GovernorState): void;
}

export interface Observed {
  readonly decisions: readonly Decision[];
  /** What is to be fed to governor and memory next. */
  readonly tell: Iterable<OwnEvent>;
}

export interface NoteTakerWorld {
  readonly memory: Memory;
  readonly run: Run;
  readonly folder: string;
  /** Where `ctxb note`, run inside claude, leaves its lines. */
  readonly inbox: Inbox;
  readonly now: () => number;
  readonly onFault: Faults;
  /** Reports what is worth knowing and not a fault. */
  readonly notice: (text: string) => void;
  /** Turns that were over when the notes were brought up to date last. Default: none. */
  readonly turnsFlushed?: number;
}

const NOTHING: Observed = { decisions: [], tell: [] };

export function createNoteTaker(world: NoteTakerWorld): NoteTaker {
  const { memory, inbox } = world;
  let folder: SessionFolder | undefined;
  let files: NoteFiles | undefined;
  let sessionId: string | undefined;
  let turnsFlushed = world.turnsFlushed ?? 0;
  let over = false;

  /** A fault (a full disk, a foreign file in the way) is reported once; the run continues without notes. */
  function attempt<T>(work: () => T, otherwise: T): T {
    if (over) return otherwise;
    try {
      return work();
    } catch (error) {
      fail(error);
      return otherwise;
    }
  }

  function fail(error: unknown): void {
    over = true;
    world.onFault('no more notes are kept', error);
    try {
      folder?.close();
    } catch {
      // The lock is taken over when this process is gone.
    }
  }

  /** What earlier runs have noted, and where the notes are. */
  function* begun(notes: NoteFiles, path: string): Generator<OwnEvent> {
    try {
      for (const entry of notes.earlier()) yield { kind: 'earlier', entry };
      yield { kind: 'notes', path };
    } catch (error) {
      fail(error);
    }
  }

  function remember(input: Input, state: GovernorState): Observed {
    const { entries, pages, decisions, tell } = memory.add(input, state);
    if (input.from === 'ctxb' && input.event.kind === 'earlier') {
      files?.check(pages);
      return NOTHING;
    }
    if (input.from === 'ctxb' && input.event.kind === 'notes') files?.repair();
    if (entries.length > 0) files?.append(entries, pages);
    return { decisions, tell };
  }

  /** claude's session id can change in mid-session (`/clear`): the notes continue in the same folder. */
  function follow(id: string | undefined): Iterable<OwnEvent> {
    if (id === undefined || id === sessionId) return [];
    sessionId = id;
    if (folder === undefined) return open(id);
    folder.alias(id);
    return [];
  }

  function open(id: string): Iterable<OwnEvent> {
    const { run, folder: root, now } = world;
    folder = openSessionFolder(root, id, { pid: process.pid, runId: run.runId, now });
    files = createNoteFiles(folder);
    // As the agent is to name it.
    const name = join(run.contextDir, relative(root, folder.path));
    if (folder.contested) {
      world.notice(`another run keeps the notes of session ${id}: this one keeps its own in ${name}`);
    }
    return begun(files, name);
  }

  function flush(state: GovernorState): void {
    files?.writeWhole({ toolLog: memory.toolLog(), index: memory.index(state, world.now()) });
  }

  return {
    observe: (input, state) =>
      attempt(() => {
        const { decisions, tell } = remember(input, state);
        const opened = follow(nameOfSession(state));
        const isBoundary = state.turn.ended !== turnsFlushed;
        turnsFlushed = state.turn.ended;
        if (isBoundary) flush(state);
        return { decisions, tell: inTurn(tell, opened) };
      }, NOTHING),
    drainInbox: () => attempt(() => inbox.drain().flatMap(readNote), []),
    answer: (hook, state) =>
      over ? { output: hookOutput(hook, hook.context), decisions: [] } : memory.answer(hook, state),
    exactNote: (state) => attempt(() => memory.exactNote(state), ''),
    flush: (state) => attempt(() => flush(state), undefined),
    close(state) {
      attempt(() => {
        flush(state);
        folder?.close();
      }, undefined);
      try {
        inbox.dispose();
      } catch (error) {
        world.onFault('the inbox of this run is left behind', error);
      }
    },
  };
}

/** A claude that has ended a turn without a session id never reports one. */
function nameOfSession({ session, turn, run }: GovernorState): string | undefined {
  return session.id ?? (turn.ended > 0 ? run.runId : undefined);
}

function* inTurn(...parts: readonly Iterable<OwnEvent>[]): Generator<OwnEvent> {
  for (const part of parts) yield* part;
}

function readNote(line: string): OwnEvent[] {
  const { kind, text } = parseFields(line);
  const said = textOf(text) ?? '';
  if (said === '') return [];
  if (kind === 'state') return [{ kind, to: said, source: 'told' }];
  return kind === 'dead-end' ? [{ kind, text: said }] : [];
}
