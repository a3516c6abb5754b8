import { expect, it } from 'vitest';
import { markdown } from '../../../src/report/replay/exports.ts';
import { compactionOf, judged, summaryOf, written } from '../../support/session-summary.ts';

it('has a table of sessions', async () => {
  const sessions = [await judged('compact.ndjson'), await judged('crossing.session.jsonl')];
  expect(written(markdown, sessions)).toBe(`### Context of Claude Code

| session | peak | calls | compacted | cost |
| --- | ---: | ---: | ---: | ---: |
| compact.ndjson | 80% | 5 | 1 | $0.71 |
| crossing.session.jsonl | 82% | 5 | 0 | $0.72 |
| **2 sessions** | 82% | 10 | 1 | $1.43 |
`);
});

it('starts with failed gates and unreadable files', () => {
  const text = written(markdown, [summaryOf()], { breaches: ['a: too much'], faults: ['b: <gone>'] });
  expect(text).toContain(
    '### Context of Claude Code\n\nGates that were not passed:\n\n- a\\: too much\n\nWhat could not be read:\n\n- b\\: \\<gone\\>\n\n|',
  );
});

it('escapes names in cells', () => {
  const file = 'a|b `c` *d* <img src=x> [e](f)\n## g';
  const [row = ''] = written(markdown, [summaryOf({ file })])
    .split('\n')
    .slice(4);
  expect(row).toContain('| a\\|b \\`c\\` \\*d\\* \\<img src=x\\> \\[e\\]\\(f\\) \\#\\# g |');
});

it('has dashes for unknown figures', () => {
  const session = summaryOf({
    calls: 0,
    cost: { usd: null, computed: false },
    compactions: [compactionOf({ firstAfter: null })],
    context: { peakFraction: null },
  });
  const text = written(markdown, [session]);
  expect(text).toContain('| session.ndjson | – | 0 | 1 | – |');
});

it('reports that there are no recordings', () => {
  expect(written(markdown, [])).toBe('### Context of Claude Code\n\nno sessions found\n');
});
