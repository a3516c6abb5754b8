import { describe, expect, it } from 'vitest';
import { CALLBACKS } from '../../../src/core/governor/control/hook-callbacks.ts';
import { type Decision, isDecision, nameOf } from '../../../src/core/governor/decisions.ts';
import { initialState } from '../../../src/core/governor/initial-state.ts';
import type { Input, OwnEvent } from '../../../src/core/governor/input.ts';
import { recordRun, toRecord } from '../../../src/core/governor/record.ts';
import type { Run } from '../../../src/core/governor/state.ts';
import { step } from '../../../src/core/governor/step.ts';
import type { Entry } from '../../../src/core/memory/entry.ts';
import { createMemory, type MemoryUpdate } from '../../../src/core/memory/memory.ts';
import type { Page } from '../../../src/core/memory/notebook/notebook.ts';
import { decodeObject } from '../../../src/core/protocol/decode.ts';
import type { ExactReceipt } from '../../../src/core/protocol/exact-plan.ts';
import type { Fields } from '../../../src/core/protocol/fields.ts';
import type { Mask } from '../../../src/core/text/words.ts';
import { createSessionReplay } from '../../../src/replay/session-replay.ts';
import {
  boundaryLine,
  callLine,
  initLine,
  type Line,
  resultLine,
  runWith,
  statusLine,
  userLine,
} from '../../support/governor.ts';
import { asRead } from '../../support/recordings.ts';
import { unmasked } from '../../support/unmasked.ts';

const NOTES: OwnEvent = { kind: 'notes', path: '.context/sessions/s1' };

/** What the mod says of a compaction that it has answered. */
const EXACT: ExactReceipt = {
  version: 1,
  number: 1,
  answered: true,
  ms: 12,
  before: { messages: 40, tokens: 140_000 },
  after: { messages: 5, tokens: 9_000 },
  prompts: { kept: 1, of: 1 },
  whole: [],
  steps: { whole: 2, lines: 9, gone: 0 },
};

/** A run as the shell makes it: governor and memory in turn, everything recorded. */
function live(run: Run = runWith(), mask: Mask = unmasked) {
  let state = initialState(run);
  const memory = createMemory({ run, mask });
  const record = [JSON.stringify(recordRun(run, 0))];
  const decisions: Decision[] = [];
  const contexts: string[] = [];
  let t = 0;

  function feed(input: Input, raw?: string): MemoryUpdate {
    record.push(JSON.stringify(toRecord(input, raw)));
    state = step(state, input);
    const remembered = memory.add(input, state);
    for (const action of state.actions) {
      if (isDecision(action)) decisions.push(action);
      if (action.kind !== 'answer-hook') continue;
      const answered = memory.answer(action, state);
      decisions.push(...answered.decisions);
      contexts.push(JSON.stringify(answered.output));
    }
    decisions.push(...remembered.decisions);
    return remembered;
  }

  return {
    record,
    decisions,
    contexts,
    own: (event: OwnEvent) => feed({ t: ++t, from: 'ctxb', event }),
    claude: (...lines: readonly Line[]) =>
      lines.map((line) => feed({ t: ++t, from: 'claude', event: decodeObject(line) }, JSON.stringify(line))),
    prompt(text: string) {
      const line = userLine(text, { uuid: `prompt-${t}` });
      return feed(
        { t: ++t, from: 'caller', event: decodeObject(line), line: JSON.stringify(line) },
        JSON.stringify(line),
      );
    },
    index: () => memory.index(state, 0),
    toolLog: () => memory.toolLog(),
  };
}

function bash(id: string, text: string, result: string, failed = false): Line[] {
  const use = { type: 'tool_use', id, name: 'Bash', input: { command: text } };
  const message = { id: `m_${id}`, role: 'assistant', model: 'claude-sonnet-4-5', content: [use] };
  return [
    { type: 'assistant', message, parent_tool_use_id: null, session_id: 's1' },
    userLine([{ type: 'tool_result', tool_use_id: id, content: result, is_error: failed }], { session_id: 's1' }),
  ];
}

