import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { DEFAULTS } from '../../src/config/defaults.ts';
import { initialState } from '../../src/core/governor/initial-state.ts';
import type { Input } from '../../src/core/governor/input.ts';
import { createHost, type GovernorHost } from '../../src/host/governor-host.ts';
import { runForReplay } from '../../src/replay/replay-run.ts';

const start = initialState(runForReplay(DEFAULTS));
const end: Input = { t: 7, from: 'caller', event: { kind: 'end' } };

/** A host, and what it did, in order: `?` before an input is judged, `!` when its actions are carried out. */
function watched(onEnd: (host: GovernorHost<string>) => void) {
  const done: string[] = [];
  const host = createHost<string>(start, {
    now: () => 9,
    onInput: ({ t, event }, extra = '') => done.push(`?${event.kind} ${t}${extra}`),
    carryOut({ input, after }, extra = '') {
      expect(host.state).toBe(after);
      if (input.event.kind === 'end') onEnd(host);
      done.push(`!${input.event.kind}${extra}`);
    },
  });
  return { host, done };
}

it('processes an input, then executes its actions', () => {
  const { host, done } = watched(() => {});
  const { before, after, input } = host.feed(end, ' line');
  expect({ before, input }).toEqual({ before: start, input: end });
  expect(host.state).toBe(after);
  expect(done).toEqual(['?end 7 line', '!end line']);
});

it('feeds tell immediately during actions, and tellLater after all of them', () => {
  const { host, done } = watched((host) => {
    host.tellLater({ kind: 'interrupt' });
    host.tellLater({ kind: 'cost-answer', limitUsd: undefined });
    host.tell({ kind: 'begin' });
  });
  host.feed(end);
  expect(done).toEqual([
    '?end 7',
    '?begin 9',
    '!begin',
    '!end',
    '?interrupt 9',
    '!interrupt',
    '?cost-answer 9',
    '!cost-answer',
  ]);
});

it('keeps its state after a failed action, and feeds queued events with the next input', () => {
  const { host, done } = watched((host) => {
    host.tellLater({ kind: 'interrupt' });
    throw new Error('no');
  });
  expect(() => host.feed(end)).toThrow('no');
  host.tell({ kind: 'begin' });
  expect(done).toEqual(['?end 7', '?begin 9', '!begin', '?interrupt 9', '!interrupt']);
});

it('uses the time of the last input by default', () => {
  const host = createHost(start);
  host.feed(end);
  host.tell({ kind: 'begin' });
  expect(host.state.facts.now).toBe(7);
});

it("is the only caller of the governor's step", () => {
  const source = new URL('../../src/', import.meta.url);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const drivers = files.filter((name) =>
    /from '[./a-z]*governor\/step\.ts'/.test(readFileSync(new URL(name, source), 'utf8')),
  );
  expect(drivers).toEqual(['host/governor-host.ts']);
});
