import {
  type Accuracy,
  CONTENT_SOURCES,
  type Errors,
  ESTIMATORS,
  type Estimator,
  mergeAccuracy,
  NO_ACCURACY,
} from '../../replay/accuracy/accuracy.ts';
import { counted, tokens } from '../figures.ts';
import { indented } from '../layout.ts';
import type { Report } from './format.ts';
import { bySession } from './session-table.ts';

const NAMES: Readonly<Record<Estimator, string>> = {
  ctxb: 'ctxb',
  last: 'last usage alone',
  output: 'last usage + output',
  quarter: '… + chars/4 of what came in',
  characters: '8,000 + chars/3.5 of everything',
  overhead: '1.3 × chars/4 of what came in',
  summed: 'sum over the last turn',
};

const HEAD = ['calls', 'median', 'p90', 'p99', 'median', 'p90', 'p99'];

/** How well the next call was foreseen: tables over all, and a line for each session. */
export const accuracy: Report = (sessions, page) => {
  const { style, edge } = page;
  const found = sessions.flatMap((session) => (session.accuracy === undefined ? [] : [session.accuracy]));
  const total = found.reduce(mergeAccuracy, NO_ACCURACY);
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    rows.length === 0 ? [] : ['', style.bold(title), ...indented([['', ...HEAD], ...rows], undefined, edge)];
  const measured = sessions.flatMap(({ file, accuracy: own }) =>
    own?.calls.ctxb === undefined ? [] : [{ file, cells: cellsOf(own.calls.ctxb) }],
  );
  const ofEstimators = (errors: Accuracy['calls']) => ESTIMATORS.flatMap((name) => rowOf(NAMES[name], errors[name]));
  return [
    style.bold('Error of the predicted next call, in tokens and in % of what was measured'),
    ...indented([['', ...HEAD], ...ofEstimators(total.calls)], undefined, edge),
    lackingText(total),
    ...section('Where the recording lacks nothing (true output count, no picture)', ofEstimators(total.complete)),
    ...section(
      'ctxb, by what most of the added tokens were',
      CONTENT_SOURCES.flatMap((name) => rowOf(name, total.sources[name])),
    ),
    ...section('Against the pre_tokens of compactions', ofEstimators(total.boundaries)),
    ...(measured.length === 0 ? [] : ['', style.bold('ctxb, by session'), ...bySession(HEAD, measured, page)]),
  ];
};

function rowOf(name: string, errors: Errors | undefined): (readonly string[])[] {
  return errors === undefined ? [] : [[name, ...cellsOf(errors)]];
}

function cellsOf({ tokens: distances, percent }: Errors): readonly string[] {
  const sizes = [distances.median, distances.p90, distances.p99].map((figure) => tokens(figure ?? 0));
  const shares = [percent.median, percent.p90, percent.p99].map((figure) => `${(figure ?? 0).toFixed(3)} %`);
  return [tokens(distances.count), ...sizes, ...shares];
}

function lackingText({ apart, lacking }: Accuracy): string {
  return `  ${[
    `output count not known: ${tokens(lacking.output)}`,
    `a picture came in: ${tokens(lacking.pictures)}`,
    `not compared: ${counted(apart.first, 'first call')}, ${tokens(apart.dropped)} after a drop`,
  ].join('; ')}`;
}
