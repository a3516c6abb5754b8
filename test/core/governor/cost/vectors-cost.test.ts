import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EMPTY_COST, readCost, toMicroUsd, totalMicroUsd, toUsd } from '../../../../src/core/governor/cost/cost.ts';
import { type CostNotice, judgeCost } from '../../../../src/core/governor/cost/cost-limit.ts';
import { PRICES } from '../../../../src/core/governor/cost/prices.ts';
import { decodeObject } from '../../../../src/core/protocol/decode.ts';
import { openCostLedger } from '../../../../src/store/ledgers/cost-ledger.ts';
import { costLedgers } from '../../../support/cost-ledger.ts';
import type { Line } from '../../../support/governor.ts';
import { vectorsOf } from '../../../support/recordings.ts';

interface Budget {
  readonly job_limit_usd?: number;
  readonly project_limit_usd?: number;
}

interface Tracking {
  readonly budget: Budget | null;
  readonly events: readonly Line[];
}

interface Tracked {
  readonly total_cost_usd: number;
  readonly warning_triggered: boolean;
  readonly limit_reached: boolean;
}

const TRACKER = vectorsOf<Tracking, Tracked>('cost-tracker');

function costsOf(spent: number, budget: Budget | null, others = 0) {
  return [
    { scope: 'run', spent, limitUsd: budget?.job_limit_usd },
    { scope: 'project', spent: spent + others, limitUsd: budget?.project_limit_usd },
  ] as const;
}

function track({ budget, events }: Tracking): Tracked {
  const cost = events
    .map(decodeObject)
    .reduce((sum, event) => readCost(sum, event, { prices: PRICES, version: undefined }), EMPTY_COST);
  const total = totalMicroUsd(cost);
  const { level } = judgeCost(costsOf(total, budget), []);
  return { total_cost_usd: toUsd(total), warning_triggered: level !== 'none', limit_reached: level === 'limit' };
}

const inputOf = (id: string): Tracking =>
  TRACKER.find((vector) => vector.id === id)?.input ?? { budget: {}, events: [] };

const EXCEPTIONS = ['tp-108', 'tp-111'];

describe('cost tracker', () => {
  it.each(TRACKER.filter(({ id, kind }) => kind === 'conform' && !EXCEPTIONS.includes(id)))(
    '$id: $name',
    ({ input, expected }) => {
      const { total_cost_usd, warning_triggered, limit_reached } = expected;
      expect(track(input)).toEqual({ total_cost_usd, warning_triggered, limit_reached });
    },
  );
});

describe('cost tracker: exceptions', () => {
  it.each([
    { id: 'tp-108', usd: 0.1 },
    { id: 'tp-111', usd: 0.08 },
  ])('$id: claude reports the total of its process, so two reports are not added up', ({ id, usd }) => {
    expect(track(inputOf(id)).total_cost_usd).toBe(usd);
  });
});

describe('cost tracker: known defects, fixed', () => {
  const turns = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ type: 'result', total_cost_usd: 0.1 * (index + 1) }));

  it('tp-122: eight turns of $0.10 on a $1 limit reach the 80 % warning', () => {
    const { budget } = inputOf('tp-122');
    expect(track({ budget, events: turns(7) })).toMatchObject({ warning_triggered: false });
    expect(track({ budget, events: turns(8) })).toEqual({
      total_cost_usd: 0.8,
      warning_triggered: true,
      limit_reached: false,
    });
  });

  it('tp-122: ten turns of $0.10 do reach $1.00', () => {
    const { budget } = inputOf('tp-122');
    expect(track({ budget, events: turns(9) })).toMatchObject({ limit_reached: false });
    expect(track({ budget, events: turns(10) })).toMatchObject({ total_cost_usd: 1, limit_reached: true });
  });

  it('tp-122: so do ten processes that cost $0.10 each', () => {
    const spent = Array.from({ length: 10 }).reduce<number>((sum) => sum + toMicroUsd(0.1), 0);
    expect(judgeCost(costsOf(spent, inputOf('tp-122').budget), []).level).toBe('limit');
  });
});

interface Enforcing {
  readonly budget: Budget;
  readonly other_jobs?: readonly (readonly [string, number])[];
  readonly turn_costs: readonly number[];
}

interface Enforced {
  readonly published: readonly (readonly ['cost_warning' | 'cost_limit', 'job' | 'project', number])[];
  readonly asked: readonly string[];
}

const ENFORCEMENT = vectorsOf<Enforcing, Enforced>('cost-enforcement');

/** What is said, and how often the run is held up; what a person answers is not judged here. */
function enforce({ budget, other_jobs = [], turn_costs }: Enforcing) {
  const others = other_jobs.reduce((sum, [, usd]) => sum + toMicroUsd(usd), 0);
  let said: readonly CostNotice[] = [];
  let spent = 0;
  const levels: ReturnType<typeof judgeCost>['level'][] = [];
  for (const usd of turn_costs) {
    spent += toMicroUsd(usd);
    const judgement = judgeCost(costsOf(spent, budget, others), said);
    said = judgement.said;
    levels.push(judgement.level);
  }
  const published = said.map(({ level, scope, spent }) => [
    level === 'warn' ? 'cost_warning' : 'cost_limit',
    scope === 'run' ? 'job' : 'project',
    toUsd(spent),
  ]);
  return { published, held: levels.filter((level) => level === 'limit').length };
}

describe('cost enforcement: the notice, and whether the run stops', () => {
  it.each(ENFORCEMENT.filter(({ id }) => id !== 'tp-144'))('$id: $name', ({ input, expected }) => {
    expect(enforce(input)).toEqual({ published: expected.published, held: expected.asked.length });
  });
});

describe('cost enforcement: exceptions', () => {
  it('tp-144: both limits are judged at once, the nearest first, and the run is held up once', () => {
    const input = ENFORCEMENT.find(({ id }) => id === 'tp-144')?.input ?? { budget: {}, turn_costs: [] };
    expect(enforce(input)).toEqual({
      published: [
        ['cost_warning', 'project', 6],
        ['cost_limit', 'project', 6],
        ['cost_warning', 'job', 1],
        ['cost_limit', 'job', 1],
      ],
      held: 1,
    });
  });
});

describe('cost ledger', () => {
  it.each(vectorsOf<unknown, { file_exists: boolean; total: number }>('cost-ledger'))('$id: $name', ({ expected }) => {
    const folder = mkdtempSync(join(tmpdir(), 'ctxb-store-'));
    const ledger = openCostLedger(
      { state: folder, project: '/project' },
      { now: () => 0, runId: 'any', period: 'day' },
    );
    expect(ledger.spentByOthers() + ledger.spentEarlier()).toBe(expected.total);
    expect(costLedgers(folder).length > 0).toBe(expected.file_exists);
    rmSync(folder, { recursive: true });
  });
});
