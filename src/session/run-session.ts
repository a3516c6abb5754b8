import type { Action } from '../governor/actions.ts';
import { initialState } from '../governor/initial-state.ts';
import type { Input, OwnEvent } from '../governor/input.ts';
import type { GovernorState, Run } from '../governor/state.ts';
import { step } from '../governor/step.ts';
import { hookOutput } from '../memory/hand-back/hand-back.ts';
import type { ToolFiles } from '../store/runs/tool-files.ts';
import type { Event } from '../stream/events.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { ChildEnd } from './claude/child.ts';
import { type Succession, seeThrough } from './claude/claude-supervisor.ts';
import type { CostKeeper } from './cost-keeper.ts';
import { type AskNext, type AskPerson, createExecutor, type ExecutorWorld, type WriteHandoff } from './executor.ts';
import type { ResumedRun } from './headless-run.ts';
import type { CallerInput } from './input/prompts.ts';
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
  | 'beforeCompaction'
  | 'hookFailed'
  | 'writeHandoff'
  | 'measureFile'
  | 'storeResult'
  | 'startClaude'
  | 'askPerson'
  | 'askNext';

/** What a session needs of the world; everything with a side effect comes in here. */
export interface SessionWorld extends Omit<ExecutorWorld, Provided>, Succession {
  readonly output: CallerOutput;
  readonly input: CallerInput;
  readonly recorder: Recorder | undefined;
  readonly notes: NoteTaker | undefined;
  readonly costs: CostKeeper | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly resumed: ResumedRun | undefined;
  /** claude's session has an id, or another one; and a log. */
  readonly onSession: (id: string, log: string | undefined) => void;
  /** Resolves with a new limit in US dollars, or with undefined: it is enough. */
  readonly askPerson: (effect: AskPerson) => Promise<number | undefined>;
  /** Resolves with whether the next prompt is to go. */
  readonly askNext: (effect: AskNext) => Promise<boolean>;
  /** Checks and writes the document of a handoff. */
  readonly writeHandoff: (effect: WriteHandoff, state: GovernorState) => OwnEvent;
  readonly toolFiles: ToolFiles;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told after every step, for the status line. */
  readonly onState: (state: GovernorState) => void;
}

/** A session under way. */
export interface Session {
  /** The user pressed Ctrl-C: the turn is to be interrupted, and nothing more sent until he says so. */
  interrupt(): void;
  /** Signals claude, whichever process it is now; no other takes its place any more. */
  kill(signal: NodeJS.Signals): void;
  /** Resolves when claude is gone and everything it wrote has been handed on. */
  readonly ended: Promise<ChildEnd>;
  readonly state: () => GovernorState;
}

/** Runs claude: its lines and the caller's go through the governor, whose actions are carried out. */
export function startSession(run: Run, world: SessionWorld): Session {
  const { now, recorder, notes } = world;
  let state = initialState(run);
  /** What came of actions: it is judged when all of them are carried out. */
  const outcomes: OwnEvent[] = [];

  /** What a command of ctxb has left comes before the line that tells of its end, and before the next prompt. */
  function feed(input: Input, raw?: string, passOn?: () => void): readonly Action[] {
    if (mayFollowNote(input)) tell(notes?.told() ?? []);
    const actions = judge(input, raw, passOn);
    for (let next = outcomes.shift(); next !== undefined; next = outcomes.shift()) tell([next]);
    return actions;
  }

  function tell(events: Iterable<OwnEvent>): void {
    for (const event of events) judge({ t: now(), from: 'ctxb', event });
  }

  const feedOwn = (event: OwnEvent) => feed({ t: now(), from: 'ctxb', event });

  function judge(input: Input, raw?: string, passOn = () => {}): readonly Action[] {
    recorder?.write(input, raw);
    const before = state;
    const next = step(before, input);
    state = next.state;
    world.telemetry?.see({ input, before, after: state, actions: next.actions });
    noteSession(before.session);
    // What was kept back goes before the line, and the line before all that comes of it: killed in that, a run would
    // not have given the answer. Then it is noted as given, as writing notes takes a while.
    carryOut(next.actions, settlesLines);
    passOn();
    carryOut(next.actions, isAnswered);
    // Noted before anything is done about it: what is done may take it out of the context.
    const heard = notes?.heard(input, state);
    carryOut(next.actions, (action) => !settlesLines(action) && !isAnswered(action));
    for (const decision of heard?.decisions ?? []) executor.execute(decision);
    world.onState(state);
    tell(heard?.tell ?? []);
    const costs = world.costs?.settle(state);
    if (costs !== undefined) tell([costs]);
    return next.actions;
  }

  function carryOut(actions: readonly Action[], which: (action: Action) => boolean): void {
    for (const action of actions) if (which(action)) executor.execute(action);
  }

  function noteSession({ id, transcript }: GovernorState['session']): void {
    const { session } = state;
    if (session.id === undefined || (session.id === id && session.transcript === transcript)) return;
    world.onSession(session.id, session.transcript);
  }

  const passOn = createPassOn({
    output: world.output,
    state: () => state,
    onEvent: (event: Event, line: string, pass: () => void) => feed({ t: now(), from: 'claude', event }, line, pass),
  });
  const line = seeThrough(world, { passOn, state: () => state, tell: feedOwn });
  const executor = createExecutor({
    ...world,
    child: line.child,
    startClaude: line.startNext,
    passOn,
    onDecision(decision) {
      recorder?.decided(decision, state.now);
      world.telemetry?.decided(decision, state.now);
      world.onDecision(decision);
    },
    feed: (event) => feed({ t: now(), from: 'timer', event }),
    answer: (hook) => notes?.answer(hook, state) ?? { output: hookOutput(hook, hook.context), decisions: [] },
    beforeCompaction: () => notes?.flush(state),
    hookFailed: (requestId) => void feedOwn({ kind: 'hook-failed', requestId }),
    askPerson: (effect) => void world.askPerson(effect).then((limitUsd) => feedOwn({ kind: 'cost-answer', limitUsd })),
    askNext: (effect) => void world.askNext(effect).then((goesOn) => feedOwn({ kind: 'stop-answer', goesOn })),
    writeHandoff: (effect) => void outcomes.push(world.writeHandoff(effect, state)),
    measureFile: (effect) => void outcomes.push(world.toolFiles.measure(effect)),
    storeResult: (effect) => void outcomes.push(world.toolFiles.store(effect)),
  });

  if (world.resumed) feedOwn(recovery(world.resumed));
  const spent = world.costs?.opening();
  if (spent !== undefined) feedOwn(spent);
  world.input.start({
    line: (event, text) => feed({ t: now(), from: 'caller', event, line: text }, text),
    end: () => feed({ t: now(), from: 'caller', event: { kind: 'end' } }),
    mayContinue: (resume) => executor.whenWritable(resume),
  });
  feedOwn({ kind: 'begin' });

  return {
    interrupt: () => feedOwn({ kind: 'interrupt' }),
    kill: line.kill,
    ended: line.ended().then((end) => {
      executor.dispose();
      world.input.stop();
      tell(notes?.told() ?? []);
      notes?.close(state);
      world.costs?.close(state);
      return end;
    }),
    state: () => state,
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
