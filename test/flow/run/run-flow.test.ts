import { describe, expect, it } from 'vitest';
import { orderSteps } from '../../../src/flow/file/order-steps.ts';
import type { Flow, FlowStep } from '../../../src/flow/flow.ts';
import {
  type Board,
  type Choice,
  newBoard,
  runFlow,
  type Settled,
  settledSteps,
  startable,
} from '../../../src/flow/run/run-flow.ts';
import type { StepEnd } from '../../../src/flow/run/run-step.ts';
import { flowOf, flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const OK = stepEnd();
const BAD = stepEnd({ exitCode: 1 });
const NOTHING_SETTLED: Settled = { done: new Set(), leftOut: new Set() };

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
    title: 'a usage limit of the account is no reason to try again at once',
    flow: withStep({ id: 'a', retries: 5 }),
    play: { outcomes: { a: [{ ...BAD, exitCode: 5 }] } },
    told: ['a started', 'a failed', 'b skipped', 'c skipped'],
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

it('rethrows an error of an attempt after the running steps end, and starts no more', async () => {
  const outcomes = { a: [new Error('no claude')], b: [new Error('none here either')] };
  const { told, outcome, running } = await play(SIDE_BY_SIDE, { parallel: 2, outcomes });
  expect(outcome).toBe('no claude');
  expect(told).toEqual(['a started', 'b started']);
  expect(running).toBe(0);
});

// a ← b, a ← c, (b, c) ← d
const DIAMOND = flowOf([
  flowStep({ id: 'a', needs: [] }),
  flowStep({ id: 'b', needs: ['a'], onFail: 'continue' }),
  flowStep({ id: 'c', needs: ['a'] }),
  flowStep({ id: 'd', needs: ['b', 'c'] }),
]);

it('waits for a step that runs again, even if the steps between are done', async () => {
  const settled: Settled = { done: new Set(['b', 'c']), leftOut: new Set() };
  const { told } = await play(DIAMOND, { settled, parallel: 2 });
  expect(told).toEqual(['a started', 'a done', 'd started', 'd done']);
});

const ALL_WAIT: Board = { a: 'waiting', b: 'waiting', c: 'waiting', d: 'waiting' };

describe('the board before the first step', () => {
  it.each([
    { title: 'nothing is settled', settled: undefined, board: ALL_WAIT },
    {
      title: 'an earlier run has finished some',
      settled: { done: new Set(['a']), leftOut: new Set<string>() },
      board: { ...ALL_WAIT, a: 'done' },
    },
    {
      title: 'one alone was asked for',
      settled: { done: new Set(['a']), leftOut: new Set(['b', 'd']) },
      board: { a: 'done', b: 'left-out', c: 'waiting', d: 'left-out' },
    },
  ])('$title', ({ settled, board }) => {
    expect(newBoard(DIAMOND, settled ?? NOTHING_SETTLED)).toEqual(board);
  });
});

describe('startable', () => {
  it.each([
    { title: 'only what needs nothing', board: {}, parallel: 4, starts: ['a'] },
    { title: 'nothing while what is needed runs', board: { a: 'running' }, parallel: 4, starts: [] },
    { title: 'as many as may run at once', board: { a: 'done' }, parallel: 1, starts: ['b'] },
    { title: 'both beside each other', board: { a: 'done' }, parallel: 2, starts: ['b', 'c'] },
    { title: 'one beside one that runs', board: { a: 'done', b: 'running' }, parallel: 2, starts: ['c'] },
    { title: 'none beside as many as may run', board: { a: 'done', b: 'running' }, parallel: 1, starts: [] },
    { title: 'nothing before all that is needed is over', board: { a: 'done', b: 'done' }, parallel: 9, starts: ['c'] },
    { title: 'what goes on without a failed one', board: { a: 'done', b: 'failed', c: 'done' }, starts: ['d'] },
    { title: 'nothing after a failed one that stops the flow', board: { a: 'done', c: 'failed' }, starts: [] },
    { title: 'what needs one that nobody asked for', board: { a: 'left-out', b: 'left-out' }, starts: ['c'] },
    { title: 'nothing after one that was stopped', board: { a: 'stopped' }, starts: [] },
  ] as { title: string; board: Board; parallel?: number; starts: string[] }[])(
    '$title',
    ({ board, parallel = 2, starts }) => {
      const { history } = orderSteps(DIAMOND);
      expect(startable(DIAMOND, history, { ...ALL_WAIT, ...board }, parallel).map(({ id }) => id)).toEqual(starts);
    },
  );
});

const FLOW = flowOf(['a', 'b', 'c', 'd'].map((id) => flowStep({ id })));
const isDone = (id: string) => id === 'a' || id === 'c';

it.each([
  { title: 'all is run', choice: {}, done: [], leftOut: [] },
  { title: 'what a run has left is run', choice: { resume: 'r' }, done: ['a', 'c'], leftOut: [] },
  { title: 'from a step on, done ones too', choice: { from: 'c' }, done: ['a'], leftOut: ['b'] },
  { title: 'from a step on, with a run', choice: { from: 'c', resume: 'r' }, done: ['a'], leftOut: ['b'] },
  { title: 'one alone', choice: { only: 'c' }, done: ['a'], leftOut: ['b', 'd'] },
  { title: 'some', choice: { only: 'd,b', resume: 'r' }, done: ['a', 'c'], leftOut: [] },
] as { title: string; choice: Choice; done: string[]; leftOut: string[] }[])('$title', ({ choice, done, leftOut }) => {
  expect(settledSteps(FLOW, choice, isDone)).toEqual({ done: new Set(done), leftOut: new Set(leftOut) });
});

it.each([
  { choice: { from: 'x' }, says: '--from x: no step of flow has this id: a, b, c, d' },
  { choice: { only: 'x' }, says: '--only x: no step of flow has this id: a, b, c, d' },
  { choice: { only: 'a,x' }, says: '--only x: no step of flow has this id: a, b, c, d' },
  { choice: { only: '' }, says: '--only : no step of flow has this id: a, b, c, d' },
  { choice: { from: 'a', only: 'b' }, says: '--from and --only name different steps to run: leave one of them out' },
])('$choice is refused', ({ choice, says }) => {
  expect(() => settledSteps(FLOW, choice, isDone)).toThrow(says);
});
