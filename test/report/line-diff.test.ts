import { describe, expect, it } from 'vitest';
import { type DiffLine, lineDiff } from '../../src/report/line-diff.ts';
import { createRandom } from '../support/random.ts';

const SIGNS = { kept: ' ', added: '+', removed: '-', gap: '~' } as const;

const shown = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${SIGNS[kind]}${text}`);

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);

const CASES = [
  { name: 'says nothing of equal texts', before: 'a\nb\n', after: 'a\nb\n', diff: [] },
  { name: 'shows a line that is another one', before: 'a\nb\nc\n', after: 'a\nB\nc\n', diff: [' a', '-b', '+B', ' c'] },
  { name: 'shows a line that is added', before: 'a\nc', after: 'a\nb\nc', diff: [' a', '+b', ' c'] },
  { name: 'shows lines that are removed', before: 'a\nb\nc\n', after: 'c\n', diff: ['-a', '-b', ' c'] },
  { name: 'shows a line that differs in its end alone', before: 'a', after: 'a\n', diff: ['-a', '+a'] },
  { name: 'begins with an empty text', before: '', after: 'a\n', diff: ['+a'] },
  {
    name: 'leaves out what is far from a change, once between two',
    before: `${numbered(20).join('\n')}\n`,
    after: `${numbered(20)
      .map((line) => (line === '5' || line === '15' ? 'x' : line))
      .join('\n')}\n`,
    diff: [
      '~',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+x',
      ' 6',
      ' 7',
      ' 8',
      '~',
      ' 12',
      ' 13',
      ' 14',
      '-15',
      '+x',
      ' 16',
      ' 17',
      ' 18',
      '~',
    ],
  },
];

describe('lineDiff', () => {
  it.each(CASES)('$name', ({ before, after, diff }) => {
    expect(shown(lineDiff(before, after))).toEqual(diff);
  });

  it('transforms any text into any other', () => {
    const random = createRandom(7);
    const text = () => Array.from({ length: random.whole(1, 4) }, () => random.pick(['a', 'b', 'c']));
    for (let round = 0; round < 500; round += 1) {
      const [before, after] = [text(), text()];
      const lines = lineDiff(`${before.join('\n')}\n`, `${after.join('\n')}\n`);
      if (lines.length === 0) expect(after).toEqual(before);
      else {
        const without = (kind: string) => lines.filter((line) => line.kind !== kind).map((line) => line.text);
        expect([without('added'), without('removed')]).toEqual([before, after]);
      }
    }
  });

  it('shows texts with nothing in common as one block', () => {
    const [before, after] = [numbered(2000), numbered(2000).map((line) => `x${line}`)];
    const lines = lineDiff(before.join('\n'), after.join('\n'));
    expect(shown(lines)).toEqual([...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]);
  });
});
