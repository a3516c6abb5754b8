import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ReplayReport } from '../../src/replay/sums.ts';
import { type Corpus, writeCorpus, writeLog } from './corpus.ts';
import { alternate, quantile, sized } from './measure.ts';

const ROUNDS = sized(5);
const MEGABYTE = 1_000_000;

/** Megabytes of the folder, and of the single file. */
const MEGABYTES = Number(process.env.CTXB_BENCH_MEGABYTES ?? sized(256));

/** Where `npm install --no-save @ccusage/ccusage-linux-x64` (or that of another system) puts the program of ccusage. */
const NATIVE = resolve(`node_modules/@ccusage/ccusage-${process.platform}-${process.arch}/bin/ccusage`);

/**
 * A program that sums up the session logs of a folder; it is left out where it is not installed. The table of docs/replay.md
 * is of ccusage 20.
 */
const CCUSAGE = process.env.CTXB_BENCH_CCUSAGE ?? installedCcusage();

function installedCcusage(): string {
  if (!existsSync(NATIVE)) return 'ccusage';
  // The package does not mark it as a program.
  chmodSync(NATIVE, 0o755);
  return NATIVE;
}

/** The `ctxb.cjs` of another build to compare this one with; it is left out where none is named. */
const BEFORE = process.env.CTXB_BENCH_BEFORE;

/** What others are compared with. */
const JQ = 'jq -c .type';
const CCUSAGE_ROW = 'ccusage session --offline';

/** What a program printed, what it took, and the memory that it and all that it started had at most, where the system tells. */
interface Ran {
  readonly out: string;
  readonly seconds: number;
  /** Of processors, its own and the system's. */
  readonly cpuSeconds: number;
  readonly peakMegabytes: number | undefined;
}

interface Program {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What must be the same of all that say anything of it. */
  readonly found?: (out: string) => Readonly<Record<string, unknown>>;
}

/** Medians of all rounds. */
type Row = Omit<Ran, 'out'> & { readonly name: string };

/** How fast recordings are read and judged, beside other programs that read them. */
export async function benchReading(folder: string, ctxb: string, env: Readonly<Record<string, string>>): Promise<void> {
  const places = { folder: join(folder, 'claude'), twice: join(folder, 'twice'), file: join(folder, 'session.jsonl') };
  const one = writeLog(places.file, MEGABYTES * MEGABYTE);
  print('One session log', one, await compare(fileBench(places.file, ctxb), env));
  rmSync(places.file);
  const many = writeCorpus(places.folder, MEGABYTES * MEGABYTE);
  writeCorpus(places.twice, 2 * MEGABYTES * MEGABYTE);
  print(`A folder of ${many.files} session logs`, many, await compare(folderBench(places, folder, ctxb), env));
  for (const recordings of [places.folder, places.twice]) rmSync(recordings, { recursive: true });
}

function fileBench(file: string, ctxb: string): Program[] {
  const once = join(process.cwd(), 'dist', 'bench', 'read-once.mjs');
  const types = (out: string) => ({ types: sorted(JSON.parse(out) as Record<string, number>) });
  const own = (how: string): Program['command'] => [process.execPath, once, how, file];
  return [
    { name: 'cat', command: ['cat', file] },
    { name: 'wc -l', command: ['wc', '-l', file], found: (out) => ({ lines: Number.parseInt(out, 10) }) },
    ...(has('jq') ? [{ name: JQ, command: ['jq', '-c', '.type', file], found: countedTypes }] : []),
    { name: 'readline and JSON.parse', command: own('readline'), found: types },
    { name: 'reading', command: own('ctxb'), found: types },
    ...builds(ctxb, (program) => ({
      'ctxb replay': {
        command: [...program, 'replay', '--no-cache', '--json', file],
        found: (out) => ({ lines: sumOf(out, ({ lines }) => lines.total) }),
      },
      'ctxb replay --by day': { command: [...program, 'replay', '--no-cache', '--by', 'day', file] },
    })),
  ];
}

/** The same rows of this build and of the one that it is compared with. */
function builds(
  ctxb: string,
  rowsOf: (program: Program['command']) => Readonly<Record<string, Omit<Program, 'name'>>>,
): Program[] {
  const files = { '': ctxb, ...(BEFORE && { ', the build before': BEFORE }) };
  return Object.entries(files).flatMap(([build, file]) =>
    Object.entries(rowsOf([process.execPath, file])).map(([name, row]) => ({
      ...row,
      name: `${name}${build}`,
    })),
  );
}

