import type { ChildEnd } from '../claude/child.ts';
import type { Action } from '../core/governor/actions.ts';
import { initialState } from '../core/governor/initial-state.ts';
import type { Input, OwnEvent } from '../core/governor/input.ts';
import type { GovernorState, Run } from '../core/governor/state.ts';
import { hookOutput } from '../core/memory/hand-back/hand-back.ts';
import { createHost, type Judged } from '../host/governor-host.ts';
import type { ReliefSlots } from '../store/runs/relief-slots.ts';
import type { ToolFiles } from '../store/runs/tool-files.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { CallerInput } from './caller-input.ts';
import { type SupervisorWorld, supervise } from './claude-supervisor.ts';
import type { CostKeeper } from './cost-keeper.ts';
import type { ExactMod } from './exact-mod.ts';
import { type AskNext, type AskPerson, createExecutor, type ExecutorWorld, type WriteHandoff } from './executor.ts';
import type { ResumedRun } from './headless-run.ts';
import type { NoteTaker } from './notes/note-taker.ts';
import type { CallerOutput } from './output/output.ts';
import { createPassOn } from './output/pass-on.ts';
import type { Recorder } from './run-files.ts';

/** What the session itself provides to the executor. */
type Provided =
  | 'child'
  | 'feed'
  | 'passOn'
  | 'answer'
  | 'flushNotes'
  | 'hookFailed'
  | 'writeHandoff'
  | 'takeSlot'
  | 'leaveSlot'
  | 'armExact'
  | 'proveExact'
  | 'planExact'
  | 'measureFile'
  | 'storeResult'
  | 'startClaude'
  | 'askPerson'
  | 'askNext';

/** The side effects of a session. */
export interface SessionWorld extends Omit<ExecutorWorld, Provided>, SupervisorWorld {
  readonly output: CallerOutput;
  readonly input: CallerInput;
  readonly recorder: Recorder | undefined;
  readonly notes: NoteTaker | undefined;
  readonly costs: CostKeeper | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly resumed: ResumedRun | undefined;
  /** Called when claude's session gets an id, another id or a log. */
  readonly onSession: (id: string, log: string | undefined) => void;
  /** Resolves with a new limit in US dollars; undefined: stop. */
  readonly askPerson: (effect: AskPerson) => Promise<number | undefined>;
  /** Resolves with whether to send the next prompt. */
  readonly askNext: (effect: AskNext) => Promise<boolean>;
  /** Checks and writes the document of a handoff. */
  readonly writeHandoff: (effect: WriteHandoff, state: GovernorState) => OwnEvent;
  readonly toolFiles: ToolFiles;
  readonly exactMod: ExactMod;
  readonly slots: ReliefSlots;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called after every step, for the status line. */
  readonly onState: (state: GovernorState) => void;
}

/** A session under way. */
export interface Session {
  /** The user pressed Ctrl-C: the turn is to be interrupted, and nothing more sent until he says so. */
  interrupt(): void;
  /** Signals claude's current process; none is started after it. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves when claude has ended and all its output has been passed on. */
  readonly ended: Promise<ChildEnd>;
  readonly state: () => GovernorState;
}

/** How a line reaches the caller. */
interface ShownLine {
  /** For the record. */
  readonly text?: string;
  readonly passOn?: () => void;
}

