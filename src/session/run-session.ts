import type { Action } from '../governor/actions.ts';
import type { Input, OwnEvent } from '../governor/input.ts';
import { type GovernorState, initialState, type Run } from '../governor/state.ts';
import { step } from '../governor/step.ts';
import { hookOutput } from '../memory/hand-back/hand-back.ts';
import type { Event } from '../stream/events.ts';
import type { Child, ChildEnd } from './child.ts';
import { createExecutor, type ExecutorWorld } from './executor.ts';
import type { NoteTaker } from './note-taker.ts';
import type { CallerOutput } from './output.ts';
import { createPassOn } from './pass-on.ts';
import type { CallerInput } from './prompts.ts';
import type { Recorder } from './recorder.ts';

/** What a session needs of the world; everything with a side effect comes in here. */
export interface SessionWorld extends Omit<ExecutorWorld, 'child' | 'feed' | 'passOn' | 'answer' | 'beforeCompaction'> {
  readonly child: Child;
  readonly output: CallerOutput;
  readonly input: CallerInput;
  readonly recorder: Recorder | undefined;
  readonly notes: NoteTaker | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told after every step, for the status line. */
  readonly onState: (state: GovernorState) => void;
}

/** A session under way. */
export interface Session {
  /** The user pressed Ctrl-C: the turn is to be interrupted and nothing more sent. */
  interrupt(): void;
  /** Resolves when claude is gone and everything it wrote has been handed on. */
  readonly ended: Promise<ChildEnd>;
  readonly state: () => GovernorState;
}

/** Runs one claude: its lines and the caller's go through the governor, whose actions are carried out. */
export function startSession(run: Run, world: SessionWorld): Session {
  const { child, now, recorder, notes } = world;
  let state = initialState(run);

  /** What a command of ctxb has left comes before the line that tells of its end, and before the next prompt. */
  function feed(input: Input, raw?: string): readonly Action[] {
    if (mayFollowNote(input)) tell(notes?.told() ?? []);
    return judge(input, raw);
  }

  function tell(events: Iterable<OwnEvent>): void {
    for (const event of events) judge({ t: now(), from: 'ctxb', event });
  }

  function judge(input: Input, raw?: string): readonly Action[] {
    recorder?.write(input, raw);
    const next = step(state, input);
    state = next.state;
    // Noted before anything is done about it: what is done may take it out of the context.
    const heard = notes?.heard(input, state);
    for (const action of next.actions) executor.execute(action);
    for (const decision of heard?.decisions ?? []) executor.execute(decision);
    world.onState(state);
    tell(heard?.tell ?? []);
    return next.actions;
  }

  const passOn = createPassOn({
    output: world.output,
    state: () => state,
    onEvent: (event: Event, line: string) => feed({ t: now(), from: 'claude', event }, line),
  });
  const executor = createExecutor({
    ...world,
    passOn,
    feed: (event) => feed({ t: now(), from: 'timer', event }),
    answer: (hook) => notes?.answer(hook, state) ?? { output: hookOutput(hook, hook.context), decisions: [] },
    beforeCompaction: () => notes?.flush(state),
  });

  world.input.start({
    line: (event, line) => feed({ t: now(), from: 'caller', event, line }, line),
    end: () => feed({ t: now(), from: 'caller', event: { kind: 'end' } }),
    mayContinue: (resume) => executor.whenWritable(resume),
  });
  feed({ t: now(), from: 'ctxb', event: { kind: 'begin' } });

  return {
    interrupt: () => feed({ t: now(), from: 'ctxb', event: { kind: 'interrupt' } }),
    ended: passOn.read(child.stdout).then(async () => {
      const end = await child.ended;
      executor.dispose();
      world.input.stop();
      tell(notes?.told() ?? []);
      notes?.close(state);
      return end;
    }),
    state: () => state,
  };
}

function mayFollowNote({ from, event }: Input): boolean {
  return from === 'caller' || event.kind === 'user' || event.kind === 'result';
}
