import type { Child } from '../claude/child.ts';
import { hasCompactionHook } from '../claude/claude-folders.ts';
import { readLoggedState } from '../claude/claude-log.ts';
import { permissionsToGive } from '../core/governor/control/callers-requests.ts';
import { runCostUsd, toUsd } from '../core/governor/cost/cost.ts';
import type { Action } from '../core/governor/decisions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { decodeLine } from '../core/protocol/decode.ts';
import type { Event } from '../core/protocol/events.ts';
import { createHost, type Transition } from '../host/governor-host.ts';
import type { Io } from '../io.ts';
import { createToolFiles } from '../store/runs/tool-files.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { type AskPerson, askForLimit } from './ask-person.ts';
import type { CallerInput } from './caller-input.ts';
import { supervise } from './claude-supervisor.ts';
import { createExactMod } from './exact-mod.ts';
import { createExecutor, type ExecutorDependencies, type StartClaude } from './executor.ts';
import { createHandoffWriter } from './handoff-writer.ts';
import type { HeadlessRun, Watcher } from './headless-run.ts';
import { linesOf } from './kept-prompts.ts';
import { spendingAtExit, spendingOfAgents } from './logged-spending.ts';
import type { CallerOutput } from './output/output.ts';
import { createPassOn } from './output/pass-on.ts';
import { maintainRunCard } from './run-card.ts';
import type { RunFiles } from './run-files.ts';

export interface RunConnections {
  readonly io: Io;
  readonly child: Child;
  /** @param spentUsd cost of the run so far, in US dollars */
  readonly startSuccessor: (start: StartClaude, spentUsd: number) => Promise<Child>;
  readonly input: CallerInput;
  readonly watcher: Watcher;
}

interface SessionEnds extends RunConnections {
  readonly run: Run;
  readonly output: CallerOutput;
  readonly telemetry: Telemetry | undefined;
  readonly ask: AskPerson;
  readonly spent: OwnEvent | undefined;
  /** Waits before a prompt that arrives while the run continues. Resolves with the spending of the project by then. */
  readonly admit: () => Promise<OwnEvent | undefined>;
}

export type Session = ReturnType<typeof startSession>;

interface ShownLine {
  readonly text?: string;
  readonly passOn?: () => void;
}

