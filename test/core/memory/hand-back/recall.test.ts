import { describe, expect, it } from 'vitest';
import type { DeadEnd, ToolEntry } from '../../../../src/core/memory/entry.ts';
import { missingEvidence } from '../../../../src/core/memory/hand-back/recall.ts';
import { createEvidence, EVIDENCE_KINDS, type Evidence } from '../../../../src/core/memory/notebook/evidence.ts';
import { mentionsFact, searchable } from '../../../../src/core/memory/notebook/fact.ts';
import { command, edit, randomEntries, randomNumbers } from '../../../support/notes.ts';

const NOTHING = () => false;

describe('the evidence to hand back', () => {
  it('has failures first, then the newest of each kind in turn', () => {
    const evidence = evidenceOf([edit('a.ts'), edit('b.ts'), command('make', 2), command('npm install', 0)]);
    expect(missingEvidence(evidence, NOTHING, 140)).toBe(
      'Commands that failed when they last ran:\n- `make` exit 2\nFiles changed:\n- `b.ts` edited\nCommands that ran:\n- `npm install` exit 0',
    );
  });

  it('has a dead end only once, and no read-only commands', () => {
    const text = '`make all` failed 2 times without a change in between: no rule';
    const found = { cause: 'same failure', count: 2, first: 1, last: 2 } as const;
    const evidence = evidenceOf(
      [command('make all', 2), command('make', 2), command('grep -rn x src', 0)],
      [{ ...found, key: 'k', text, evidence: ['t1', 't2'] }],
    );
    const told = missingEvidence(evidence, NOTHING, 900);
    expect(told).toBe(`Did not work:\n- ${text}\nCommands that failed when they last ran:\n- \`make\` exit 2`);
    const facts = (['dead end', 'failing command'] as const)
      .flatMap((kind) => evidence.items(kind))
      .map((item) => item.fact);
    expect(facts.map((fact) => [fact.kind, mentionsFact(searchable(told), fact)])).toStrictEqual([
      ['deadEnds', true],
      ['failing', true],
      ['failing', true],
    ]);
  });

  it('never exceeds the room', () => {
    const next = randomNumbers(51);
    for (let round = 0; round < 300; round++) {
      const evidence = evidenceOf(randomEntries(round, 60).filter((entry) => entry.kind === 'tool'));
      for (let take = 0; take < 4; take++) {
        const room = next(600);
        expect(missingEvidence(evidence, NOTHING, room).length).toBeLessThanOrEqual(room);
      }
    }
  });

  it('has one line per item, for any names', () => {
    const evidence = evidenceOf(randomEntries(52, 400).filter((entry) => entry.kind === 'tool'));
    const lines = EVIDENCE_KINDS.flatMap((kind) => evidence.items(kind)).map(({ line }) => line);
    expect(lines.filter((line) => /[\n\r\v\f\u0085\u2028\u2029]/.test(line))).toStrictEqual([]);
  });
});

function evidenceOf(entries: readonly ToolEntry[], deadEnds: readonly DeadEnd[] = []): Evidence {
  const evidence = createEvidence(() => deadEnds);
  for (const entry of entries) evidence.add(entry);
  return evidence;
}
