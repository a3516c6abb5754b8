import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { orderSteps, type StepOrder } from '../../../src/flow/file/order-steps.ts';
import { checkFlow, readFlow } from '../../../src/flow/file/read-flow.ts';
import { createRandom } from '../../support/random.ts';

const FIXTURES = fileURLToPath(new URL('../../../fixtures/flows/', import.meta.url));

/** Steps as `id` or `id: need need`; `id:` has needs, none. */
function order(...steps: string[]): StepOrder {
  const written = steps.map((step) => {
    const [id = '', needs] = step.split(':');
    return { id, objective: 'x', ...(needs === undefined ? {} : { needs: needs.split(' ').filter(Boolean) }) };
  });
  const { flow, findings } = checkFlow('f.json', JSON.stringify({ name: 'a', steps: written }));
  expect(findings).toEqual([]);
  return orderSteps(flow ?? { steps: [] });
}

const ids = (steps: readonly { readonly id: string }[]) => steps.map(({ id }) => id).join(' ');

it.each([
  { name: 'one step', steps: ['a'], sequence: 'a', stages: ['a'], history: { a: [] } },
  {
    name: 'steps that say nothing of needs: one after the other',
    steps: ['a', 'b', 'c'],
    sequence: 'a b c',
    stages: ['a', 'b', 'c'],
    history: { a: [], b: ['a'], c: ['a', 'b'] },
  },
  {
    name: 'steps that need nothing: all at once',
    steps: ['a:', 'b:', 'c:'],
    sequence: 'a b c',
    stages: ['a b c'],
    history: { a: [], b: [], c: [] },
  },
  {
    name: 'what is needed of what is needed',
    steps: ['a:', 'b:a', 'c:', 'd:b c', 'e:b'],
    sequence: 'a b c d e',
    stages: ['a c', 'b', 'd e'],
    history: { a: [], b: ['a'], c: [], d: ['a', 'b', 'c'], e: ['a', 'b'] },
  },
  {
    name: 'steps that are needed by those above',
    steps: ['report:test', 'build:', 'test:build'],
    sequence: 'build test report',
    stages: ['build', 'test', 'report'],
    history: { build: [], test: ['build'], report: ['build', 'test'] },
  },
  {
    name: 'a step without needs behind steps that run at once',
    steps: ['a', 'b:a', 'c:a', 'd'],
    sequence: 'a b c d',
    stages: ['a', 'b c', 'd'],
    history: { a: [], b: ['a'], c: ['a'], d: ['a', 'b', 'c'] },
  },
  {
    name: 'a step without needs below one that needs what comes later',
    steps: ['a:z', 'b', 'z:'],
    sequence: 'z a b',
    stages: ['z', 'a', 'b'],
    history: { z: [], a: ['z'], b: ['z', 'a'] },
  },
  {
    name: 'a need named twice',
    steps: ['a', 'b:a a'],
    sequence: 'a b',
    stages: ['a', 'b'],
    history: { a: [], b: ['a'] },
  },
])('orders $name', ({ steps, sequence, stages, history }) => {
  const made = order(...steps);
  expect(ids(made.sequence)).toBe(sequence);
  expect(made.stages.map(ids)).toEqual(stages);
  expect(Object.fromEntries(made.history)).toEqual(history);
});

it('orders the 25 steps', () => {
  const { flow } = readFlow(join(FIXTURES, '25-steps.yaml'));
  const { sequence, stages, history } = orderSteps(flow ?? { steps: [] });
  expect(ids(sequence)).toBe(ids(flow?.steps ?? []));
  expect(stages.map(ids).filter((stage) => stage.includes(' '))).toEqual([
    'interfaces observe',
    'store page',
    'security coverage',
  ]);
  expect(history.get('history')).toHaveLength(24);
});

it('shows a step exactly the steps that end before it starts, in order, for any needs', () => {
  const random = createRandom(6);
  for (let round = 0; round < 200; round += 1) {
    // Needs that go only one way cannot form a cycle; half the rounds they go up, half of them down.
    const count = random.whole(1, 12);
    const down = random.chance(0.5);
    const steps = Array.from({ length: count }, (_, index) => {
      const others = Array.from({ length: count }, (__, other) => other);
      const needed = others.filter((other) => (down ? other > index : other < index) && random.chance(0.3));
      return !down && random.chance(0.3) ? `s${index}` : `s${index}:${needed.map((other) => `s${other}`).join(' ')}`;
    });
    holds(order(...steps), count);
  }
});

function holds({ sequence, stages, needs, history }: StepOrder, count: number): void {
  const place = new Map(sequence.map(({ id }, index) => [id, index]));
  const stageOf = new Map(stages.flatMap((stage, index) => stage.map(({ id }) => [id, index] as const)));
  expect([place.size, stageOf.size]).toEqual([count, count]);
  for (const { id } of sequence) {
    const seen = history.get(id) ?? [];
    const wanted = new Set((needs.get(id) ?? []).flatMap((needed) => [needed, ...(history.get(needed) ?? [])]));
    expect(new Set(seen)).toEqual(wanted);
    expect([...seen].sort((one, other) => Number(place.get(one)) - Number(place.get(other)))).toEqual(seen);
    expect(seen.every((older) => Number(stageOf.get(older)) < Number(stageOf.get(id)))).toBe(true);
    expect(seen.every((older) => Number(place.get(older)) < Number(place.get(id)))).toBe(true);
  }
}