/** Another tool's call and its result. */
function used(name: string, input: object, result: string, more: Line = {}): Line[] {
  const use = { role: 'assistant', id: 'm_t9', model: 'm', content: [{ type: 'tool_use', id: 't9', name, input }] };
  return [
    { type: 'assistant', message: use, parent_tool_use_id: null, session_id: 's1', ...more },
    userLine([{ type: 'tool_result', tool_use_id: 't9', content: result }], { session_id: 's1', ...more }),
  ];
}

function hook(callback: string, input: Line): Line {
  const request = { subtype: 'hook_callback', callback_id: callback, input };
  return { type: 'control_request', request_id: `ask-${callback}-${JSON.stringify(input).length}`, request };
}

function numbers(pages: readonly Page[], file: string): string[] {
  return pages.filter((page) => page.file === file).flatMap(({ text }) => /^## (#\d+)/m.exec(text)?.[1] ?? []);
}

describe('memory', () => {
  it('processes inputs that arrived before the notes, in order', () => {
    const run = live();
    run.own({ kind: 'begin' });
    expect(run.prompt('Mend the clock.')).toMatchObject({ entries: [], pages: [] });
    expect(
      run
        .claude(initLine(), ...bash('toolu_1', 'make', 'Exit code 2\nError: no', true))
        .flatMap(({ entries }) => entries),
    ).toStrictEqual([]);
    const { entries, pages } = run.own(NOTES);
    expect(entries.map(({ kind }) => kind)).toStrictEqual(['prompt', 'tool']);
    expect(numbers(pages, 'human-input.md')).toStrictEqual(['#1']);
    expect(run.own(NOTES).entries).toStrictEqual([]);
  });

  it('records a waiting prompt when claude receives it, not before', () => {
    const run = live();
    run.own({ kind: 'begin' });
    run.own(NOTES);
    const prompts = ['Mend the clock.', 'Then the bell.', 'And never the door.'];
    const noted = (all: readonly MemoryUpdate[]) =>
      all.flatMap(({ entries }) => entries.flatMap((entry) => (entry.kind === 'prompt' ? [entry.text] : [])));
    expect(noted(prompts.map((text) => run.prompt(text)))).toStrictEqual(['Mend the clock.']);
    expect(run.index()).not.toContain('bell');
    expect(noted(run.claude(initLine(), callLine(9_000), resultLine()))).toStrictEqual(['Then the bell.']);
    expect(run.index()).not.toContain('door');
    expect(noted(run.claude(callLine(9_000), resultLine()))).toStrictEqual(['And never the door.']);
  });

  it('continues the numbers of an earlier run, and does not log its entries again', () => {
    const first = live();
    first.own(NOTES);
    const old = [first.prompt('Mend the clock.'), ...first.claude(...bash('toolu_1', 'make', 'ok'))];
    const again = live();
    again.prompt('And the bell.');
    for (const entry of old.flatMap(({ entries }) => entries)) {
      const earlier: Fields = JSON.parse(JSON.stringify(entry));
      expect(again.own({ kind: 'earlier', entry: earlier }).entries).toStrictEqual([]);
    }
    expect(numbers(again.own(NOTES).pages, 'human-input.md')).toStrictEqual(['#2']);
    expect(
      numbers(
        again.claude(...bash('toolu_2', 'ls', 'a')).flatMap(({ pages }) => pages),
        'commands.md',
      ),
    ).toStrictEqual(['#2']);
    expect(again.toolLog()?.split('\n').slice(2)).toStrictEqual([
      expect.stringMatching(/^2 tool calls in 2 entries,/),
      expect.stringContaining('in backticks'),
      '',
      expect.stringMatching(/^- .* · Bash `make` exit 0 — `ok` · toolu_1$/),
      expect.stringMatching(/^- .* · Bash `ls` exit 0 — `a` · toolu_2$/),
      '',
    ]);
    expect(again.index()).toContain('Task: Mend the clock.');
  });

  it('creates the same pages from an earlier entry', () => {
    const first = live();
    first.own(NOTES);
    const lines = [
      ...bash('toolu_1', 'make', 'Exit code 2\nError: no', true),
      ...bash('toolu_2', 'make', 'Exit code 2\nError: no', true),
    ];
    const old = [first.prompt('Mend it.'), ...first.claude(...lines)];
    const again = live();
    const pages = old
      .flatMap(({ entries }) => entries)
      .flatMap(
        (entry: Entry) => again.own({ kind: 'earlier', entry: JSON.parse(JSON.stringify(entry)) as Fields }).pages,
      );
    expect(pages).toStrictEqual(old.flatMap((remembered) => remembered.pages));
    expect(again.decisions.filter(({ kind }) => kind === 'dead-end')).toStrictEqual([]);
  });

  it.each([
    { name: 'a prompt', lines: [userLine('It is hunter2.')] },
    { name: 'a command', lines: bash('t1', 'login hunter2', 'Exit code 1\nError: hunter2 is wrong', true) },
    { name: 'a path', lines: used('Write', { file_path: '/w/hunter2.txt' }, 'File created successfully') },
    { name: 'a path that is read', lines: used('Read', { file_path: '/w/hunter2.txt' }, 'x') },
    { name: 'a path in a command', lines: bash('t1', 'rm hunter2.txt', '') },
    { name: 'a path that is taken back', lines: bash('t1', 'git checkout -- hunter2.txt', '') },
    { name: 'an item of a list', lines: used('TodoWrite', { todos: [{ content: 'Try hunter2', status: 'x' }] }, 'ok') },
    { name: 'a task', lines: used('TaskCreate', { subject: 'Try hunter2' }, 'Task #1 created successfully: Try') },
    { name: 'a subagent', lines: used('Bash', { command: 'ls' }, 'x', { parent_tool_use_id: 'hunter2' }) },
  ])('masks $name before it becomes an entry', ({ lines }) => {
    const run = live(runWith(), (text) => unmasked(text).replaceAll('hunter2', '***'));
    run.own(NOTES);
    const noted = run.claude(...lines).map(({ entries, pages }) => ({ entries, pages }));
    expect(noted.flatMap(({ entries }) => entries).length).toBeGreaterThan(0);
    expect(JSON.stringify([noted, run.decisions])).not.toContain('hunter2');
    expect(run.index()).not.toContain('hunter2');
    expect(run.toolLog() ?? '').not.toContain('hunter2');
  });

  it.each<{ name: string; told: OwnEvent[] }>([
    { name: 'a state', told: [{ kind: 'state', to: 'hunter2' }] },
    {
      name: 'the state before',
      told: [
        { kind: 'state', to: 'hunter2' },
        { kind: 'state', to: 'done' },
      ],
    },
    { name: 'a dead end', told: [{ kind: 'dead-end', text: 'hunter2' }] },
  ])('masks $name in a report before it becomes an entry', ({ told }) => {
    const run = live(runWith(), (text) => unmasked(text).replaceAll('hunter2', '***'));
    run.own(NOTES);
    const noted = told.flatMap((event) => run.own(event));
    expect(noted.flatMap(({ entries }) => entries).length).toBeGreaterThan(0);
    expect(JSON.stringify([noted, run.decisions])).not.toContain('hunter2');
    expect(run.index()).not.toContain('hunter2');
  });

  it('records reports on the state of the work and on dead ends', () => {
    const run = live();
    run.own(NOTES);
    run.prompt('Mend the clock.');
    run.own({ kind: 'state', to: 'testing' });
    run.own({ kind: 'dead-end', text: 'oil does not help' });
    expect(run.decisions.filter(({ kind }) => kind === 'dead-end')).toMatchObject([
      { text: expect.stringContaining('oil does not help') },
    ]);
    expect(run.index()).toContain('State: testing');
    run.own({ kind: 'state', to: 'done' });
    expect(run.index()).toContain('State: done');
  });

  it('answers a hook without notes until they are loaded', () => {
    const run = live();
    run.prompt('Mend the clock.');
    run.claude(initLine(), ...bash('toolu_1', 'make', 'ok'), hook(CALLBACKS.SessionStart, { source: 'compact' }));
    expect(run.contexts.join()).not.toContain('scratch.md');
  });

  it('counts a summary once if both a hook and its line contain it, in a run that only observes', () => {
    const run = live(runWith({ mode: 'observe' }));
    run.own(NOTES);
    run.prompt('Mend the clock.');
    run.claude(initLine(), ...bash('toolu_1', 'make', 'ok'));
    for (const summary of ['We ran make.', 'We ran it again.']) {
      run.claude(hook('theirs', { compact_summary: summary }), boundaryLine('auto', 90_000));
      run.claude(
        userLine(`This session is being continued from a previous conversation.\n${summary}`),
        callLine(30_000),
      );
    }
    expect(run.decisions.filter(({ kind }) => kind === 'receipt')).toMatchObject([
      { kept: { commands: 0 }, gone: [{ text: 'Mend the clock.' }, { text: 'make' }] },
      { kept: { commands: 0 } },
    ]);
  });

  it("keeps no receipt if the compaction fails after the mod's answer", () => {
    const run = live();
    run.own(NOTES);
    run.prompt('Mend the clock.');
    run.claude(initLine(), ...bash('toolu_1', 'make', 'ok'));
    run.own({ kind: 'exact-receipt', receipt: EXACT, kept: ['Mend the clock.'] });
    run.claude(statusLine({ compact_result: 'failed', compact_error: 'ENOSPC: no space left on device, write' }));
    run.claude(callLine(90_000));
    expect(run.decisions.filter(({ kind }) => kind === 'receipt')).toEqual([]);
  });

  it('makes the same decisions from a record of the run', () => {
    const run = live();
    run.own({ kind: 'begin' });
    run.prompt('Mend the clock.');
    run.claude(initLine(), callLine(40_000), ...bash('toolu_1', 'make', 'Exit code 2\nError: no', true));
    run.own(NOTES);
    run.claude(callLine(60_000), ...bash('toolu_2', 'make', 'Exit code 2\nError: no', true));
    run.claude(callLine(90_000), ...bash('toolu_3', 'make', 'Exit code 2\nError: no', true), resultLine());
    for (const trigger of ['auto', 'manual'] as const) {
      run.prompt(`Then ${trigger}.`);
      run.claude(hook(CALLBACKS.PreCompact, { trigger }), hook(CALLBACKS.SessionStart, { source: 'compact' }));
      run.claude(
        hook(CALLBACKS.PostCompact, { trigger, compact_summary: 'We ran make.' }),
        boundaryLine(trigger, 90_000),
      );
      run.claude(
        userLine('This session is being continued from a previous conversation.\nWe ran make.', { isSynthetic: true }),
      );
      run.claude(hook(CALLBACKS.UserPromptSubmit, { prompt: 'Go on.' }), callLine(30_000), resultLine());
    }
    const kinds = run.decisions.map(nameOf);
    expect(kinds).toEqual(expect.arrayContaining(['dead-end', 'recall', 'receipt']));
    expect(kinds.filter((kind) => kind === 'receipt')).toHaveLength(2);
    const replay = createSessionReplay({ run: runWith(), series: false, mask: unmasked });
    for (const line of run.record) replay.line(asRead(line));
    expect(byKind(replay.summary('record').actions)).toStrictEqual(byKind(run.decisions));
  });
});

/** What is decided about one input comes in an order of the reader's own. */
function byKind(decisions: readonly Decision[]): string[] {
  return decisions.map((decision) => JSON.stringify(decision)).sort();
}
