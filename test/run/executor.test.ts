import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Action } from '../../src/core/governor/decisions.ts';
import { type HookName, hookOutput } from '../../src/core/governor/effects.ts';
import { createExecutor, type ExecutorDependencies } from '../../src/run/executor.ts';

/** A world that notes what is done to it, in order. */
function noting(more: Partial<ExecutorDependencies> = {}) {
  const notes: unknown[] = [];
  const stdin = new PassThrough();
  // As with every child: its end tells of it.
  stdin.on('error', () => {});
  const note = (what: string) => (value?: unknown) => void notes.push(value === undefined ? what : { [what]: value });
  const executor = createExecutor({
    child: () => ({
      pid: 1,
      stdin,
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      ended: new Promise(() => {}),
      kill: note('kill'),
    }),
    passOn: { read: () => Promise.resolve(), settle: (which, fate) => void notes.push({ [which]: fate }) },
    store: {
      isWhole: () => true,
      journal: note('journal'),
      health: note('health'),
      run: note('run'),
      forgetRun: note('forget'),
      mailbox: note('mailbox'),
      keep: (path, text) => void notes.push({ keep: [path, text] }),
    },
    feed: note('feed'),
    onDecision: note('decision'),
    output: { promptSent: note('prompt'), whenGiven: (callback) => callback(), isBlocked: false },
    onFault: note('fault'),
    answer: (hook) => ({ output: hookOutput(hook, hook.context), decisions: [] }),
    flushNotes: note('flush'),
    hookFailed: note('hook failed'),
    others: {
      'arm-exact': note('arm'),
      'prove-exact': note('prove'),
      'plan-exact': note('plan'),
      'write-handoff': note('handoff'),
      'measure-file': note('measure'),
      'store-result': note('store'),
      'start-claude': note('start'),
      relay: note('relay'),
      reply: note('reply'),
      'ask-person': note('ask'),
      'answer-asker': note('answer'),
    },
    ...more,
  });
  const sent = () => String(stdin.read() ?? '');
  return { executor, notes, stdin, sent };
}

const GAUGE = { used: 1, predicted: 1, window: 10, windowSource: 'user', fraction: 0.1, basis: 'measured' } as const;
const WARN: Action = { kind: 'warn', at: { turn: 0, call: 1 }, reason: 'full', gauge: GAUGE };

interface EffectCase {
  readonly title: string;
  readonly action: Action;
  readonly notes: readonly unknown[];
  readonly sent?: string;
}

const CASES: readonly EffectCase[] = [
  {
    title: 'a decision goes to the journal, then to the person',
    action: WARN,
    notes: [{ journal: WARN }, { decision: WARN }],
  },
  { title: 'a line goes to claude', action: { kind: 'send', line: '{"a":1}' }, notes: [], sent: '{"a":1}\n' },
  {
    title: 'a prompt goes to claude, and its delivery is noted',
    action: { kind: 'send', line: 'x', promptUuid: 'u' },
    notes: [{ run: { prompts: [{ uuid: 'u', line: 'x', fate: 'sent' }] } }, 'prompt', { mailbox: { delivered: 'u' } }],
    sent: 'x\n',
  },
  {
    title: 'a held prompt goes to disk and not to claude',
    action: { kind: 'hold', uuid: 'u', line: 'x' },
    notes: [{ run: { prompts: [{ uuid: 'u', line: 'x', fate: 'waiting' }] } }, { mailbox: { held: 'u', line: 'x' } }],
    sent: '',
  },
  { title: 'a text is kept', action: { kind: 'keep', file: 'f', texts: ['t'] }, notes: [{ keep: ['f', ['t']] }] },
  { title: 'buffered lines are settled', action: { kind: 'buffered', fate: 'show' }, notes: [{ buffered: 'show' }] },
];

describe('an action is executed', () => {
  it.each(CASES)('$title', ({ action, notes: expected, sent: line = '' }) => {
    const { executor, notes, sent } = noting();
    executor.execute(action);
    expect(notes).toEqual(expected);
    expect(sent()).toBe(line);
  });

  it('the end of the input closes stdin, and later lines are dropped', () => {
    const { executor, stdin, sent } = noting();
    executor.execute({ kind: 'end-input' });
    expect(stdin.writableEnded).toBe(true);
    executor.execute({ kind: 'send', line: 'late' });
    expect(sent()).toBe('');
  });

  it('a claude that has exited does not end the run', () => {
    const { executor, stdin } = noting();
    stdin.destroy(new Error('write EPIPE'));
    expect(() => executor.execute({ kind: 'send', line: 'x' })).not.toThrow();
  });
});