/** Runs claude: its lines and the caller's go through the governor, whose actions are carried out. */
export function startSession(run: Run, world: SessionWorld): Session {
  const { now, recorder, notes } = world;
  const host = createHost<ShownLine>(initialState(run), {
    now,
    onInput: (input, line) => recorder?.write(input, line?.text),
    carryOut: settle,
  });

  /** What a command of ctxb has left comes before the line that tells of its end, and before the next prompt. */
  function feed(input: Input, line: ShownLine): void {
    if (mayFollowNote(input)) tellAll(notes?.drainInbox() ?? []);
    tellAll(world.exactMod.seen(input));
    host.feed(input, line);
  }

  function tellAll(events: Iterable<OwnEvent>): void {
    for (const event of events) host.tell(event);
  }

  function settle({ input, before, after, actions }: Judged, line: ShownLine | undefined): void {
    world.telemetry?.see({ input, before, after, actions });
    noteSession(before.session, after.session);
    // What was kept back goes before the line, and the line before all that comes of it: killed in that, a run would
    // not have given the answer. Then it is noted as given, as writing notes takes a while.
    carryOut(actions, settlesLines);
    line?.passOn?.();
    carryOut(actions, isAnswered);
    // Noted before anything is done about it: what is done may take it out of the context.
    const noted = notes?.observe(input, after);
    carryOut(actions, (action) => !settlesLines(action) && !isAnswered(action));
    for (const decision of noted?.decisions ?? []) executor.execute(decision);
    world.onState(after);
    tellAll(noted?.tell ?? []);
    const costs = world.costs?.settle(host.state);
    if (costs !== undefined) host.tell(costs);
  }

  function carryOut(actions: readonly Action[], which: (action: Action) => boolean): void {
    for (const action of actions) if (which(action)) executor.execute(action);
  }

  function noteSession(before: GovernorState['session'], { id, transcript }: GovernorState['session']): void {
    if (id !== undefined && (id !== before.id || transcript !== before.transcript)) world.onSession(id, transcript);
  }

  const state = () => host.state;
  const passOn = createPassOn({
    output: world.output,
    state,
    onEvent: (event, text, passOn) => feed({ t: now(), from: 'claude', event }, { text, passOn }),
  });
  const claude = supervise(world, { passOn, state, tell: host.tell });
  const executor = createExecutor({
    ...world,
    child: claude.child,
    startClaude: claude.startNext,
    passOn,
    onDecision(decision) {
      recorder?.decided(decision, state().now);
      world.telemetry?.decided(decision, state().now);
      world.onDecision(decision);
    },
    feed: (event) => void host.feed({ t: now(), from: 'timer', event }),
    answer: (hook) => notes?.answer(hook, state()) ?? { output: hookOutput(hook, hook.context), decisions: [] },
    flushNotes: () => notes?.flush(state()),
    hookFailed: (requestId) => host.tell({ kind: 'hook-failed', requestId }),
    askPerson: (effect) =>
      void world.askPerson(effect).then((limitUsd) => host.tell({ kind: 'cost-answer', limitUsd })),
    askNext: (effect) => void world.askNext(effect).then((goesOn) => host.tell({ kind: 'stop-answer', goesOn })),
    writeHandoff: (effect) => host.tellLater(world.writeHandoff(effect, state())),
    takeSlot: () => host.tellLater({ kind: 'relief-slot', granted: world.slots.take() }),
    leaveSlot: world.slots.leave,
    armExact: () => host.tellLater({ kind: 'exact-folder', ...world.exactMod.arm() }),
    proveExact: () => world.exactMod.whenAlive(() => host.tell({ kind: 'exact-proved' })),
    planExact({ budget, midTurn }) {
      world.exactMod.plan({ version: 1, note: notes?.exactNote(state()) ?? '', budget, midTurn });
    },
    measureFile: (effect) => host.tellLater(world.toolFiles.measure(effect)),
    storeResult: (effect) => host.tellLater(world.toolFiles.store(effect)),
  });

  if (world.resumed) host.tell(recovery(world.resumed));
  const spent = world.costs?.opening();
  if (spent !== undefined) host.tell(spent);
  world.input.start({
    line: (event, text) => feed({ t: now(), from: 'caller', event, line: text }, { text }),
    end: () => feed({ t: now(), from: 'caller', event: { kind: 'end' } }, {}),
    mayContinue: (resume) => executor.whenWritable(resume),
  });
  host.tell({ kind: 'begin' });

  return {
    interrupt: () => host.tell({ kind: 'interrupt' }),
    kill: claude.kill,
    ended: claude.ended().then((end) => {
      executor.dispose();
      world.exactMod.close();
      world.slots.leave();
      world.input.stop();
      tellAll(notes?.drainInbox() ?? []);
      notes?.close(state());
      world.costs?.close(state());
      return end;
    }),
    state,
  };
}

function settlesLines({ kind }: Action): boolean {
  return kind === 'buffered' || kind === 'deferred';
}

function isAnswered({ kind }: Action): boolean {
  return kind === 'answered';
}

function mayFollowNote({ from, event }: Input): boolean {
  return from === 'caller' || event.kind === 'user' || event.kind === 'result';
}

function recovery({ finished, openTool, answers, document, spent }: ResumedRun): OwnEvent {
  return { kind: 'recovered', finished, openTool, answers, document, spent };
}
