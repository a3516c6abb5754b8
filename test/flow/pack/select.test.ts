import { describe, expect, it } from 'vitest';
import { inOrder, judgeHistory, select } from '../../../src/flow/pack/priority.ts';
import type { PackItem } from '../../../src/flow/pack/step-block.ts';
import { packItem } from '../../support/packs.ts';

const LIMITS = { contextBudgetChars: 0, historyRecentChars: 1_000, historyOlderChars: 500 };

function orderOf(history: readonly PackItem[], ...curated: readonly string[]) {
  return inOrder(judgeHistory(history, LIMITS), (id) => curated.includes(id));
}

describe('the order of selection', () => {
  const history = [
    packItem({ stepId: 'a', priority: 'low' }),
    packItem({ stepId: 'b', priority: 'critical' }),
    packItem({ stepId: 'c', priority: 'low' }),
    packItem({ stepId: 'd', priority: 'high' }),
    packItem({ stepId: 'e', priority: 'critical' }),
    packItem({ stepId: 'f', priority: 'low' }),
  ];

  it.each([
    { name: 'the newest, then by priority, then by age', curated: [], as: 'f e b d c a' },
    { name: 'what a curator named comes before the rest, by the same rules', curated: ['a', 'd'], as: 'f d a e b c' },
    { name: 'the newest is first anyway', curated: ['f'], as: 'f e b d c a' },
    { name: 'nobody of that name', curated: ['x'], as: 'f e b d c a' },
  ])('$name', ({ curated, as }) => {
    const order = orderOf(history, ...curated);
    expect(order.map(({ item }) => item.stepId).join(' ')).toBe(as);
  });

  it('is empty without steps', () => {
    expect(orderOf([])).toEqual([]);
    expect(select([], { whole: 0, note: 0 })).toEqual(new Map());
  });
});

describe('room that grows by one', () => {
  // Of `odd` much is not shown, so that it can be shortened in coarse steps only and leaves something over.
  const history = [
    packItem({ stepId: 't', priority: 'low' }),
    packItem({ stepId: 'odd', priority: 'high', output: `${'x'.repeat(270)}${'\u0007'.repeat(200)}` }),
    packItem({ stepId: 'newest' }),
  ];

  it('leaves the space after a shortened step unused, because more room would need it again', () => {
    let before = new Set<number>();
    for (let whole = 0; whole < 500; whole++) {
      const blocks = select(orderOf(history), { whole, note: 0 });
      const lost = [...before].filter((index) => !blocks.has(index));
      expect({ whole, lost }).toEqual({ whole, lost: [] });
      before = new Set(blocks.keys());
    }
    expect(before.size).toBe(3);
  });
});