describe('a hook', () => {
  it.each<{ name: string; hook: HookName; recall?: true; flushed: boolean }>([
    { name: 'before the context is replaced', hook: 'PreCompact', flushed: true },
    { name: 'before the context that has replaced it begins', hook: 'SessionStart', recall: true, flushed: true },
    { name: 'not before another begins', hook: 'SessionStart', flushed: false },
    { name: 'not before a tool', hook: 'PreToolUse', flushed: false },
  ])('notes are on disk $name', ({ name: _, flushed, ...hook }) => {
    const { executor, notes } = noting();
    executor.execute({ kind: 'answer-hook', requestId: 'r', output: {}, ...hook });
    expect(notes.includes('flush')).toBe(flushed);
  });

  it('is answered immediately, after beforeHook', () => {
    const order: string[] = [];
    const { executor, sent } = noting({ beforeHook: (hook) => void order.push(hook) });
    executor.execute({ kind: 'answer-hook', requestId: 'r', hook: 'PreCompact', output: { a: 1 } });
    expect(JSON.parse(sent())).toEqual({
      type: 'control_response',
      response: { subtype: 'success', request_id: 'r', response: { a: 1 } },
    });
    expect(order).toEqual(['PreCompact']);
  });

  it.each([
    { title: 'an error', thrown: new Error('disk full'), message: 'disk full' },
    { title: 'something that is none', thrown: 'odd', message: 'odd' },
  ])('whose beforeHook throws $title is answered with an error, once, and that is reported', ({ thrown, message }) => {
    const { executor, sent, notes } = noting({
      beforeHook: () => {
        throw thrown;
      },
    });
    executor.execute({ kind: 'answer-hook', requestId: 'r', hook: 'UserPromptSubmit', output: {} });
    expect(JSON.parse(sent())).toEqual({
      type: 'control_response',
      response: { subtype: 'error', request_id: 'r', error: `ctxb: ${message}` },
    });
    const fault = { fault: `hook UserPromptSubmit: ${message}; claude continues without it` };
    expect(notes).toEqual([fault, { 'hook failed': 'r' }]);
  });
});

describe('timers', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('feed their timeout once', () => {
    const { executor, notes } = noting();
    executor.execute({ kind: 'set-timer', timer: 'operation', afterMs: 100 });
    vi.advanceTimersByTime(99);
    expect(notes).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(notes).toEqual([{ feed: { kind: 'timeout', timer: 'operation' } }]);
  });

  it('restart when they are set again', () => {
    const { executor, notes } = noting();
    executor.execute({ kind: 'set-timer', timer: 'operation', afterMs: 100 });
    vi.advanceTimersByTime(80);
    executor.execute({ kind: 'set-timer', timer: 'operation', afterMs: 100 });
    vi.advanceTimersByTime(80);
    expect(notes).toEqual([]);
    vi.advanceTimersByTime(20);
    expect(notes).toHaveLength(1);
  });

  it.each([{ afterMs: 1_000 }, { afterMs: 0 }])(
    'do not run out while claude is not read, as the caller takes nothing ($afterMs ms)',
    ({ afterMs }) => {
      const output = { promptSent() {}, whenGiven: (callback: () => void) => callback(), isBlocked: true };
      const { executor, notes } = noting({ output });
      executor.execute({ kind: 'set-timer', timer: 'stall', afterMs });
      vi.advanceTimersByTime(10_000);
      expect(notes).toEqual([]);
      output.isBlocked = false;
      vi.advanceTimersByTime(1_000);
      expect(notes).toEqual([{ feed: { kind: 'timeout', timer: 'stall' } }]);
      executor.execute({ kind: 'set-timer', timer: 'stall', afterMs });
      output.isBlocked = true;
      vi.advanceTimersByTime(10_000);
      executor.dispose();
      expect(vi.getTimerCount()).toBe(0);
    },
  );

  it('are cleared one by one, and all by dispose', () => {
    const { executor, notes } = noting();
    executor.execute({ kind: 'set-timer', timer: 'operation', afterMs: 100 });
    executor.execute({ kind: 'set-timer', timer: 'context', afterMs: 100 });
    executor.execute({ kind: 'set-timer', timer: 'background', afterMs: 200 });
    executor.execute({ kind: 'clear-timer', timer: 'operation' });
    vi.advanceTimersByTime(100);
    expect(notes).toEqual([{ feed: { kind: 'timeout', timer: 'context' } }]);
    executor.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('the caller is slowed down', () => {
  it('not while claude accepts input', () => {
    const { executor } = noting();
    let called = false;
    executor.whenWritable(() => {
      called = true;
    });
    expect(called).toBe(true);
  });

  it('until claude has read', async () => {
    const { executor, stdin } = noting();
    executor.execute({ kind: 'send', line: 'x'.repeat(1_000_000) });
    let called = false;
    const resumed = new Promise<void>((resolve) =>
      executor.whenWritable(() => {
        called = true;
        resolve();
      }),
    );
    expect(called).toBe(false);
    stdin.resume();
    await resumed;
  });
});
