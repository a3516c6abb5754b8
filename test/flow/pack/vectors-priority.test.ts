import { describe, expect, it } from 'vitest';
import {
  AGENT_TIERS,
  byPriority,
  classify,
  distributionOf,
  ID_WORDS,
  type Tier,
  tierOfOutput,
} from '../../../src/flow/pack/priority.ts';
import { expandVector } from '../../support/expand-vector.ts';
import { packItem } from '../../support/packs.ts';
import { vectorsOf } from '../../support/recordings.ts';

interface Item {
  readonly step_id?: string | null;
  readonly agent_key?: string | null;
  readonly agents?: readonly string[] | string;
  readonly output?: unknown;
}

function tierOf(item: Item): Tier {
  const { step_id, agent_key, agents, output } = expandVector(item) as Item & { output?: string | null };
  // A step has one agent here; who reads a file with a list of them takes the first.
  const agent = agent_key || (Array.isArray(agents) ? agents[0] : undefined);
  return classify(packItem({ stepId: step_id ?? '', agent, output: output ?? '' })).tier;
}

interface AgentTable {
  readonly input: { readonly agent_keys?: readonly string[]; readonly other_fields?: Item };
  readonly expected: Readonly<Record<string, readonly string[]>> & { readonly all_classified_as?: Tier };
}

const TABLES = vectorsOf<AgentTable['input'], AgentTable['expected']>('agent-priority-table');

describe('agent tables', () => {
  it.each(TABLES.filter(({ input }) => input.agent_keys))('$id: $name', ({ input, expected }) => {
    const tiers = input.agent_keys?.map((agent_key) => tierOf({ ...input.other_fields, agent_key }));
    expect(new Set(tiers)).toEqual(new Set([expected.all_classified_as]));
    const tier = expected.all_classified_as ?? 'LOW';
    expect(AGENT_TIERS[tier].toSorted()).toEqual(input.agent_keys);
  });

  it('fs-006: every word of an output counts, and no other does', () => {
    const expected = TABLES.find(({ id }) => id === 'fs-006')?.expected;
    for (const word of expected?.boost_to_HIGH ?? [])
      expect({ word, tier: tierOfOutput(word) }).toEqual({ word, tier: 'HIGH' });
    for (const word of expected?.drop_to_LOW ?? [])
      expect({ word, tier: tierOfOutput(word) }).toEqual({ word, tier: 'LOW' });
  });

  it('fs-007: the words of ids', () => {
    expect(ID_WORDS).toEqual(TABLES.find(({ id }) => id === 'fs-007')?.expected);
  });
});

const CLASSIFICATION = vectorsOf<Item, { readonly priority: Tier }>('history-classification');

describe('classification', () => {
  it.each(CLASSIFICATION.filter(({ kind }) => kind === 'conform'))('$id: $name', ({ input, expected }) => {
    expect(tierOf(input)).toBe(expected.priority);
  });
});

describe('classification: known defects, fixed, for words count whole', () => {
  const inputOf = (id: string): Item => CLASSIFICATION.find((vector) => vector.id === id)?.input ?? {};

  it.each([
    { id: 'fs-033', why: 'critical is no critic', tier: 'MEDIUM' },
    { id: 'fs-036', why: 'a download is no load, so the decision in the output counts', tier: 'HIGH' },
    { id: 'fs-037', why: 'a framework is no frame, so the decision in the output counts', tier: 'HIGH' },
  ])('$id: $why', ({ id, tier }) => {
    expect(tierOf(inputOf(id))).toBe(tier);
  });
});

interface Ordering {
  readonly history: readonly Item[];
}

interface Ordered {
  readonly order: readonly (readonly [Tier, number])[];
  readonly distribution: Readonly<Record<Tier, number>>;
}

const ORDERING = vectorsOf<Ordering, Ordered>('history-ordering');

function ordered({ history }: Ordering): Ordered {
  const candidates = history.map((item, index) => ({ tier: tierOf(item), index }));
  return {
    order: byPriority(candidates).map(({ tier, index }) => [tier, index]),
    distribution: distributionOf(candidates.map(({ tier }) => tier)),
  };
}

describe('order of selection', () => {
  it.each(ORDERING.filter(({ id }) => id !== 'fs-052'))('$id: $name', ({ input, expected }) => {
    expect(ordered(input)).toEqual(expected);
  });

  it('fs-052: of the same tier, the newer comes first', () => {
    const vector = ORDERING.find(({ id }) => id === 'fs-052');
    expect(ordered(vector?.input ?? { history: [] })).toEqual({
      order: [
        ['CRITICAL', 1],
        ['CRITICAL', 0],
        ['HIGH', 2],
        ['MEDIUM', 3],
        ['LOW', 5],
        ['LOW', 4],
      ],
      distribution: vector?.expected.distribution,
    });
  });
});
