import { expect, it } from 'vitest';
import type { Flow, FlowStep } from '../../../src/flow/flow.ts';
import { type RanStep, runSteps } from '../../../src/flow/run/conduct-flow.ts';
import { flowOf, flowStep } from '../../support/packs.ts';
import { stepEnd } from '../../support/step-end.ts';

const OK = stepEnd();
const BAD = stepEnd({ exit_code: 1 });

/** What a step comes to; what is thrown is thrown. */
type Outcome = RanStep | Error;

interface Play {
  /** By a step's id; the rest are done. */
  readonly outcomes?: Readonly<Record<string, Outcome>>;
  /** Steps that an earlier run has finished. */
  readonly done?: readonly string[];
  /** The flow is stopped when this step starts. */
  readonly stopAt?: string;
}

/** Runs a flow whose steps take no time, and writes down what happens. */
async function play({ steps }: Flow, { outcomes = {}, done = [], stopAt }: Play = {}) {
  const told: string[] = [];
  const stop = new AbortController();
  const run = async ({ id }: FlowStep) => {
    if (id === stopAt) stop.abort();
    await new Promise((resolve) => setImmediate(resolve));
    const outcome = outcomes[id] ?? OK;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const open = steps.filter(({ id }) => !done.includes(id));
  try {
    for await (const { step, kind } of runSteps(open, run, stop.signal)) told.push(`${step.id} ${kind}`);
  } catch (error) {
    told.push(String(error));
  }
  return told;
}

const THREE = flowOf(['a', 'b', 'c'].map((id) => flowStep({ id })));
const withStep = (step: Partial<FlowStep>) =>
  flowOf(THREE.steps.map((one) => (one.id === step.id ? { ...one, ...step } : one)));

it.each([
  {
    title: 'one after the other',
    flow: THREE,
    told: ['a started', 'a done', 'b started', 'b done', 'c started', 'c done'],
  },
  {
    title: 'a failed step ends the flow',
    flow: THREE,
    play: { outcomes: { b: BAD } },
    told: ['a started', 'a done', 'b started', 'b failed', 'c skipped'],
  },
  {
    title: 'unless it may fail',
    flow: withStep({ id: 'b', onFail: 'continue' }),
    play: { outcomes: { b: BAD } },
    told: ['a started', 'a done', 'b started', 'b failed', 'c started', 'c done'],
  },
  {
    title: 'a step that was under way when the flow was stopped',
    flow: THREE,
    play: { outcomes: { b: BAD }, stopAt: 'b' },
    told: ['a started', 'a done', 'b started', 'b stopped', 'c skipped'],
  },
  {
    title: 'one that was done all the same is done',
    flow: THREE,
    play: { stopAt: 'b' },
    told: ['a started', 'a done', 'b started', 'b done', 'c skipped'],
  },
  {
    title: 'what an earlier run has finished is not run',
    flow: THREE,
    play: { done: ['a', 'c'] },
    told: ['b started', 'b done'],
  },
  {
    title: 'an error that a step throws ends the flow',
    flow: THREE,
    play: { outcomes: { b: new Error('no claude') } },
    told: ['a started', 'a done', 'b started', 'Error: no claude'],
  },
] as { title: string; flow: Flow; play?: Play; told: string[] }[])('$title', async ({ flow, play: how, told }) => {
  expect(await play(flow, how)).toEqual(told);
});
