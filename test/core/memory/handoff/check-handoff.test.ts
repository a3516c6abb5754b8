import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS } from '../../../../src/core/governor/relief/handoff-request.ts';
import { checkHandoff, type HandoffChecks } from '../../../../src/core/memory/handoff/check-handoff.ts';
import { randomTexts } from '../../../support/notes.ts';

const FINE: HandoffChecks = { exists: () => true, outcomeOf: () => 'passed' };

/** A document that says None everywhere but where `bodies` says something else. */
function documentOf(bodies: Partial<Record<(typeof HANDOFF_SECTIONS)[number], string>> = {}): string {
  return HANDOFF_SECTIONS.map((section) => `## ${section}\n${bodies[section] ?? 'None'}\n`).join('\n');
}

describe('checking a handoff', () => {
  it('accepts None as content', () => {
    expect(checkHandoff(documentOf(), FINE)).toStrictEqual([]);
  });

  it('reports every section of an empty answer as missing', () => {
    expect(checkHandoff('', FINE).map(({ kind }) => kind)).toStrictEqual(Array(8).fill('missing section'));
  });

  it.each(['', '\n\n', '-', '…', '---'])('reports an empty section: %j', (body) => {
    expect(checkHandoff(documentOf({ Done: body }), FINE)).toStrictEqual([
      {
        kind: 'empty section',
        text: 'The section "Done" is empty: write None if there is nothing.',
      },
    ]);
  });

  it('reports a missing section', () => {
    const text = documentOf().replace('## Dead ends\nNone\n', '');
    expect(checkHandoff(text, FINE)).toStrictEqual([
      { kind: 'missing section', text: 'The section "Dead ends" is missing.' },
    ]);
  });

  it('reports each missing file once, except deleted and future files', () => {
    const text = documentOf({
      Files: '- `src/a.ts`\n- `src/b.ts`: x\n- `src/c.ts` (deleted)\n- `src/d.ts` (to create)',
      Done: 'wrote `src/b.ts`',
      'Next steps': '1. create `src/e.ts`',
    });
    const problems = checkHandoff(text, { ...FINE, exists: (path) => path === 'src/a.ts' });
    expect(problems).toMatchObject([{ kind: 'no such file' }]);
    expect(problems[0]?.text).toBe(
      'The file src/b.ts is named but does not exist: correct the path, or add (deleted) or (to create) after it.',
    );
  });

  it.each([
    { claim: 'passed', outcome: 'failed', problems: 1 },
    { claim: 'passed', outcome: 'passed', problems: 0 },
    { claim: 'passed', outcome: 'unknown', problems: 0 },
    { claim: 'failed', outcome: 'failed', problems: 0 },
    { claim: 'failed', outcome: 'passed', problems: 0 },
    { claim: 'not run', outcome: 'failed', problems: 0 },
  ] as const)('a command called $claim whose outcome is $outcome', ({ claim, outcome, problems }) => {
    const text = documentOf({ 'Commands to verify': `- \`npm test\` — ${claim}` });
    expect(checkHandoff(text, { ...FINE, outcomeOf: () => outcome })).toHaveLength(problems);
  });

  it('describes every problem in one sentence on one line', () => {
    for (const text of randomTexts(51, 300)) {
      for (const problem of checkHandoff(`${text}\n## Files\n- \`${text}/x.ts\``, { ...FINE, exists: () => false })) {
        expect(problem.text).toMatch(/^The [^\n\r]{10,400}\.$/);
      }
    }
  });
});

describe('an answer of a million characters is checked quickly', () => {
  const SIZE = 1_000_000;
  it.each([
    { title: 'one word', text: 'x'.repeat(SIZE) },
    { title: 'blanks', text: ' '.repeat(SIZE) },
    { title: 'headings', text: '## Goal\n'.repeat(SIZE / 8) },
    { title: 'other headings', text: `## Goal\n${'### x\n'.repeat(SIZE / 6)}` },
    { title: 'a heading without end', text: `## ${'#'.repeat(SIZE)}` },
    { title: 'bold without end', text: '**Goal'.repeat(SIZE / 6) },
    { title: 'lines of stars', text: `${'*'.repeat(99)}\n`.repeat(SIZE / 100) },
    { title: 'fences', text: '```\n'.repeat(SIZE / 4) },
    { title: 'paths', text: `## Files\n${'- `src/a.ts`, '.repeat(SIZE / 14)}` },
    { title: 'lines of paths', text: `## Files\n${'- `src/a.ts`, `b/c.ts`\n'.repeat(SIZE / 23)}` },
    { title: 'paths in text', text: `## Done\n${'`a/b.c` '.repeat(SIZE / 8)}` },
    { title: 'lines of backticks', text: `## Commands to verify\n${`${'`'.repeat(1_999)}\n`.repeat(SIZE / 2_000)}` },
    { title: 'uneven backticks', text: `## Commands to verify\n${`${'` ``'.repeat(400)}\n`.repeat(SIZE / 1_601)}` },
    { title: 'dashes', text: `## Commands to verify\n${`${'a - '.repeat(400)}\n`.repeat(SIZE / 1_601)}` },
    { title: 'gaps', text: `## Commands to verify\n${`exit code${' '.repeat(1_900)}x\n`.repeat(500)}` },
    { title: 'commands', text: `## Commands to verify\n${'- `npm test` — passed\n'.repeat(SIZE / 22)}` },
  ])('$title', ({ text }) => {
    const problems = checkHandoff(text, { exists: () => false, outcomeOf: () => 'failed' });
    expect(problems[0]?.kind).toBe('too long');
    expect(problems.length).toBeLessThan(400);
  });
});
