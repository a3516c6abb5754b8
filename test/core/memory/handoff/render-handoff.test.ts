import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../../../src/core/governor/relief/handoff-request.ts';
import type { Entry } from '../../../../src/core/memory/entry.ts';
import { checkHandoff, parseHandoff } from '../../../../src/core/memory/handoff/check-handoff.ts';
import {
  type HandoffFacts,
  RENDERED_LIMIT,
  renderHandoff,
} from '../../../../src/core/memory/handoff/render-handoff.ts';
import { createNotebook } from '../../../../src/core/memory/notebook/notebook.ts';
import { command, edit, entriesIn, randomEntries, randomTexts } from '../../../support/notes.ts';
import { TRANSCRIPTS } from '../../../support/recordings.ts';

const FACTS: HandoffFacts = {
  session: 's1',
  task: undefined,
  state: undefined,
  running: [],
  folder: '.context/sessions/s1',
  t: 0,
};

function handoffOf(entries: readonly Entry[], facts: Partial<HandoffFacts> = {}): string {
  const notebook = createNotebook();
  for (const entry of entries) notebook.add(entry);
  return renderHandoff(notebook, { ...FACTS, state: notebook.state, ...facts });
}

function section(text: string, name: (typeof HANDOFF_SECTIONS)[number]): string {
  return parseHandoff(text).sections.get(name) ?? '';
}

function task(id: string, status: string): Entry {
  return { kind: 'task', t: 1, agent: null, id, subject: `task ${id}`, status };
}

const PROMPT: Entry = { kind: 'prompt', t: 0, text: 'Mend the clock.\n\n## Done\nnothing', pictures: 0 };

