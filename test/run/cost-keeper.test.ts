import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { GovernorState } from '../../src/core/governor/state.ts';
import { changedIn } from '../../src/core/governor/steps.ts';
import { type CostKeeper, createCostKeeper } from '../../src/run/cost-keeper.ts';
import { costEntries } from '../support/cost-ledger.ts';
import {
  afterTurn,
  answerTo,
  callLine,
  type Driver,
  drive,
  initLine,
  policyWith,
  resultLine,
  toolResultLine,
} from '../support/governor.ts';

let folder: string;
let faults: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ctxb-costs-'));
  faults = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const NOON = new Date(2026, 0, 2, 12).getTime();

const place = () => ({ state: folder, project: '/project' });

function keeper(runId = 'r', limitUsd: number | null = 1): CostKeeper {
  return createCostKeeper({
    ...place(),
    runId,
    period: 'day',
    limitUsd: limitUsd ?? undefined,
    now: () => NOON,
    notice: (text) => void faults.push(text),
  });
}

/** A turn that brought claude's counter to `usd`. */
function turn(driver: Driver, usd: number): GovernorState {
  driver.prompt('Next.');
  driver.claude(initLine(), callLine(20_000), resultLine({ total_cost_usd: usd }));
  return driver.state;
}

const ledger = () => costEntries(folder);

