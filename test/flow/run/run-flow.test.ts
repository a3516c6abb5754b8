import { expect, it } from 'vitest';
import type { Flow, FlowStep } from '../../../src/flow/flow.ts';
import { NOTHING_SETTLED, runFlow, type Settled } from '../../../src/flow/run/run-flow.ts';
import type { StepEnd } from '../../../src/flow/run/run-step.ts';
import { flowOf, flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const OK = stepEnd();
const BAD = stepEnd({ exitCode: 1 });

/** What an attempt comes to; what is thrown is thrown. */
type Outcome = StepEnd | Error;

interface Play {
  /** By a step's id, one attempt after the other; the rest are done. */
  readonly outcomes?: Readonly<Record<string, readonly Outcome[]>>;
  readonly parallel?: number;
  readonly settled?: Settled;
  /** The flow is stopped when this step starts. */
  readonly stopAt?: string;
}

/** Runs a flow whose attempts take no time, and writes down what happens. */
async function play(flow: Flow, { outcomes = {}, parallel = 1, settled = NOTHING_SETTLED, stopAt }: Play = {}) {
  const told: string[] = [];
  const stop = new AbortController();
  let running = 0;
  let most = 0;
  const attempt = async ({ id }: FlowStep, count: number) => {
    most = Math.max(most, ++running);
    if (id === stopAt) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    const outcome = outcomes[id]?.[count - 1] ?? OK;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const onStep = ({ id }: FlowStep, { kind }: { readonly kind: string }) => void told.push(`${id} ${kind}`);
  const board = runFlow(flow, { settled, parallel }, { attempt, onStep, stop: stop.signal });
  const outcome = await board.catch((error: Error) => error.message);
  return { told, outcome, most, running };
}

const THREE = flowOf(['a', 'b', 'c'].map((id) => flowStep({ id })));
const SIDE_BY_SIDE = flowOf(['a', 'b', 'c'].map((id) => flowStep({ id, needs: [] })));
const withStep = (step: Partial<FlowStep>) =>
  flowOf(THREE.steps.map((one) => (one.id === step.id ? { ...one, ...step } : one)));

it.each([
  {
    title: 'one after the other',
    flow: THREE,
    told: ['a started', 'a done', 'b started', 'b done', 'c started', 'c done'],
    outcome: { a: 'done', b: 'done', c: 'done' },
  },
  {
    title: 'a failed step ends the flow',
    flow: THREE,
    play: { outcomes: { b: [BAD] } },
    told: ['a started', 'a done', 'b started', 'b failed', 'c skipped'],
    outcome: { a: 'done', b: 'failed', c: 'skipped' },
  },
  {
    title: 'unless it may fail',
    flow: withStep({ id: 'b', onFail: 'continue' }),
    play: { outcomes: { b: [BAD] } },
    told: ['a started', 'a done', 'b started', 'b failed', 'c started', 'c done'],
    outcome: { a: 'done', b: 'failed', c: 'done' },
  },
  {
    title: 'it is tried again as often as it may be',
    flow: withStep({ id: 'a', retries: 2 }),
    play: { outcomes: { a: [BAD, BAD, OK] } },
    told: ['a started', 'a retry', 'a started', 'a retry', 'a started', 'a done'],
    outcome: { a: 'done', b: 'done', c: 'done' },
  },
  {
    title: 'and no more',
    flow: withStep({ id: 'a', retries: 1 }),
    play: { outcomes: { a: [BAD, BAD] } },
    told: ['a started', 'a retry', 'a started', 'a failed', 'b skipped', 'c skipped'],
    outcome: { a: 'failed', b: 'skipped', c: 'skipped' },
  },
  {
    title: 'a step that was under way when the flow was stopped is not tried again',
    flow: withStep({ id: 'b', retries: 5 }),
    play: { outcomes: { b: [BAD] }, stopAt: 'b' },
    told: ['a started', 'a done', 'b started', 'b stopped', 'c skipped'],
    outcome: { a: 'done', b: 'stopped', c: 'skipped' },
  },
  {
    title: 'one that was done all the same is done',
    flow: THREE,
    play: { stopAt: 'b' },
    told: ['a started', 'a done', 'b started', 'b done', 'c skipped'],
    outcome: { a: 'done', b: 'done', c: 'skipped' },
  },
  {
    title: 'what is settled is not run, and nobody waits for it',
    flow: THREE,
    play: { settled: { done: new Set(['a']), leftOut: new Set(['b']) } },
    told: ['c started', 'c done'],
    outcome: { a: 'done', b: 'left-out', c: 'done' },
  },
] as { title: string; flow: Flow; play?: Play; told: string[]; outcome: object }[])(
  '$title',
  async ({ flow, play: how, told, outcome }) => {
    const seen = await play(flow, how);
    expect(seen.outcome).toEqual(outcome);
    expect(seen.told.slice(0, told.length)).toEqual(told);
  },
);

it.each([
  { parallel: 1, most: 1 },
  { parallel: 2, most: 2 },
  { parallel: 9, most: 3 },
])('--parallel $parallel: at most $most run at once', async ({ parallel, most }) => {
  expect(await play(SIDE_BY_SIDE, { parallel })).toMatchObject({ most, outcome: { a: 'done', b: 'done', c: 'done' } });
});

it('what an attempt throws is thrown when the step beside it is over, and nothing more starts', async () => {
  const outcomes = { a: [new Error('no claude')], b: [new Error('none here either')] };
  const { told, outcome, running } = await play(SIDE_BY_SIDE, { parallel: 2, outcomes });
  expect(outcome).toBe('no claude');
  expect(told).toEqual(['a started', 'b started']);
  expect(running).toBe(0);
});
