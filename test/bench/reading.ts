import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import type { ReplayReport } from '../../src/replay/summary.ts';
import { type Corpus, writeCorpus, writeLog } from './corpus.ts';
import { alternate, quantile } from './measure.ts';

const ROUNDS = 5;
const MEGABYTE = 1_000_000;

/** Megabytes of the folder, and of the single file. */
const FOLDER_MEGABYTES = Number(process.env.CTXB_BENCH_MEGABYTES ?? 256);

/** A program that sums up the session logs of a folder; it is left out where it is not installed. */
const CCUSAGE = process.env.CTXB_BENCH_CCUSAGE ?? 'ccusage';

/** What a program printed, what it took, and its memory at most where it says so. */
interface Ran {
  readonly out: string;
  readonly seconds: number;
  readonly peakMegabytes: number | undefined;
}

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What must be the same of all that say anything of it. */
  readonly found?: (out: string) => Readonly<Record<string, unknown>>;
}

interface Row {
  readonly name: string;
  readonly seconds: number;
  readonly megabytesPerSecond: number;
  readonly peakMegabytes?: number | undefined;
}

/** How fast recordings are read and judged, beside other programs that read them. Writes test/bench/results.json. */
export async function benchReading(folder: string, ctxb: string, env: Readonly<Record<string, string>>): Promise<void> {
  const places = { folder: join(folder, 'claude'), file: join(folder, 'session.jsonl') };
  mkdirSync(places.folder);
  const many = writeCorpus(places.folder, FOLDER_MEGABYTES * MEGABYTE);
  const one = writeLog(places.file, FOLDER_MEGABYTES * MEGABYTE);
  const results = {
    machine: { processor: cpus()[0]?.model ?? '', cores: cpus().length, node: process.version },
    file: { ...shapeOf(one), rows: await compare(fileBench(places.file, ctxb), one, env) },
    folder: { ...shapeOf(many), rows: await compare(folderBench(places.folder, folder, ctxb), many, env) },
  };
  print('One session log', results.file);
  print('A folder of recordings', results.folder);
  writeFileSync('test/bench/results.json', `${JSON.stringify(results, null, 2)}\n`);
  rmSync(places.folder, { recursive: true });
  rmSync(places.file);
}

function fileBench(file: string, ctxb: string): Program[] {
  const once = join(process.cwd(), 'dist', 'bench', 'read-once.mjs');
  const types = (out: string) => ({ types: sorted(JSON.parse(out) as Record<string, number>) });
  const own = (how: string): Program['command'] => [process.execPath, ...SAY_PEAK, once, how, file];
  return [
    { name: 'cat', command: ['cat', file] },
    { name: 'wc -l', command: ['wc', '-l', file], found: (out) => ({ lines: Number.parseInt(out, 10) }) },
    ...(has('jq') ? [{ name: 'jq -c .type', command: ['jq', '-c', '.type', file], found: countedTypes }] : []),
    { name: 'readline and JSON.parse', command: own('readline'), found: types },
    { name: 'reading', command: own('ctxb'), found: types },
    {
      name: 'ctxb replay',
      command: [process.execPath, ...SAY_PEAK, ctxb, 'replay', '--no-cache', '--json', file],
      found: (out) => ({ lines: sumOf(out, ({ lines }) => lines.total) }),
    },
  ];
}

function folderBench(recordings: string, home: string, ctxb: string): Program[] {
  const sums = (out: string) => ({
    input: sumOf(out, ({ dialect, traffic }) => (dialect === 'session' ? traffic.main.input : 0)),
    cacheCreation: sumOf(out, ({ dialect, traffic }) => (dialect === 'session' ? traffic.main.cacheCreation : 0)),
    cacheRead: sumOf(out, ({ dialect, traffic }) => (dialect === 'session' ? traffic.main.cacheRead : 0)),
  });
  const own = (...flags: readonly string[]) => [
    process.execPath,
    ...SAY_PEAK,
    ctxb,
    'replay',
    '--json',
    ...flags,
    recordings,
  ];
  const theirs = (out: string) => {
    const { totals } = JSON.parse(out) as { totals: Record<string, number> };
    return { input: totals.inputTokens, cacheCreation: totals.cacheCreationTokens, cacheRead: totals.cacheReadTokens };
  };
  const ccusage = {
    command: [CCUSAGE, 'session', '--offline', '--json'],
    env: { HOME: home, CLAUDE_CONFIG_DIR: recordings },
  };
  return [
    ...(has(CCUSAGE) ? [{ name: 'ccusage session --offline', ...ccusage, found: theirs }] : []),
    { name: 'ctxb replay', command: own('--no-cache'), found: sums },
    { name: 'ctxb replay, again', command: own(), found: sums },
  ];
}

