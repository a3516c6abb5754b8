import { describe, expect, it } from 'vitest';
import { createDeadEnds } from '../../../../src/core/memory/dead-ends.ts';
import type { Entry } from '../../../../src/core/memory/entry.ts';
import {
  calls,
  changed,
  type Draft,
  deadEndsOf,
  failed,
  looked,
  PROMPT,
  ran,
  storyOf,
  swapped,
} from '../../../support/entries.ts';

const A = looked('Read', 'a.ts');
const B = ran('npm run build', { said: 'built' });

function told(text: string): Entry {
  return { kind: 'remark', t: 0, text };
}

describe('a reported dead end', () => {
  it('is recorded once for the same words', () => {
    const entries = [told('Polling  the API'), told('polling the api')];
    expect(storyOf(entries)).toEqual(['1 found: told', '2 again: told']);
    expect(deadEndsOf(entries)).toMatchObject([
      { cause: 'told', text: 'polling the api', count: 2, first: 1_000, last: 2_000, evidence: [] },
    ]);
  });
});

describe('createDeadEnds', () => {
  it('finds no dead end in successful work', () => {
    const work: Draft[] = [
      looked('Grep', 'total'),
      A,
      failed('npm test', 'Error: a', { failures: '2 failed' }),
      changed('a.ts'),
      failed('npm test', 'Error: a', { failures: '1 failed' }),
      changed('a.ts'),
      ran('npm test'),
      changed('/tmp/check.js', 'created'),
      ran('node /tmp/check.js && rm /tmp/check.js'),
      ran('git add -A'),
      ran('git commit -m done'),
    ];
    expect(storyOf([...work, PROMPT, ...work])).toEqual([]);
  });

  it('is deterministic', () => {
    const entries = calls([A, B, failed('x'), failed('x'), swapped('a', '1', '2'), swapped('a', '2', '1'), told('no')]);
    const all = () => {
      const deadEnds = createDeadEnds();
      return [...entries.map((entry) => deadEnds.add(entry)), deadEnds.current()];
    };
    expect(all()).toEqual(all());
  });

  it('cuts its text to 500 code points on one line', () => {
    const text =
      deadEndsOf([1, 2].map(() => failed(`echo ${'🙂\n'.repeat(2_000)}`, `Error: ${'x'.repeat(5_000)}`)))[0]?.text ??
      '';
    expect([...text].length).toBeLessThanOrEqual(500);
    expect(text).not.toContain('\n');
  });

  it('has bounded size for any input', () => {
    const deadEnds = createDeadEnds();
    for (let round = 0; round < 3_000; round++) {
      const file = `src/${round}.ts`;
      const drafts: Draft[] = [
        failed(`make ${round}`, `Error: ${round}`),
        failed(`make ${round}`, `Error: ${round}`),
        swapped(file, 'x', 'y'),
        swapped(file, 'y', 'x'),
        changed(`new/${round}.ts`, 'created'),
        told(`${round}`),
      ];
      for (const entry of calls(drafts)) deadEnds.add({ ...entry, agent: `agent ${round % 500}` } as Entry);
    }
    expect(deadEnds.current()).toHaveLength(1_000);
  });
});
