import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../src/memory/entry.ts';
import { createRecall } from '../../src/memory/hand-back/recall.ts';
import {
  createEvidence,
  EVIDENCE_KINDS,
  type Evidence,
  figuresOf,
  holds,
  normalised,
  tallyOf,
  wordsOf,
} from '../../src/memory/notebook/evidence.ts';
import { command, edit, randomEntries, randomNumbers } from '../support/notes.ts';

describe('a figure is held by a summary', () => {
  it.each([
    { summary: '3 tests failed', holds: true },
    { summary: 'tests: **3 failed**, 10 passed', holds: true },
    { summary: 'failed=3', holds: true },
    { summary: '| failed | `3` |', holds: true },
    { summary: '(3 failures)', holds: true },
    { summary: 'still broken: 3', holds: true },
    { summary: 'The run had 13 failures', holds: false },
    { summary: '30 failed', holds: false },
    { summary: '1.3 failed', holds: false },
    { summary: '1,003 failed', holds: false },
    { summary: '3,000 failed', holds: false },
    { summary: 'it failed after 3.5 s', holds: false },
    { summary: 'step 3 is done', holds: false },
    { summary: '3 files are shared and required', holds: false },
    { summary: '3 times as fast as before. All of it works; nothing ever failed', holds: false },
    { summary: '', holds: false },
  ])('3 failed: "$summary" $holds', ({ summary, holds: expected }) => {
    const [fact] = figuresOf({ failed: 3 });
    expect(fact && holds(normalised(summary), fact)).toBe(expected);
  });
});

describe('words are held by a summary', () => {
  it.each([
    { words: 'src/clock.ts', summary: 'I changed `src/Clock.ts`.', holds: true },
    { words: 'src/clock.ts', summary: '**src/clock.ts**', holds: true },
    { words: 'src/clock.ts', summary: '/home/dev/project/src/clock.ts', holds: true },
    { words: 'src/clock.ts', summary: 'I changed the clock.', holds: false },
    { words: 'grep "a  b" src', summary: "ran `grep 'a b' src` twice", holds: true },
    { words: 'npm test -- --run\n  clock', summary: 'npm test -- --run clock', holds: true },
    { words: 'npm test', summary: 'npm run tests', holds: false },
  ])('$words: "$summary" $holds', ({ words, summary, holds: expected }) => {
    expect(holds(normalised(summary), { kind: 'paths', says: wordsOf(words) })).toBe(expected);
  });

  it('of a long text only the beginning is asked for', () => {
    const text = `cat > file <<EOF ${'x'.repeat(5_000)}`;
    expect(wordsOf(text)).toBe(`cat > file <<eof ${'x'.repeat(83)}`);
  });
});

it('only figures that say something are facts', () => {
  const counts = { passed: 10, failed: 0, skipped: 2, errors: 1, warnings: 4 };
  expect(figuresOf(counts).map(({ says }) => says)).toStrictEqual(['10', '2', '1', '4']);
  expect(tallyOf(figuresOf(counts))).toStrictEqual({ paths: 0, commands: 0, numbers: 4, deadEnds: 0 });
  expect(figuresOf(undefined)).toStrictEqual([]);
});

describe('recall', () => {
  it('gives each thing once, what failed first, then the newest of each kind in turns', () => {
    const recall = createRecall(
      evidenceOf([edit('a.ts'), edit('b.ts'), command('make', 2), command('npm install', 0)]),
    );
    recall.begin();
    const first = recall.take(140).text;
    expect(first).toBe(
      'Commands that failed when they last ran:\n- `make` exit 2\nFiles changed:\n- `b.ts` edited\nCommands that ran:\n- `npm install` exit 0',
    );
    expect(recall.take(500).text).toBe('Files changed:\n- `a.ts` edited');
    expect(recall.take(500).items).toStrictEqual([]);
  });

  it('a dead end stands there once, and looks at files do not at all', () => {
    const evidence = evidenceOf([command('make all', 2), command('make', 2), command('grep -rn x src', 0)]);
    const text = '`make all` failed 2 times without a change in between: no rule';
    const found = { cause: 'same failure', count: 2, first: 1, last: 2, agent: null } as const;
    evidence.deadEnds([{ ...found, key: 'k', text, evidence: ['t1', 't2'] }]);
    const recall = createRecall(evidence);
    recall.begin();
    expect(recall.take(900).text).toBe(
      `Did not work:\n- ${text}\nCommands that failed when they last ran:\n- \`make\` exit 2`,
    );
    expect(recall.compare('nothing').given.map(({ kind }) => kind)).toStrictEqual(['deadEnds', 'commands', 'commands']);
    expect(recall.take(900).items).toStrictEqual([]);
  });

  it('gives everything again after the next compaction', () => {
    const recall = createRecall(evidenceOf([edit('a.ts')]));
    recall.begin();
    recall.take(500);
    recall.begin();
    expect(recall.take(500).items).toHaveLength(1);
  });

  it('keeps back what the summary holds, once it is known', () => {
    const recall = createRecall(evidenceOf([edit('a.ts'), edit('b.ts'), command('make all', 2)]));
    recall.begin();
    expect(recall.compare('I ran `make all` and changed b.ts')).toMatchObject({
      all: { length: 3 },
      kept: { length: 2 },
      given: [],
    });
    expect(recall.take(500).text).toBe('Files changed:\n- `a.ts` edited');
  });

  it('never gives more than there is room for, and nothing twice', () => {
    const next = randomNumbers(51);
    for (let round = 0; round < 300; round++) {
      const recall = createRecall(evidenceOf(randomEntries(round, 60).filter((entry) => entry.kind === 'tool')));
      recall.begin();
      const keys: string[] = [];
      for (let take = 0; take < 4; take++) {
        const room = next(600);
        const { text, items } = recall.take(room);
        expect(text.length).toBeLessThanOrEqual(room);
        keys.push(...items.map(({ kind, subject }) => `${kind} ${subject}`));
      }
      expect(new Set(keys).size).toBe(keys.length);
    }
  });

  it('has one line for each thing, whatever it is called', () => {
    const evidence = evidenceOf(randomEntries(52, 400).filter((entry) => entry.kind === 'tool'));
    const lines = EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind)).map(({ line }) => line);
    expect(lines.filter((line) => /[\n\r\v\f\u0085\u2028\u2029]/.test(line))).toStrictEqual([]);
  });
});

function evidenceOf(entries: readonly ToolEntry[]): Evidence {
  const evidence = createEvidence();
  for (const entry of entries) evidence.add(entry);
  return evidence;
}