describe('the cost of a turn', () => {
  it('is recorded at its end, once', () => {
    const costs = keeper();
    const driver = afterTurn(20_000);
    const state = turn(driver, 0.25);
    costs.settle(state);
    costs.settle(state);
    expect(ledger()).toMatchObject([{ run: 'r', microUsd: 250_000 }]);
    costs.settle(turn(driver, 0.3));
    expect(ledger()).toMatchObject([{ microUsd: 250_000 }, { microUsd: 50_000 }]);
  });

  it('is recorded at the end of the run if the turn did not end', () => {
    const costs = keeper();
    const driver = afterTurn(20_000);
    costs.settle(turn(driver, 0.25));
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(1_000_000));
    costs.close(driver.state);
    expect(ledger()).toMatchObject([{ microUsd: 250_000 }, { microUsd: expect.any(Number) }]);
    expect(ledger()[1]?.microUsd).toBeGreaterThan(0);
  });

  it('of zero creates no file', () => {
    keeper('r', null).close(drive().state);
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('claims the cost of the previous call for the current one, if the line has no cost', () => {
  const costs = keeper();
  const driver = afterTurn(20_000, { policy: policyWith({ cost: { projectLimitUsd: 1 } }) });
  costs.settle(turn(driver, 0.1));
  driver.prompt('Next.');
  driver.claude(initLine(), callLine(20_000), toolResultLine('done'));
  costs.settle(driver.state);
  driver.claude(answerTo(driver, 'cost', { session: { total_cost_usd: 0.3 } }));
  costs.settle(driver.state);
  driver.claude(callLine(20_000));
  costs.settle(driver.state);
  expect(ledger().at(-1)).toMatchObject({ claimed: 200_000 });
});

it('records a subagent at the end of a turn, even if it cost nothing', () => {
  const noted: number[] = [];
  const world = { ...place(), runId: 'r', period: 'day', limitUsd: undefined, now: () => NOON, notice() {} } as const;
  const costs = createCostKeeper({ ...world, onSpent: ({ agents }) => void noted.push(agents) });
  const { state } = afterTurn(20_000);
  const asked = (...ids: string[]) => changedIn(state, 'agents', { pendingStarts: ids });
  costs.settle(asked('one'));
  costs.close(asked('one', 'two'));
  expect(noted).toEqual([1, 2]);
});

describe('the spending of other runs', () => {
  it('is reported before the run begins', () => {
    keeper('other').settle(turn(afterTurn(20_000), 0.5));
    expect(keeper().opening()).toEqual({ kind: 'project-cost', others: 500_000, earlier: 0 });
  });

  it('is reported at the end of a turn, if it has changed', () => {
    const costs = keeper();
    const driver = afterTurn(20_000);
    expect(costs.settle(turn(driver, 0.1))).toBeUndefined();
    keeper('other').settle(turn(afterTurn(20_000), 0.5));
    const news = costs.settle(turn(driver, 0.2));
    expect(news).toEqual({ kind: 'project-cost', others: 500_000, earlier: 0 });
    if (news !== undefined) driver.tell(news);
    expect(costs.settle(turn(driver, 0.3))).toBeUndefined();
  });

  it('is not read without a limit', () => {
    const costs = keeper('r', null);
    keeper('other').settle(turn(afterTurn(20_000), 0.5));
    expect(costs.opening()).toBeUndefined();
    expect(costs.settle(turn(afterTurn(20_000), 0.1))).toBeUndefined();
  });
});

it('the claim of a call that is interrupted because of other runs stays, as the API may bill it', () => {
  const costs = keeper('r', 0.5);
  const driver = afterTurn(20_000, { policy: policyWith({ cost: { projectLimitUsd: 0.5 } }) });
  driver.prompt('Next.');
  driver.claude(initLine(), callLine(20_000));
  costs.settle(driver.state);
  keeper('other').settle(turn(afterTurn(20_000), 0.6));
  driver.claude(callLine(21_000));
  const news = costs.settle(driver.state);
  if (news !== undefined) driver.tell(news);
  expect(driver.state.turn.stopped).toBe('cost');
  costs.settle(driver.state);
  costs.close(driver.state);
  expect(
    ledger()
      .filter(({ run }) => run === 'r')
      .at(-1)?.claimed,
  ).toBeGreaterThan(0);
});

it('a prompt waits for the first call of another run, even after a turn without a call', async () => {
  const { signal } = new AbortController();
  const [one, other] = [keeper('one'), keeper('other')];
  await one.admit(signal);
  const admitted = other.admit(signal);
  const failed = drive();
  failed.prompt('Do it.');
  failed.claude(initLine(), resultLine({ total_cost_usd: 0 }));
  one.settle(failed.state);
  await admitted;
  const again = one.admit(signal);
  other.settle(turn(afterTurn(20_000), 0.5));
  expect(await again).toMatchObject({ others: 500_000 });
});

describe('an unusable ledger', () => {
  it('prevents a run with a limit from starting', () => {
    writeFileSync(join(folder, 'costs'), '');
    expect(() => keeper().opening()).toThrow(expect.objectContaining({ code: 'store' }));
  });

  it('does not stop a running one, is reported once, and is completed when it is usable again', () => {
    const file = join(folder, 'costs');
    const costs = keeper();
    const driver = afterTurn(20_000);
    writeFileSync(file, '');
    costs.settle(turn(driver, 0.1));
    costs.settle(turn(driver, 0.2));
    expect(faults).toEqual([expect.stringContaining("the project's cost limit cannot be followed: ")]);
    rmSync(file, { recursive: true });
    costs.settle(turn(driver, 0.3));
    expect(keeper('other').opening()).toMatchObject({ others: 300_000 });
  });
});

describe('the spending that a resumed run starts with', () => {
  const spent: object[] = [];
  const noting = () =>
    createCostKeeper({
      ...place(),
      runId: 'r',
      period: 'day',
      limitUsd: undefined,
      now: () => NOON,
      notice() {},
      onSpent: (one) => void spent.push(one),
    });

  /** A turn is over, and all that it has cost is told. */
  function settled() {
    const costs = noting();
    const driver = afterTurn(20_000);
    costs.settle(driver.state);
    spent.splice(0);
    return { costs, driver };
  }

  it('is reported during a turn, and from the ledger at its end', () => {
    const { costs, driver } = settled();
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(1_000_000));
    costs.settle(driver.state);
    costs.settle(driver.state);
    driver.claude(resultLine({ total_cost_usd: 0.5 }));
    costs.settle(driver.state);
    // Until the result, claude's log may know more than the line of the call.
    expect(spent).toMatchObject([
      { settled: 312_078, open: 0, computed: 312_078 },
      { settled: 500_000, open: 0, computed: 0 },
    ]);
  });

  it('stays open while the ledger cannot be written, and is reported afterwards', () => {
    const { costs, driver } = settled();
    rmSync(join(folder, 'costs'), { recursive: true });
    writeFileSync(join(folder, 'costs'), '');
    driver.prompt('Next.');
    driver.claude(initLine(), callLine(1_000_000));
    costs.settle(driver.state);
    rmSync(join(folder, 'costs'));
    costs.close(driver.state);
    expect(spent).toMatchObject([
      { settled: 12_052, open: 300_026 },
      { settled: 312_078, open: 0 },
    ]);
  });
});
