import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Child, ChildEnd } from '../../src/claude/child.ts';
import type { LoggedState } from '../../src/claude/claude-log.ts';
import type { OwnEvent } from '../../src/core/governor/input.ts';
import type { GovernorState } from '../../src/core/governor/state.ts';
import { changedIn } from '../../src/core/governor/steps.ts';
import { type Supervisor, type SupervisorDependencies, supervise } from '../../src/run/claude-supervisor.ts';
import type { StartClaude } from '../../src/run/executor.ts';
import { drive } from '../support/governor.ts';

const KILLED: ChildEnd = { code: undefined, signal: 'SIGKILL' };
const LOGGED: LoggedState = { logged: true, delivered: ['u'], finished: true, openTool: undefined };
const AT_ONCE: StartClaude = { kind: 'start-claude', resume: 's1', isFirst: false, folder: undefined, afterMs: 0 };

interface FakeChild extends Child {
  readonly killed: string[];
  readonly end: (end: ChildEnd) => void;
}

function pending<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function fakeChild(pid: number): FakeChild {
  const { promise: ended, resolve: end } = pending<ChildEnd>();
  const killed: string[] = [];
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  return { pid, ...streams, ended, killed, kill: (signal) => void killed.push(signal), end };
}

/** A line of processes; `onExit` says what is done about an end, before anything else happens. */
function lineOf(
  more: Partial<SupervisorDependencies> = {},
  onExit: (line: Supervisor, count: number) => void = () => {},
) {
  const first = fakeChild(1);
  const children = [first];
  const events: OwnEvent[] = [];
  const faults: string[] = [];
  const resumed: (string | undefined)[] = [];
  let state: GovernorState = drive().state;
  let exits = 0;
  const line = supervise(
    {
      child: first,
      startNext({ resume }) {
        resumed.push(resume);
        const next = fakeChild(children.length + 1);
        children.push(next);
        return Promise.resolve(next);
      },
      readLog: () => LOGGED,
      onFault: (message) => void faults.push(message),
      ...more,
    },
    {
      passOn: { read: () => Promise.resolve(), settle: () => {} },
      state: () => state,
      tell(event) {
        events.push(event);
        if (event.kind === 'exit') onExit(line, ++exits);
        // Each process ends as soon as it has begun.
        if (event.kind === 'begin') children.at(-1)?.end({ code: 0, signal: undefined });
      },
    },
  );
  const close = () => {
    state = changedIn(state, 'mailbox', { input: 'closed' });
  };
  return { line, first, children, events, faults, resumed, close };
}

describe('a process ends', () => {
  it('and the run ends without a successor', async () => {
    const { line, first, events } = lineOf();
    first.end(KILLED);
    expect(await line.ended()).toEqual(KILLED);
    expect(events).toEqual([{ kind: 'exit', ...KILLED, ...LOGGED }]);
  });

  it('and a successor resumes the named session', async () => {
    const { line, first, children, events, resumed } = lineOf({}, (of, count) => {
      if (count === 1) of.startNext(AT_ONCE);
    });
    first.end(KILLED);
    expect(await line.ended()).toEqual({ code: 0, signal: undefined });
    expect(events.map(({ kind }) => kind)).toEqual(['exit', 'begin', 'exit']);
    expect(resumed).toEqual(['s1']);
    expect(line.child()).toBe(children[1]);
  });

  it('and is reported once all its output was passed on', async () => {
    const order: string[] = [];
    const first = fakeChild(1);
    const { promise, resolve } = pending<void>();
    const line = supervise(
      { child: first, startNext: () => Promise.reject(), readLog: () => LOGGED, onFault: () => {} },
      {
        passOn: { read: () => promise.then(() => void order.push('read')), settle: () => {} },
        state: () => drive().state,
        tell: ({ kind }) => void order.push(kind),
      },
    );
    first.end(KILLED);
    const ended = line.ended();
    resolve();
    await ended;
    expect(order).toEqual(['read', 'exit']);
  });

  it('with an unreadable log: that is reported, and nothing counts as delivered', async () => {
    const { line, first, events, faults } = lineOf({
      readLog() {
        throw new Error('EACCES');
      },
    });
    first.end(KILLED);
    await line.ended();
    expect(faults).toEqual(['EACCES']);
    expect(events).toMatchObject([{ kind: 'exit', logged: true, delivered: [], finished: false }]);
  });
});

describe('a process that cannot be started', () => {
  it('counts as crashed, and the next one is tried', async () => {
    let tries = 0;
    const { line, first, events, faults } = lineOf(
      {
        startNext() {
          tries++;
          return Promise.reject(new Error('no memory'));
        },
      },
      (of, count) => {
        if (count <= 2) of.startNext(AT_ONCE);
      },
    );
    first.end(KILLED);
    expect(await line.ended()).toEqual(KILLED);
    expect(tries).toBe(2);
    expect(faults).toEqual(['no memory', 'no memory']);
    expect(events).toMatchObject([{ signal: 'SIGKILL' }, { code: 127 }, { code: 127 }]);
  });
});

describe('no successor starts', () => {
  it('if the run was stopped while it waited', async () => {
    const { line, first, events, resumed } = lineOf({}, (of, count) => {
      if (count > 1) return;
      of.startNext({ ...AT_ONCE, afterMs: 3_600_000 });
      queueMicrotask(() => of.kill('SIGTERM'));
    });
    first.end(KILLED);
    expect(await line.ended()).toEqual(KILLED);
    expect(events).toMatchObject([{ signal: 'SIGKILL' }, { kind: 'exit', signal: 'SIGTERM', delivered: [] }]);
    expect(resumed).toEqual([]);
    expect(first.killed).toEqual(['SIGTERM']);
  });

  it('if the input has ended', async () => {
    const world = lineOf({}, (of) => {
      of.startNext(AT_ONCE);
      world.close();
    });
    world.first.end(KILLED);
    await world.line.ended();
    expect(world.resumed).toEqual([]);
  });
});

it('a signal during the start of a process reaches that process', async () => {
  const next = fakeChild(2);
  const { line, first } = lineOf(
    {
      startNext() {
        line.kill('SIGTERM');
        next.end({ code: 143, signal: undefined });
        return Promise.resolve(next);
      },
    },
    (of, count) => {
      if (count === 1) of.startNext(AT_ONCE);
    },
  );
  first.end(KILLED);
  await line.ended();
  expect(next.killed).toEqual(['SIGTERM']);
});
