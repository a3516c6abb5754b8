import { expect, it } from 'vitest';
import type { Flow, FlowStep } from '../../../src/flow/flow.ts';
import { runFlow } from '../../../src/flow/run/run-flow.ts';
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
  /** Steps that an earlier run has finished. */
  readonly done?: readonly string[];
  /** The flow is stopped when this step starts. */
  readonly stopAt?: string;
}

/** Runs a flow whose attempts take no time, and writes down what happens. */
async function play(flow: Flow, { outcomes = {}, done = [], stopAt }: Play = {}) {
  const told: string[] = [];
  const stop = new AbortController();
  const attempts = ({ id }: FlowStep) => {
    const left = [...(outcomes[id] ?? [])];
    return async () => {
      if (id === stopAt) stop.abort();
      await new Promise((resolve) => setImmediate(resolve));
      const outcome = left.shift() ?? OK;
      if (outcome instanceof Error) throw outcome;
      return outcome;
    };
  };
  const onStep = ({ id }: FlowStep, { kind }: { readonly kind: string }) => void told.push(`${id} ${kind}`);
  const board = runFlow(flow, new Set(done), { attempts, onStep, stop: stop.signal });
  const outcome = await board.then(Object.fromEntries, (error: Error) => error.message);
  return { told, outcome };
}

const THREE = flowOf(['a', 'b', 'c'].map((id) => flowStep({ id })));
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
    told: [
      'a started',
      'a retry',
      'a started',
      'a retry',
      'a started',
      'a done',
      'b started',
      'b done',
      'c started',
      'c done',
    ],
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
    title: 'what an earlier run has finished is not run',
    flow: THREE,
    play: { done: ['a', 'c'] },
    told: ['b started', 'b done'],
    outcome: { a: 'done', b: 'done', c: 'done' },
  },
  {
    title: 'an error that an attempt throws ends the flow',
    flow: THREE,
    play: { outcomes: { b: [new Error('no claude')] } },
    told: ['a started', 'a done', 'b started'],
    outcome: 'no claude',
  },
] as { title: string; flow: Flow; play?: Play; told: string[]; outcome: object | string }[])(
  '$title',
  async ({ flow, play: how, told, outcome }) => {
    const seen = await play(flow, how);
    expect(seen.outcome).toEqual(outcome);
    expect(seen.told).toEqual(told);
  },
);
