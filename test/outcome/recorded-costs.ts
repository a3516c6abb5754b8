import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PRICES, priceOf } from '../../src/core/governor/cost/prices.ts';
import { fetchSample, placeOf } from '../accuracy/sample.ts';
import { type Played, playAlone, playGoverned } from '../support/economy/played-claude.ts';
import { type Doubled, doubledIn } from './doubled.ts';
import { jobOfRecorded, type RecordedSession, readRecorded } from './recorded.ts';

/** A session with claude alone, and with ctxb. */
interface Pair {
  readonly alone: Played;
  readonly ctxb: Played;
  /** What was fetched again. */
  readonly fetched: number;
}

const SONNET = 'claude-sonnet-4-6';

interface World {
  readonly model: string;
  readonly window: number;
  readonly cold?: boolean;
}

const WORLDS: readonly (readonly [name: string, of: (session: RecordedSession) => World])[] = [
  [
    'its own model and window',
    ({ model = '', window }) => ({ model: priceOf(model, PRICES) ? model : SONNET, window }),
  ],
  ['Sonnet, 200k', () => ({ model: SONNET, window: 200_000 })],
  ['the default model, 1M', () => ({ model: 'claude-opus-5-5', window: 1_000_000 })],
  ['the default model, a cold cache', () => ({ model: 'claude-opus-5-5', window: 1_000_000, cold: true })],
];

/**
 * Prints what the recorded sessions would cost with ctxb beside claude alone, in the memory of this process.
 *
 * @param paths of session logs or recorded streams, or of folders of them; `sample`: those of `npm run accuracy`
 */
export function printRecorded(paths: readonly string[]): void {
  const sessions = paths.flatMap(filesIn).flatMap((file) => readRecorded(file) ?? []);
  const heads = [
    'sessions',
    'compacted',
    'claude alone',
    'ctxb run',
    'p10',
    'median',
    'p90',
    'cheaper',
    'worst',
    'fetched',
  ];
  console.log(row(['prices, window', ...heads]));
  console.log(row(['---', ...heads.map(() => '--:')]));
  for (const [name, worldOf] of WORLDS) {
    const pairs = sessions.map((session) => pairOf(session, worldOf(session)));
    console.log(row([name, ...figuresOf(pairs)]));
  }
  console.log(`\n${doubledText(sessions.map(doubledIn))}`);
}

function doubledText(sessions: readonly Doubled[]): string {
  const sum = (of: (one: Doubled) => number) => sessions.reduce((total, one) => total + of(one), 0);
  const shares = sessions.map(shareOf).sort((a, b) => a - b);
  const [median, most] = [shares[Math.floor(shares.length / 2)] ?? 0, shares.at(-1) ?? 0];
  const all = shareOf({ read: sum(({ read }) => read), doubled: sum(({ doubled }) => doubled) });
  const [inAll, middle, last] = [all, median, most].map((share) => `${(100 * share).toFixed(1)} %`);
  return `Of the tool results that the calls read, ${inAll} stand there in a newer state too (median session ${middle}, most ${last}).`;
}

function shareOf({ read, doubled }: Doubled): number {
  return doubled / Math.max(1, read);
}

/** Where `npm run accuracy` keeps its sample. */
const SAMPLE = join('node_modules', '.cache', 'ctxb-accuracy');

function sampleFiles(): string[] {
  const sources = fetchSample(SAMPLE, 'sample.txt');
  const faults = sources.flatMap(({ fault }) => fault ?? []);
  if (faults.length > 0) throw new Error(`the sample cannot be fetched: ${faults.join('; ')}`);
  return sources.flatMap(({ files }) => files.map(({ hash }) => placeOf(SAMPLE, hash)));
}

function filesIn(path: string): string[] {
  if (path === 'sample') return sampleFiles();
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => /\.(?:jsonl|ndjson)$/.test(file)).map((file) => join(path, file));
}

function pairOf(session: RecordedSession, world: World): Pair {
  let fetched = 0;
  const given = { ...world, prefix: session.prefix };
  const alone = playAlone(jobOfRecorded(session), given);
  const ctxb = playGoverned(
    jobOfRecorded(session, () => {
      fetched++;
    }),
    given,
  );
  return { alone, ctxb, fetched };
}

/** Of the sessions that ctxb relieved; the others cost the same. */
function figuresOf(pairs: readonly Pair[]): string[] {
  const relieved = pairs.filter(({ ctxb }) => ctxb.reliefs.length > 0);
  const ratios = relieved.map(({ alone, ctxb }) => ctxb.usd / alone.usd).sort((a, b) => a - b);
  const at = (share: number) => ratios[Math.min(ratios.length - 1, Math.floor(share * ratios.length))] ?? 1;
  const sum = (of: (pair: Pair) => number) => relieved.reduce((total, pair) => total + of(pair), 0);
  const cheaper = ratios.filter((ratio) => ratio < 1).length / Math.max(1, ratios.length);
  return [
    ...[String(pairs.length), String(relieved.length)],
    ...[sum(({ alone }) => alone.usd), sum(({ ctxb }) => ctxb.usd)].map((usd) => `$${usd.toFixed(2)}`),
    ...[at(0.1), at(0.5), at(0.9)].map((ratio) => ratio.toFixed(2)),
    `${Math.round(100 * cheaper)} %`,
    (ratios.at(-1) ?? 1).toFixed(2),
    String(sum(({ fetched }) => fetched)),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