function folderBench(
  { folder: recordings, twice }: { readonly folder: string; readonly twice: string },
  home: string,
  ctxb: string,
): Program[] {
  const sums = (out: string) => ({
    input: sumOf(out, ({ traffic }) => traffic.main.input),
    cacheCreation: sumOf(out, ({ traffic }) => traffic.main.cacheCreation),
    cacheRead: sumOf(out, ({ traffic }) => traffic.main.cacheRead),
  });
  const theirs = (out: string) => {
    const { totals } = JSON.parse(out) as { totals: Record<string, number> };
    return { input: totals.inputTokens, cacheCreation: totals.cacheCreationTokens, cacheRead: totals.cacheReadTokens };
  };
  const ccusage = {
    command: [CCUSAGE, 'session', '--offline', '--json'],
    env: { HOME: home, CLAUDE_CONFIG_DIR: recordings },
  };
  return [
    ...(has(CCUSAGE) ? [{ name: CCUSAGE_ROW, ...ccusage, found: theirs }] : []),
    ...builds(ctxb, (program) => ({
      'ctxb replay, the list': { command: [...program, 'replay', '--no-cache', recordings] },
      'ctxb replay, the list of twice as much': { command: [...program, 'replay', '--no-cache', twice] },
      'ctxb replay, the list again': { command: [...program, 'replay', recordings] },
      'ctxb replay --json': { command: [...program, 'replay', '--json', '--no-cache', recordings], found: sums },
      'ctxb replay --json, again': { command: [...program, 'replay', '--json', recordings], found: sums },
    })),
  ];
}

async function compare(programs: readonly Program[], env: Program['env']): Promise<Row[]> {
  const found: Record<string, unknown> = {};
  const runs = programs.map((program) => {
    const run = async () => {
      const ran = await runOnce(program, { ...env, ...program.env });
      agree(program, found, ran.out);
      return ran;
    };
    return [program.name, run] as const;
  });
  const samples = await alternate(Object.fromEntries(runs), ROUNDS);
  return Object.entries(samples).map(([name, rounds]) => {
    const median = (of: (ran: Ran) => number) => quantile(rounds.map(of), 0.5);
    const peaks = rounds.flatMap(({ peakMegabytes }) => peakMegabytes ?? []);
    return {
      name,
      seconds: median(({ seconds }) => seconds),
      cpuSeconds: median(({ cpuSeconds }) => cpuSeconds),
      peakMegabytes: peaks.length === 0 ? undefined : Math.max(...peaks),
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

/** A shell tells at its end what its children took: `user system` of itself, then of them. */
const TIMED = '"$@" || exit; times >&2';
const TIMES = /(\d+)m([\d.]+)s (\d+)m([\d.]+)s\s*$/;

function runOnce({ name, command }: Program, env: Readonly<Record<string, string>>): Promise<Ran> {
  const begun = performance.now();
  const child = spawn('sh', ['-c', TIMED, 'sh', ...command], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, memoryOf(child.pid ?? 0))), LOOK_MS);
  const out: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => name === 'cat' || out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      clearInterval(watch);
      const seconds = (performance.now() - begun) / 1_000;
      const stderr = Buffer.concat(said).toString();
      if (code !== 0) reject(new Error(`${name} ended with ${code}: ${stderr}`));
      const [minutes = 0, user = 0, more = 0, system = 0] = (TIMES.exec(stderr) ?? []).slice(1).map(Number);
      const cpuSeconds = (minutes + more) * 60 + user + system;
      const peakMegabytes = peak === 0 ? undefined : Math.round((peak * 1_024) / MEGABYTE);
      resolve({ out: Buffer.concat(out).toString(), seconds, cpuSeconds, peakMegabytes });
    });
  });
}

/** How often the memory is looked at: the system keeps the peak of each process itself. */
const LOOK_MS = 25;

/** Kibibytes that a process, and all that it started, have had at most; 0 where the system does not tell. */
function memoryOf(pid: number): number {
  try {
    const [, peak = 0] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + memoryOf(Number(child)), Number(peak));
  } catch {
    // It is gone.
    return 0;
  }
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

function print(title: string, { bytes, lines }: Corpus, rows: readonly Row[]): void {
  const size = `${Math.round(bytes / MEGABYTE)} MB, ${lines.toLocaleString('en-US')} lines`;
  const base = rows.find(({ name }) => name === JQ || name === CCUSAGE_ROW) ?? rows[0];
  console.log(`\n${title}: ${size}, medians of ${ROUNDS}; × ${base?.name ?? ''}\n`);
  console.log('| | seconds | × | processor seconds | × | peak memory |\n| --- | ---: | ---: | ---: | ---: | ---: |');
  for (const { name, seconds, cpuSeconds, peakMegabytes: peak } of rows) {
    const ratios = [seconds / (base?.seconds ?? 1), cpuSeconds / (base?.cpuSeconds ?? 1)].map((one) => one.toFixed(2));
    const figures = [
      seconds.toFixed(2),
      ratios[0],
      cpuSeconds.toFixed(2),
      ratios[1],
      peak === undefined ? '' : `${peak} MB`,
    ];
    console.log(`| ${[name, ...figures].join(' | ')} |`);
  }
}
