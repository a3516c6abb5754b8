import { describe, expect, it } from 'vitest';
import type { ToolEntry } from '../../../../src/core/memory/entry.ts';
import { createRecall } from '../../../../src/core/memory/hand-back/recall.ts';
import { createEvidence, EVIDENCE_KINDS, type Evidence } from '../../../../src/core/memory/notebook/evidence.ts';
import { holds, searchable } from '../../../../src/core/memory/notebook/fact.ts';
import { command, edit, randomEntries, randomNumbers } from '../../../support/notes.ts';

describe('recall', () => {
  it('returns each item once: failures first, then the newest of each kind in turn', () => {
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

  it('has a dead end only once, and no read-only commands', () => {
    const evidence = evidenceOf([command('make all', 2), command('make', 2), command('grep -rn x src', 0)]);
    const text = '`make all` failed 2 times without a change in between: no rule';
    const found = { cause: 'same failure', count: 2, first: 1, last: 2 } as const;
    evidence.deadEnds([{ ...found, key: 'k', text, evidence: ['t1', 't2'] }]);
    const recall = createRecall(evidence);
    recall.begin();
    const told = recall.take(900).text;
    expect(told).toBe(`Did not work:\n- ${text}\nCommands that failed when they last ran:\n- \`make\` exit 2`);
    const facts = (['dead end', 'failing command'] as const)
      .flatMap((kind) => evidence.items(kind))
      .map((item) => item.fact);
    expect(facts.map((fact) => [fact.kind, holds(searchable(told), fact)])).toStrictEqual([
      ['deadEnds', true],
      ['failing', true],
      ['failing', true],
    ]);
    expect(recall.take(900).items).toStrictEqual([]);
  });

  it('returns everything again after the next compaction', () => {
    const recall = createRecall(evidenceOf([edit('a.ts')]));
    recall.begin();
    recall.take(500);
    recall.begin();
    expect(recall.take(500).items).toHaveLength(1);
  });

  it('withholds facts of the summary once it is known', () => {
    const recall = createRecall(evidenceOf([edit('a.ts'), edit('b.ts'), command('make all', 2)]));
    recall.begin();
    recall.compare('I ran `make all`, which failed, and changed b.ts');
    expect(recall.take(500).text).toBe('Files changed:\n- `a.ts` edited');
  });

  it('never exceeds the room, and never repeats an item', () => {
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

  it('has one line per item, for any names', () => {
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