describe('the mechanical handoff', () => {
  it('has every section and states what is unknown, without notes', () => {
    const text = handoffOf([]);
    expect(checkHandoff(text, { exists: () => false, outcomeOf: () => 'failed' })).toStrictEqual([]);
    expect(text).toMatch(/^# Handoff of session s1\nFrom ctxb's notes [^\n]*, not in the agent's words\./);
    expect(text).toContain('All notes: .context/sessions/s1/scratch.md');
    expect(section(text, 'Decisions and why')).toMatch(/^Not known: /);
    for (const name of HANDOFF_SECTIONS) expect(section(text, name)).toMatch(/Not known|ctxb's notes|were noted/);
  });

  it('names the last state, but no waiting prompt', () => {
    const state: Entry = { kind: 'state', t: 1, what: 'state', from: 'read', to: 'half' };
    const said = (text: string): Entry => ({ kind: 'prompt', t: 0, text, pictures: 0 });
    const text = handoffOf([said('one'), said('two'), state]);
    expect(section(text, 'Goal')).toContain('`two`');
    expect(section(text, 'In progress')).toContain('`half`');
  });

  it('quotes the task, the first prompt and running prompts verbatim', () => {
    const text = handoffOf([PROMPT, task('1', 'in_progress'), task('2', 'pending'), task('3', 'completed')], {
      task: 'clock',
      state: 'tests next',
      running: ['run\n## Goal\nthem'],
    });
    expect(section(text, 'Goal')).toContain('```text\nclock\n```');
    expect(section(text, 'Goal')).toContain('```text\nMend the clock.\n\n## Done\nnothing\n```');
    expect(section(text, 'In progress')).toContain('`tests next`');
    expect(section(text, 'In progress')).toContain('```text\nrun\n## Goal\nthem\n```');
    expect(section(text, 'In progress')).toContain('- `task 1`');
    expect(section(text, 'Next steps')).toContain('- `task 2`');
    expect(section(text, 'Done')).toContain('- `task 3`');
  });

  it('lists files and commands so that they can be checked', () => {
    const all = [edit('src/a.ts'), command('npm test', 0), command('make', 2), command('ls -la', 0)];
    const { files, commands } = parseHandoff(handoffOf(all));
    expect(files).toStrictEqual(['src/a.ts']);
    expect(commands).toStrictEqual([
      { text: 'make', passed: false },
      { text: 'npm test', passed: true },
    ]);
  });

  it('names each detail file only if it exists', () => {
    expect(handoffOf([command('make', 2)])).toContain('\nMore: commands.md\n');
    const text = handoffOf([command('make', 2)], { folder: '' });
    expect(text).not.toMatch(/\.md/);
  });

  it('marks a long command as shown in part', () => {
    const [first] = parseHandoff(handoffOf([command(`make ${'x'.repeat(400)}`, 0)])).commands;
    expect(first?.text.length).toBe(240);
    expect(handoffOf([command(`make ${'x'.repeat(400)}`, 0)])).toContain('(exit 0), shown in part');
  });

  it('names files that were only read', () => {
    const { command: _, ...call } = command('x', 0);
    expect(section(handoffOf([{ ...call, name: 'Read', reads: 'a.ts' }]), 'Files')).toContain('\n- `a.ts` read');
  });

  it('keeps the newest items', () => {
    const all = Array.from({ length: 500 }, (_, n) => [edit(`src/${n}.ts`), command(`make ${n}`, n % 2)]).flat();
    const text = handoffOf(all);
    expect(section(text, 'Files')).toContain('`src/499.ts`');
    expect(section(text, 'Commands to verify')).toContain('`make 499` — failed');
    expect(text).not.toContain('`src/1.ts`');
  });
});

describe('for any texts', () => {
  it.each([61, 62, 63, 64].map((seed) => ({ seed })))(
    'is bounded and has only its own headings (seed $seed)',
    ({ seed }) => {
      const [session = '', goal = '', state = '', folder = ''] = randomTexts(seed, 4).map((text) => text.repeat(300));
      const running = randomTexts(seed + 10, 5).map((text) => text.repeat(200));
      const text = handoffOf(randomEntries(seed, 2_000), { session, task: goal, state, folder, running });
      expect(text.length).toBeLessThanOrEqual(RENDERED_LIMIT);
      expect([...parseHandoff(text).sections.keys()]).toStrictEqual([...HANDOFF_SECTIONS]);
    },
  );

  it.each(['`', '~', '\n', '\u{1d11e}', '<', '\u0000'])('is bounded for a text of %j only', (piece) => {
    const long = piece.repeat(50_000);
    const facts = {
      session: long,
      task: long,
      state: long,
      running: [long, long, long, long],
    };
    const text = handoffOf([{ ...PROMPT, text: `${long}.` }, command(long, 1), edit(long)], { ...facts, folder: long });
    expect(text.length).toBeLessThanOrEqual(RENDERED_LIMIT);
    expect(text.isWellFormed()).toBe(true);
    expect([...parseHandoff(text).sections.keys()]).toStrictEqual([...HANDOFF_SECTIONS]);
  });
});

it('names the first prompt as the goal; a command counts only after a tool call', () => {
  const said = (text: string): Entry => ({ kind: 'prompt', t: 0, text, pictures: 0 });
  const changed: Entry = { kind: 'state', t: 0, what: 'compaction', to: 'manual at 9 tokens' };
  const goalOf = (...entries: Entry[]) => section(handoffOf(entries), 'Goal').split('\n')[2];
  expect(goalOf(said('/cost'), said('/fix 42'), command('ls', 0), said('Now the docs.'))).toBe('/fix 42');
  expect(goalOf(said('/cost'), said('Mend it.'), command('ls', 0))).toBe('Mend it.');
  expect(goalOf(said('/compact'), changed, command('ls', 0), said('Mend it.'))).toBe('Mend it.');
});

describe.skipIf(TRANSCRIPTS.length === 0)('of real sessions', () => {
  it.each(TRANSCRIPTS)('$name', ({ path }) => {
    const notebook = createNotebook();
    for (const entry of entriesIn(path)) notebook.add(entry);
    const { state, evidence } = notebook;
    const text = renderHandoff(notebook, { ...FACTS, state });
    expect(text.length).toBeLessThanOrEqual(RENDERED_LIMIT);
    const problems = checkHandoff(text, { exists: () => true, outcomeOf: evidence.outcomeOf });
    expect(problems).toStrictEqual([]);
  });
});
