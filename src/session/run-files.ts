import type { Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { createMemory, type Memory } from '../memory/memory.ts';
import { processMark } from '../store/process-mark.ts';
import { redact } from '../store/redact.ts';
import { openSeal } from '../store/seal.ts';
import { createSessionStore, type SessionStore } from '../store/session-store.ts';
import { stateFolder } from '../store/user-folders.ts';
import type { Child } from './child.ts';
import { type CostKeeper, type CostKeeperOptions, createCostKeeper } from './cost-keeper.ts';
import { createFaults, type Faults } from './faults.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import type { NoteTaker } from './note-taker.ts';
import { openInbox, openNotes } from './open-notes.ts';
import type { RecordFile } from './record-file.ts';
import { createRecorder, type Recorder } from './recorder.ts';
import { settingsToKeep } from './run-settings.ts';

/** What a run keeps on disk, and what it knows of it. */
export interface RunFiles {
  readonly faults: Faults;
  readonly store: SessionStore;
  readonly memory: Memory;
  readonly notes: NoteTaker | undefined;
  readonly costs: CostKeeper | undefined;
  readonly recorder: Recorder | undefined;
}

/** The parts of the world that the files of a run depend on. */
interface Place {
  readonly run: Run;
  readonly io: Io;
  readonly record: RecordFile | undefined;
  readonly notice: (text: string) => void;
}

/** Opens them. What cannot be written is told once, and the run goes on without it. */
export function openRunFiles(headless: HeadlessRun, { run, io, record, notice }: Place): RunFiles {
  const faults = createFaults(notice);
  const { runId } = run;
  const folder = contextFolder(headless, io);
  const store = createSessionStore(folder, {
    runId,
    now: Date.now,
    onFault: faults,
    seal: openSeal(stateFolder(io.env)),
  });
  const inbox = openInbox(headless, io, runId, faults);
  const memory = createMemory({ run, mask: redact });
  return {
    faults,
    store,
    memory,
    notes: inbox && openNotes(headless, io, { run, memory, inbox }, { onFault: faults, notice }),
    costs: keepCosts(headless, run, folder, { onFault: faults, onSpent: (spent) => store.run({ spent }) }),
    recorder: record && createRecorder(record, run, Date.now, notice),
  };
}

function keepCosts(
  { config }: HeadlessRun,
  { runId, mode }: Run,
  folder: string,
  listeners: Pick<CostKeeperOptions, 'onFault' | 'onSpent'>,
) {
  if (mode !== 'act') return undefined;
  const { projectLimitUsd, period } = config.cost;
  return createCostKeeper({
    folder,
    runId,
    period,
    isLimited: projectLimitUsd !== undefined,
    now: Date.now,
    ...listeners,
  });
}

/** Notes what is needed to take the run up, should it be broken off. */
export function noteBeginning(
  { store }: RunFiles,
  headless: HeadlessRun,
  run: Run,
  child: Child,
  lines: readonly string[],
): void {
  const { resumed, values, otlp, record } = headless;
  noteProcess(store, run, child);
  const settings = values && settingsToKeep({ values, otlp, record });
  const spent = { settled: 0, open: 0, raised: {}, ...resumed?.spent, at: Date.now() };
  store.run({ words: startWords(headless), prompts: lines, owed: resumed?.answers ?? [], settings, spent });
  if (resumed?.sessionId !== undefined) store.journal({ kind: 'session', runId: run.runId, id: resumed.sessionId });
}

/** claude runs, in this process. */
export function noteProcess(store: SessionStore, { runId, mode }: Run, { pid }: Child): void {
  const marks = { claude: processMark(pid), ctxb: processMark(process.pid) };
  store.journal({ kind: 'start', pid, ...marks, runId, mode });
}

/** How claude is started, without prompt and session: for whoever has to take up the run. */
function startWords({ program, invocation }: HeadlessRun): string[] {
  const { passedAgain, outputFormat, verbose } = invocation;
  const format = ['-p', '--output-format', outputFormat, ...(verbose ? ['--verbose'] : [])];
  return [program, ...format, ...passedAgain];
}
