import { describe, expect, it } from 'vitest';
import { isDecision } from '../../src/core/governor/decisions.ts';
import { initialState } from '../../src/core/governor/initial-state.ts';
import type { Input } from '../../src/core/governor/input.ts';
import type { Run } from '../../src/core/governor/state.ts';
import { step } from '../../src/core/governor/step.ts';
import { decodeObject } from '../../src/core/protocol/decode.ts';
import { type Attributes, createSignals, type Metric } from '../../src/telemetry/create-signals.ts';
import { callLine, initLine, type Line, resultLine, runWith, userLine } from '../support/governor.ts';
import type { Judged } from '../support/model/model-run.ts';
import { play } from '../support/model/streams.ts';

interface Figure {
  readonly metric: Metric;
  readonly value: number;
  readonly attributes: Attributes;
}

/** All figures of a run that was judged so. */
function figuresOf(judged: readonly Judged[]): Figure[] {
  const figures: Figure[] = [];
  const run = createSignals((metric, value, attributes = {}) => void figures.push({ metric, value, attributes }));
  for (const one of judged) {
    run.see(one);
    for (const action of one.actions.filter(isDecision)) run.decided(action);
  }
  return figures;
}

type Happening = Line | Input['event'];

/** What happens in a run, a second apart; a plain object with a `type` is a line from claude. */
function judgedOf(happenings: readonly Happening[], changes: Partial<Run> = {}): Judged[] {
  let state = initialState(runWith({ mode: 'observe', ...changes }));
  return happenings.map((happening, at) => {
    const before = state;
    const input = inputOf(happening, (at + 1) * 1_000);
    const after = step(before, input);
    const { actions } = after;
    state = after;
    return { input, raw: undefined, before, after, actions };
  });
}

function inputOf(happening: Happening, t: number): Input {
  if ('kind' in happening) return { t, from: 'ctxb', event: happening } as Input;
  if (happening.type !== 'user' || !('uuid' in happening)) return { t, from: 'claude', event: decodeObject(happening) };
  return { t, from: 'caller', event: decodeObject(happening), line: JSON.stringify(happening) };
}

const begin = { kind: 'begin' } as const;
const prompt = (uuid: string): Line => userLine('Do the thing in /home/me/secret.txt.', { uuid });

type Point = Readonly<Record<string, unknown>> & { readonly value: number };

function of(figures: readonly Figure[], metric: Metric): Point[] {
  return figures
    .filter((figure) => figure.metric === metric)
    .map(({ value, attributes }) => ({ value, ...attributes }));
}

function sumOf(figures: readonly Figure[], metric: Metric): number {
  return of(figures, metric).reduce((sum, { value }) => sum + value, 0);
}

it('sends figures only when they change', () => {
  const lines = [begin, prompt('a'), initLine(), callLine(30_000), callLine(30_000), resultLine(), resultLine()];
  expect(of(figuresOf(judgedOf(lines)), 'ctxb.context.window')).toHaveLength(1);
});

it('counts costs once', () => {
  const lines = [begin, prompt('a'), initLine(), callLine(30_000), resultLine({ total_cost_usd: 0.5 }), resultLine()];
  expect(sumOf(figuresOf(judgedOf(lines)), 'ctxb.cost')).toBeCloseTo(0.5, 6);
});

it('sends the saving compared with claude alone, once it is not zero', () => {
  const [first, last] = judgedOf([begin, prompt('a'), initLine(), callLine(30_000)]).slice(-2) as [Judged, Judged];
  const saving = (usd: number): Judged => {
    const { relief } = last.after;
    const baseline = { ...relief.baseline, microUsd: { baseline: 1_000_000 + usd * 1_000_000, real: 1_000_000 } };
    return { ...last, before: first.before, after: { ...last.after, relief: { ...relief, baseline } } };
  };
  expect(of(figuresOf([saving(0), saving(0.25), saving(-0.12)]), 'ctxb.saved')).toEqual([
    { value: 0.25 },
    { value: -0.12 },
  ]);
});

describe('a random session', () => {
  const bySeed = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((seed) => figuresOf(play(seed).judged));

  it('counts compactions and handoffs among the decisions', () => {
    const names = of(bySeed.flat(), 'ctxb.decisions').map((each) => each['ctxb.decision']);
    expect(names).toEqual(expect.arrayContaining(['compact', 'compacted', 'landed', 'handed-over']));
  });

  it('has no spoken text and no path in attributes', () => {
    const texts = bySeed.flat().flatMap(({ attributes }) => Object.values(attributes));
    expect(texts.length).toBeGreaterThan(100);
    expect(texts.filter((text) => !/^[\w.:[\]-]+$/.test(text))).toEqual([]);
  });
});
