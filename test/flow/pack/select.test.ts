import { describe, expect, it } from 'vitest';
import { limitHistory, select, selectionOrder } from '../../../src/flow/pack/priority.ts';
import type { PackItem } from '../../../src/flow/pack/step-block.ts';
import { packItem } from '../../support/packs.ts';

const LIMITS = { contextBudgetChars: 0, historyRecentChars: 1_000, historyOlderChars: 500 };

function orderOf(history: readonly PackItem[], ...curated: readonly string[]) {
  return selectionOrder(limitHistory(history, LIMITS, { steps: curated }));
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
    expect(select([], { all: 0, some: 0 })).toEqual(new Map());
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
    const order = orderOf(history);
    let before = select(order, { all: 0, some: 0 });
    for (let room = 0; room < 500; room++) {
      const blocks = select(order, { all: room, some: room });
      const lost = order.filter((step) => before.has(step) && !blocks.has(step)).map(({ item }) => item.stepId);
      expect({ room, lost }).toEqual({ room, lost: [] });
      before = blocks;
    }
    expect(before.size).toBe(3);
  });
});