/** Passes the lines of claude and of the caller through the governor, and executes the actions. */
export function startSession(headless: HeadlessRun, ends: SessionEnds, files: RunFiles) {
  const { run, io, input, output, watcher, telemetry } = ends;
  const { store, notes, mail, costs, recorder } = files;
  const tools = toolsOf(headless, ends, files);
  const now = Date.now;
  const host = createHost<ShownLine>(initialState(run), {
    now,
    onInput: (input, line) => recorder?.write(input, line?.text),
    carryOut: settle,
  });

  /**
   * Feeds an input. Messages of ctxb's commands come first, so that they precede the line that reports the end of a
   * command, and the next prompt.
   */
  function feed(input: Input, line: ShownLine): void {
    const { from, event } = input;
    if (from === 'caller' || event.kind === 'user' || event.kind === 'result') tellAll(mail.drain());
    tellAll(tools.exactMod.seen(input));
    host.feed(input, line);
  }

  function hear(event: Event, text: string): void {
    feed({ t: now(), from: 'caller', event, line: text }, { text });
  }

  async function hearAll(stream: AsyncIterable<string>): Promise<void> {
    for await (const text of stream) {
      const event = decodeLine(text);
      const spent = event.kind === 'user' ? await ends.admit() : undefined;
      if (spent !== undefined) host.tell(spent);
      hear(event, text);
      await new Promise<void>(executor.whenWritable);
    }
  }

  const endInput = () => feed({ t: now(), from: 'caller', event: { kind: 'end' } }, {});

  function tellAll(events: Iterable<OwnEvent>): void {
    for (const event of events) host.tell(event);
  }

  function settle(transition: Transition, line: ShownLine | undefined): void {
    const { input, before, after, actions } = transition;
    telemetry?.see(transition);
    // A rule is on disk before claude or the caller has it, because it must hold in the process that resumes the run.
    notePermissions(before, after);
    // First the kept-back lines, then the line, then its consequences: the caller has the answer even if ctxb is killed
    // during those. Then the answer is recorded as given, because writing notes takes a while.
    carryOut(actions, settlesLines);
    line?.passOn?.();
    carryOut(actions, isAnswered);
    // claude waits for an answer or a prompt, but not for the notes. Actions that need the notes write them first.
    notes.see(input, after);
    carryOut(actions, (action) => !settlesLines(action) && !isAnswered(action));
    noteSession(before.session, after.session);
    const { decisions, tell } = notes.note();
    for (const decision of decisions) executor.execute(decision);
    watcher.status(after);
    card.see(after);
    tellAll(tell);
    const spent = costs?.settle(host.state);
    if (spent !== undefined) host.tell(spent);
    tellAll(spendingOfAgents(before, after, io));
  }

  function carryOut(actions: readonly Action[], which: (action: Action) => boolean): void {
    for (const action of actions) if (which(action)) executor.execute(action);
  }

  function noteSession(before: GovernorState['session'], { id, transcript }: GovernorState['session']): void {
    if (id === undefined || (id === before.id && transcript === before.transcript)) return;
    store.journal({ kind: 'session', runId: run.runId, id, log: transcript });
  }

  function notePermissions(before: GovernorState, after: GovernorState): void {
    const [{ settings, permissions }, now] = [before.process.control, after.process.control];
    if (settings === now.settings && permissions === now.permissions) return;
    store.run({ permissions: permissionsToGive(after) });
  }

  function others(): ExecutorDependencies['others'] {
    return {
      'start-claude': claude.startNext,
      'write-handoff'(effect) {
        notes.flush();
        host.tellLater(tools.writeHandoff(effect, host.state));
      },
      'arm-exact': () => host.tellLater({ kind: 'exact-folder', ...tools.exactMod.arm() }),
      'prove-exact': () => tools.exactMod.whenAlive(() => host.tell({ kind: 'exact-proved' })),
      'plan-exact': ({ kind: _, ...plan }) => tools.exactMod.plan({ version: 1, ...notes.exactNote(), ...plan }),
      'measure-file': (effect) => host.tellLater(tools.toolFiles.measure(effect)),
      'store-result': (effect) => host.tellLater(tools.toolFiles.store(effect)),
      'answer-asker': ({ id, answer }) => mail.answer(id, answer),
      relay: ({ line }) => watcher.relay(line),
      reply: ({ line }) => queueMicrotask(() => show(output, line)),
      'ask-person': (effect) =>
        void askForLimit(effect, ends.ask).then((limitUsd) => host.tell({ kind: 'cost-answer', limitUsd })),
    };
  }

  const state = () => host.state;
  const card = maintainRunCard(io, files.figures, host.state);
  const passOn = createPassOn({
    output,
    figures: files.figures,
    state,
    onEvent(event, text, passOn) {
      // A program that fails before it has a session may print the reason here. Later, a line of this form is torn.
      const isLost = event.kind === 'malformed' && output.format !== 'stream-json' && state().session.id === undefined;
      if (isLost && text.trim() !== '') watcher.relay(text);
      feed({ t: now(), from: 'claude', event }, { text, passOn });
    },
  });
  const claude = supervise(
    {
      child: ends.child,
      startNext: (start, state) => ends.startSuccessor(start, runCostUsd(state) + toUsd(state.limits.lost)),
      readLog: (state) => ({
        ...readLoggedState(state, io),
        ...spendingAtExit(state, io, files.figures, costs?.reportedAt ?? now()),
      }),
      onFault: watcher.notice,
    },
    { passOn, state, tell: host.tell },
  );
  const executor = createExecutor({
    child: claude.child,
    passOn,
    output,
    store,
    onDecision(decision) {
      card.decided(decision);
      recorder?.decided(decision, state().facts.now);
      telemetry?.decided(decision);
      watcher.decision(decision);
    },
    onFault: watcher.notice,
    feed: (event) => void host.feed({ t: now(), from: 'timer', event }),
    answer: notes.answer,
    flushNotes: notes.flush,
    beforeHook: headless.beforeHook,
    hookFailed: (requestId) => host.tell({ kind: 'hook-failed', requestId }),
    others: others(),
  });

  const { resumed } = headless;
  if (resumed !== undefined) {
    const { finished, openTool, prompts, document, spent, permissions } = resumed;
    const answers = linesOf(prompts, 'owed');
    host.tell({ kind: 'recovered', finished, openTool, answers, document, spent, permissions });
  }
  if (ends.spent !== undefined) host.tell(ends.spent);
  for (const text of input.lines ?? []) hear(decodeLine(text), text);
  // A stdin that fails or is destroyed counts as ended.
  if (input.stream) void hearAll(input.stream).then(endInput, endInput);
  else endInput();
  host.tell({ kind: 'begin' });
  mail.watch(tellAll);

  return {
    /** The user pressed Ctrl-C: interrupts the turn, and sends no more prompts until told to. */
    interrupt: () => (headless.config.observe ? claude.kill('SIGINT') : host.tell({ kind: 'interrupt' })),
    /** Sends a signal to claude's process, and starts no replacement. */
    kill: claude.kill,
    ended: claude.ended().then((end) => {
      executor.dispose();
      tools.exactMod.close();
      // An open stdin without a reader must not keep the process alive.
      if (input.stream) io.stdin.destroy();
      tellAll(mail.drain());
      mail.close();
      notes.close();
      costs?.close(state());
      return end;
    }),
    state,
    seen: card.seen,
    noteEnd: (exitCode: number) => card.end(state(), exitCode),
  };
}

function toolsOf({ config, invocation }: HeadlessRun, { io }: SessionEnds, files: RunFiles) {
  const { folder, faults } = files;
  const isGuarded = () => config.compaction.how === 'auto' && hasCompactionHook(io, invocation.settings);
  return {
    toolFiles: createToolFiles(folder, faults),
    writeHandoff: createHandoffWriter(io, files),
    exactMod: createExactMod(isGuarded, faults),
  };
}

function show(output: CallerOutput, line: string): void {
  const bytes = Buffer.from(`${line}\n`);
  output.bytes(bytes);
  output.event(decodeLine(line), bytes, true);
}

function settlesLines({ kind }: Action): boolean {
  return kind === 'buffered' || kind === 'deferred';
}

function isAnswered({ kind }: Action): boolean {
  return kind === 'answered';
}