/** Node says at its end how much memory it has had. */
const PEAK = /^peak (\d+)$/m;
const SAY_PEAK = [
  '--import',
  'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))',
];

async function compare(programs: readonly Program[], { bytes }: Corpus, env: Program['env']): Promise<Row[]> {
  const peaks = new Map<string, number>();
  const found: Record<string, unknown> = {};
  const runs = programs.map((program) => {
    const run = async () => {
      const { out, seconds, peakMegabytes } = await runOnce(program, { ...env, ...program.env });
      if (peakMegabytes !== undefined) peaks.set(program.name, Math.max(peakMegabytes, peaks.get(program.name) ?? 0));
      agree(program, found, out);
      return seconds;
    };
    return [program.name, run] as const;
  });
  const samples = await alternate(Object.fromEntries(runs), ROUNDS);
  return Object.entries(samples).map(([name, values]) => {
    const seconds = quantile(values, 0.5);
    return {
      name,
      seconds: rounded(seconds, 3),
      megabytesPerSecond: Math.round(bytes / MEGABYTE / seconds),
      peakMegabytes: peaks.get(name),
    };
  });
}

function agree({ name, found: read }: Program, found: Record<string, unknown>, out: string): void {
  for (const [what, figure] of Object.entries(read?.(out) ?? {})) {
    const text = JSON.stringify(figure);
    found[what] ??= text;
    if (found[what] !== text) throw new Error(`${name}: ${what} is ${text}, others found ${String(found[what])}`);
  }
}

function runOnce(
  { name, command: [file = '', ...args] }: Program,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const begun = performance.now();
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => name === 'cat' || out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      const seconds = (performance.now() - begun) / 1_000;
      const stderr = Buffer.concat(said).toString();
      if (code !== 0) reject(new Error(`${name} ended with ${code}: ${stderr}`));
      const peak = PEAK.exec(stderr)?.[1];
      const peakMegabytes = peak === undefined ? undefined : Math.round((Number(peak) * 1_024) / MEGABYTE);
      resolve({ out: Buffer.concat(out).toString(), seconds, peakMegabytes });
    });
  });
}

function has(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function countedTypes(out: string): { readonly types: unknown; readonly lines: number } {
  const types: Record<string, number> = {};
  const lines = out.trimEnd().split('\n');
  for (const line of lines) {
    const type = String(JSON.parse(line));
    types[type] = (types[type] ?? 0) + 1;
  }
  return { types: sorted(types), lines: lines.length };
}

function sorted(counts: Readonly<Record<string, number>>): unknown {
  return Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1));
}

function sumOf(out: string, figure: (session: ReplayReport['sessions'][number]) => number): number {
  return (JSON.parse(out) as ReplayReport).sessions.reduce((sum, session) => sum + figure(session), 0);
}

function shapeOf({ files, bytes, lines, inLargeResults, notAscii }: Corpus) {
  const share = (part: number) => rounded(part / bytes, 2);
  return { files, bytes, lines, largeResults: share(inLargeResults), notAscii: share(notAscii) };
}

function rounded(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}

function print(title: string, { bytes, lines, rows }: { bytes: number; lines: number; rows: readonly Row[] }): void {
  console.log(
    `\n${title}: ${Math.round(bytes / MEGABYTE)} MB, ${lines.toLocaleString('en-US')} lines, medians of ${ROUNDS}\n`,
  );
  console.log('| | seconds | MB/s | peak memory |\n| --- | ---: | ---: | ---: |');
  for (const { name, seconds, megabytesPerSecond: speed, peakMegabytes: peak } of rows) {
    console.log(
      `| ${name} | ${seconds.toFixed(2)} | ${speed.toLocaleString('en-US')} | ${peak === undefined ? '' : `${peak} MB`} |`,
    );
  }
}
