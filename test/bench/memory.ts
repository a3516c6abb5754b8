import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Input } from '../../src/core/governor/input.ts';
import { createExtractor, type ExtractedFact } from '../../src/core/memory/extract/extract.ts';
import { createEntryMaker } from '../../src/core/memory/make-entry.ts';
import { createNotebook } from '../../src/core/memory/notebook/notebook.ts';
import { renderIndex } from '../../src/core/memory/notebook/render-index.ts';
import { decodeObject } from '../../src/core/protocol/decode.ts';
import type { Event } from '../../src/core/protocol/events.ts';
import type { Fields } from '../../src/core/protocol/fields.ts';
import { redact } from '../../src/store/masks/redact.ts';
import { FIXTURE_RECORDINGS, linesOf, TRANSCRIPTS } from '../support/recordings.ts';
import { quantile, sized } from './measure.ts';

const EVENTS = sized(1_000_000);
/** When the heap is looked at for the first time. */
const EARLY = EVENTS / 10;
/** Lines that go through one step after the other. All of them at once would fill the heap. */
const BATCH = 512;

const STEPS = ['JSON.parse alone', 'decode', 'extract', 'entries made and masked', 'notebook and its pages'] as const;
type Step = (typeof STEPS)[number];

/** What working memory costs beside JSON.parse of the same lines, and whether it stays small. */
export function benchMemory(): void {
  const lines = corpus();
  const work = createWork();
  const samples = Object.fromEntries(STEPS.map((step) => [step, [] as number[]])) as Record<Step, number[]>;
  let events = 0;
  let early: { readonly events: number; readonly heap: number } | undefined;
  for (let round = 1; events < EVENTS; round++) {
    const took = work.round(lines, round);
    for (const step of STEPS) samples[step].push((took[step] / lines.length) * 1_000);
    events += lines.length;
    if (early === undefined && events >= EARLY) early = { events, heap: heapUsed() };
  }
  print(lines, samples, events);
  printHeap(early?.events ?? 0, early?.heap ?? 0, events, heapUsed());
  work.printIndex();
}

function print(lines: readonly string[], samples: Readonly<Record<Step, readonly number[]>>, events: number): void {
  const size = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
  const rounds = samples['JSON.parse alone'].length;
  console.log(`\nWorking memory, ${count(events)} events: ${rounds} rounds of ${count(lines.length)} lines`);
  console.log(`  of ${(size / 1000).toFixed(1)} KB on average, median of the rounds and its ratio to JSON.parse`);
  const parse = quantile(samples['JSON.parse alone'], 0.5);
  for (const step of STEPS) {
    const median = quantile(samples[step], 0.5);
    const ratio = (median / parse).toFixed(3);
    console.log(`  ${step.padEnd(34)}${median.toFixed(2).padStart(8)} µs an event  ${ratio.padStart(6)} ×`);
  }
}

function printHeap(earlyEvents: number, early: number, events: number, late: number): void {
  const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`;
  console.log(
    `  heap after ${count(earlyEvents)} events ${megabytes(early)}, after ${count(events)} ${megabytes(late)}`,
  );
}

/** The lines of everything at hand, without the envelopes of dialogues. */
function corpus(): string[] {
  return [...FIXTURE_RECORDINGS, ...TRANSCRIPTS].flatMap(({ path }) => linesOf(path)).flatMap(unwrap);
}

function unwrap(text: string): string[] {
  try {
    const { line } = JSON.parse(text) as Fields;
    return [typeof line === 'string' ? line : text];
  } catch {
    return [];
  }
}

/** Every round is about other calls, other commands and other files. */
function renew(line: string, round: number): string {
  return line
    .replaceAll('toolu_', `toolu_${round}_`)
    .replaceAll('"command":"', `"command":"N=${round} `)
    .replaceAll('"file_path":"/', `"file_path":"/r${round}/`);
}

/** One session that all rounds belong to. */
function createWork() {
  const extractor = createExtractor({ isLive: false });
  const entryOf = createEntryMaker(redact);
  const notebook = createNotebook();
  let pages = 0;

  function batch(lines: readonly string[], took: Record<Step, number>): void {
    const timed = <T>(step: Step, work: () => T): T => {
      const begun = performance.now();
      const made = work();
      took[step] += performance.now() - begun;
      return made;
    };
    const values = timed('JSON.parse alone', () => lines.map((line) => JSON.parse(line) as Fields));
    const events = timed('decode', () => values.map(decodeObject));
    const inputs = events.map(inputOf);
    const found: ExtractedFact[] = [];
    timed('extract', () => {
      for (const input of inputs) for (const fact of extractor.add(input)) found.push(fact);
    });
    const entries = timed('entries made and masked', () => found.map(entryOf));
    timed('notebook and its pages', () => {
      for (const entry of entries) for (const { text } of notebook.add(entry).pages) pages += text.length;
    });
  }

  return {
    /** Milliseconds of each step. */
    round(lines: readonly string[], round: number): Record<Step, number> {
      const took = Object.fromEntries(STEPS.map((step) => [step, 0])) as Record<Step, number>;
      for (let from = 0; from < lines.length; from += BATCH) {
        batch(
          lines.slice(from, from + BATCH).map((line) => renew(line, round)),
          took,
        );
      }
      return took;
    },
    printIndex(): void {
      const begun = performance.now();
      const index = renderIndex(notebook, { session: 's', task: 't', state: 's', updated: 0, folder: '.context' });
      const took = performance.now() - begun;
      console.log(`  ${count(pages)} characters of details, an index of ${index.split('\n').length - 1} lines`);
      console.log(`  in ${took.toFixed(1)} ms`);
    },
  };
}

function inputOf(event: Event): Input {
  return { t: 0, from: 'claude', event };
}

/** Of what is left after the garbage is collected. */
function heapUsed(): number {
  // Makes the collector callable without a flag on the command line.
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
