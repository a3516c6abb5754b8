import { describe, expect, it } from 'vitest';
import { createWordFinder } from '../../../src/store/masks/word-finder.ts';
import { createRandom } from '../../support/random.ts';

const GROUPS = [['she', 'he'], ['hers'], ['his', '-is'], [], ['us', 'ushe']];

function found(text: string, groups: readonly (readonly string[])[] = GROUPS): number[] {
  return [...createWordFinder(groups)(text)].flatMap((hit, group) => (hit === 1 ? [group] : []));
}

describe('the groups a text holds a word of', () => {
  it.each([
    { text: '', groups: [] },
    { text: 'h s e', groups: [] },
    { text: 'ushers', groups: [0, 1, 4] },
    { text: 'a USHE', groups: [0, 4] },
    { text: 'sh-IS', groups: [2] },
    { text: 'heé', groups: [0] },
    { text: 'hé', groups: [] },
    { text: 'hĠe', groups: [] },
  ])('$text', ({ text, groups }) => {
    expect(found(text)).toEqual(groups);
  });

  it('are those that a plain search finds, whatever the words and the text', () => {
    for (let seed = 1; seed <= 500; seed += 1) {
      const random = createRandom(seed);
      const letters = (length: number) =>
        Array.from({ length }, () => random.pick(['a', 'B', 'b', 'C', '-', '%'])).join('');
      const groups = Array.from({ length: 6 }, () =>
        Array.from({ length: random.whole(0, 3) }, () => letters(random.whole(1, 5))),
      );
      const text = letters(random.whole(0, 40));
      const expected = groups.flatMap((words, group) =>
        words.some((word) => text.toLowerCase().includes(word.toLowerCase())) ? [group] : [],
      );
      expect(found(text, groups), `seed ${seed}`).toEqual(expected);
    }
  });

  it('are added to those found before', () => {
    const find = createWordFinder(GROUPS);
    expect([...find('his', find('hers'))]).toEqual([1, 1, 1, 0, 0]);
  });
});
