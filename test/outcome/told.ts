// Plays jobs drawn by lot with claude alone and with ctxb, and prints where the saving that a run tells differs from the
// real one, and how many runs cost more than the bound: node dist/bench/told.mjs [drawn|wide|long|kinds|reported|level|resumed|thinking|fixed|attached|a kind] [first seed] [last seed]
import { savedUsd } from '../../src/core/governor/relief/accounts.ts';
import { sumOf } from '../../src/core/text/sum-of.ts';
import { drawn, drawnLong, drawnWide } from '../support/economy/drawn.ts';
import { drawnKind, KINDS } from '../support/economy/kinds.ts';
import { mostUsd, type Played, playAlone, playGoverned, savedByAccount } from '../support/economy/played-claude.ts';
import { hasSettings, inSettings, REPORTED, reportedJob, WINDOWS } from '../support/economy/reported.ts';
import { jobOf } from '../support/economy/shapes.ts';
import type { Driver } from '../support/governor.ts';
import { line, usd } from './range.ts';

/** What the account counts of claude alone. */
interface Counted {
  skipped: number;
  owed: number;
  summaries: number;
}

interface Row {
  readonly cells: readonly string[];
  /** Error as a share of the cost with claude alone. */
  readonly error: number;
  /** Dollars above 1.05 times the cost with claude alone, and above that and the dearest compaction. */
  readonly above: { readonly flat: number; readonly bound: number };
}

/** Counts what the account adds and leaves out, at each call. */
function watched(driver: Driver, counted: Counted): Driver {
  const { claude } = driver;
  const watch: Driver['claude'] = (...lines) =>
    lines.flatMap((each) => {
      const { step } = driver.state.work.tools.contents;
      const actions = claude(each);
      const { facts, relief } = driver.state;
      if (facts.call === undefined) return actions;
      if (step.results > 0 && step.refetched >= step.results) counted.skipped++;
      counted.owed += step.baselineFetches.calls;
      if (relief.baseline.summary !== undefined) counted.summaries++;
      return actions;
    });
  return Object.defineProperty(Object.create(driver), 'claude', { value: watch });
}

function rowOf(name: string, alone: Played, run: Played, { skipped, owed, summaries }: Counted): Row {
  if (run.driver === undefined) throw new Error('claude alone tells nothing');
  const { state } = run.driver;
  const [told, measured] = [savedUsd(state), alone.usd - run.usd];
  const error = savedByAccount(run) - measured;
  const share = error / alone.usd;
  const calls = `${alone.calls} / ${run.calls - skipped + owed}`;
  const figures = [
    usd(alone.usd),
    usd(run.usd),
    (run.usd / alone.usd).toFixed(3),
    usd(told),
    usd(measured),
    usd(error),
    `${(100 * share).toFixed(1)} %`,
  ];
  const above = { flat: run.usd - 1.05 * alone.usd, bound: run.usd - mostUsd(run, alone.usd) };
  return {
    ...{ error: share, above },
    cells: [name, ...figures, calls, `${alone.summaries} / ${summaries}`, String(run.summaries)],
  };
}

function namesOf(kind: string): string[] {
  if (kind === 'kinds') return Object.keys(KINDS);
  if (hasSettings(kind)) return [...Object.keys(KINDS), ...Object.keys(REPORTED)];
  return kind === 'reported' ? Object.keys(REPORTED) : [kind];
}

function jobsOf(name: string, seed: number) {
  if (name in KINDS) return [drawnKind(name, seed)];
  if (name in REPORTED) return WINDOWS.map((window) => reportedJob(name, seed, window));
  const { shape, world } = (name === 'wide' ? drawnWide : name === 'long' ? drawnLong : drawn)(seed);
  return [{ job: jobOf(shape, seed), world }];
}

const [kind = 'drawn', first = '1', last = '60'] = process.argv.slice(2);
const seeds = Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
const names = namesOf(kind);
const rows = names.flatMap((name) =>
  seeds.flatMap((seed) =>
    jobsOf(name, seed)
      .flatMap((each) => inSettings(kind, each))
      .map(({ job, world }): Row => {
        const counted: Counted = { skipped: 0, owed: 0, summaries: 0 };
        const run = playGoverned(job, world, (driver) => watched(driver, counted));
        const level = [world.level, world.resumed, world.thoughts, world.attached, world.prefix].find(
          (tokens) => tokens !== undefined,
        );
        const setting = level === undefined ? '' : `, ${kind} ${level / 1_000}k`;
        const title = `${name} ${seed}, ${world.model}, ${world.window / 1_000}k${setting}`;
        return rowOf(title, playAlone(job, world), run, counted);
      }),
  ),
);
const heads = [
  'alone',
  'ctxb',
  '×',
  'told',
  'measured',
  'error',
  'of alone',
  'calls: real / counted',
  'summaries',
  'in the run',
];
console.log(line(['job', ...heads]));
console.log(line(['---', ...heads.map(() => '--:')]));
for (const { cells } of rows.sort((a, b) => Math.abs(b.error) - Math.abs(a.error))) console.log(line(cells));

const dearer = rows.filter(({ above }) => above.flat > 0);
const sum = usd(sumOf(dearer, ({ above }) => above.flat));
const beyond = rows.filter(({ above }) => above.bound > 0).length;
console.log(
  `\n${dearer.length} of ${rows.length} runs cost more than 1.05 times as much as claude alone: together ${sum} more.`,
);
console.log(`With the price of the dearest compaction in the bound: ${beyond} of ${rows.length}.`);
