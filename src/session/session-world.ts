import type { GovernorState, Run } from '../governor/state.ts';
import type { Io } from '../io.ts';
import { decodeLine } from '../stream/decode.ts';
import { createFramer } from '../stream/frame.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Ask, askForLimit, askForNext } from './ask-person.ts';
import type { Child } from './child.ts';
import type { StartClaude } from './executor.ts';
import { createHandoffWriter } from './handoff-writer.ts';
import { contextFolder, type HeadlessRun } from './headless-run.ts';
import { readLoggedState } from './logged-state.ts';
import type { CallerOutput } from './output.ts';
import type { CallerInput } from './prompts.ts';
import type { RecordFile } from './record-file.ts';
import { noteProcess, type RunFiles } from './run-files.ts';
import type { SessionWorld } from './run-session.ts';
import type { SignalWatch } from './signals.ts';
import { createToolFiles } from './tool-files.ts';
import type { Watcher } from './watcher.ts';

/** The ends that a session is connected to. */
export interface Ends {
  readonly run: Run;
  readonly io: Io;
  readonly child: Child;
  /** Passes signals to the child until there is a session to take them. */
  readonly early: SignalWatch;
  readonly input: CallerInput;
  readonly record: RecordFile | undefined;
  readonly watcher: Watcher;
  readonly telemetry: Telemetry | undefined;
  /** Starts a claude in the place of one that has ended. */
  readonly startSuccessor: (start: StartClaude, state: GovernorState) => Promise<Child>;
}

/** What a session is given of the world: its ends, its files, and what connects them. */
export function sessionWorld(
  headless: HeadlessRun,
  { run, io, child, input, watcher, telemetry, startSuccessor }: Ends,
  files: RunFiles,
  { output, ask, onGoOn }: { readonly output: CallerOutput; readonly ask: Ask; readonly onGoOn: () => void },
): SessionWorld {
  const { config, resumed } = headless;
  const { store, memory, faults } = files;
  const folder = contextFolder(headless, io);
  return {
    ...files,
    child,
    output,
    input,
    resumed,
    telemetry,
    now: Date.now,
    onState: watcher.status,
    onDecision(decision) {
      // What was ended on purpose cannot be taken up again.
      if (decision.kind !== 'left-undone' || !headless.stop?.aborted) watcher.decision(decision);
    },
    onPrompt: output.promptSent,
    whenGiven: output.whenGiven,
    onFault: watcher.notice,
    onSession: (id, log) => store.journal({ kind: 'session', runId: run.runId, id, log }),
    writeHandoff: createHandoffWriter({
      memory,
      cwd: io.cwd,
      home: io.env.HOME,
      root: folder,
      contextDir: run.contextDir,
      now: Date.now,
      onFault: faults,
    }),
    toolFiles: createToolFiles({ folder, onFault: faults }),
    reply: (line) => queueMicrotask(() => show(output, line)),
    askPerson: (effect) => askForLimit(effect, ask),
    async askNext(effect) {
      const goesOn = await askForNext(effect, ask);
      if (goesOn) onGoOn();
      return goesOn;
    },
    startNext: async (start, state) => {
      const next = await startSuccessor(start, state);
      listen(next, watcher);
      noteProcess(store, run, next);
      return next;
    },
    readLog: (state) => readLoggedState(state, io),
    beforeHook: headless.beforeHook ?? (() => {}),
    hookTimeoutMs: config.hooks.watchdogSeconds * 1000,
  };
}

/** Bytes; a longer line of stderr is relayed in pieces, a line each. */
const STDERR_LINE_BYTES = 1024 * 1024;

/** What claude says on stderr is the caller's. */
export function listen({ stderr }: Child, { relay }: Watcher): void {
  const framer = createFramer(STDERR_LINE_BYTES);
  const say = (line: Buffer) => relay(line.toString().replace(/\r?\n$/, ''));
  stderr.on('data', (chunk: Buffer) => framer.push(chunk).forEach(say));
  stderr.on('end', () => {
    const last = framer.flush();
    if (last) say(last);
  });
}

/** A line for the caller that is not claude's, behind the line that is being judged, which may still be shown. */
function show(output: CallerOutput, line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  output.bytes(bytes);
  output.event(decodeLine(line), bytes, true);
}
