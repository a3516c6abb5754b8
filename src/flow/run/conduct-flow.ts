import type { Io } from '../../io.ts';
import { watchSignals } from '../../session/signals.ts';
import type { FlowRunFiles } from '../../store/flow-run.ts';
import { parseFields, textOf } from '../../stream/fields.ts';
import { type Briefing, briefingOf, historyOf, type StepOutput } from '../briefing.ts';
import { type Curation, curate } from '../curator/curate.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { StepReceipt } from '../step-receipt.ts';
import { runFlow, type StepNews } from './run-flow.ts';
import { runStep, type StepEnd, type StepRun } from './run-step.ts';
import type { Board } from './schedule.ts';

/** A run of a flow, as its command describes it. */
export interface FlowRun {
  readonly flow: Flow;
  readonly files: FlowRunFiles;
  /** Steps that are not run: an earlier run has finished them, or they were not asked for. */
  readonly done: ReadonlySet<string>;
  readonly parallel: number;
  /** How claude is run in a step. */
  readonly claudeFor: (step: FlowStep) => Pick<StepRun, 'program' | 'invocation' | 'config'>;
  /** What a step's briefing is made of beside outputs. */
  readonly brief: Pick<Parameters<typeof briefingOf>[2], 'exists' | 'readPrompt'>;
  readonly progress: FlowWatcher;
}

export interface FlowWatcher {
  news(step: FlowStep, news: StepNews): void;
  watcher(step: FlowStep): Parameters<typeof runStep>[2]['watcher'];
  close(): void;
}

/** What has become of the steps. */
export interface FlowEnd {
  readonly board: Board;
  readonly ends: ReadonlyMap<string, StepEnd>;
  /** The worst of its steps; of a flow that a signal ended, that. */
  readonly exitCode: number;
}

const EXIT_INTERRUPTED = 130;

/** Runs the steps, each in a session of its own, and keeps what they were given and what they said. */
export async function conductFlow(run: FlowRun, io: Io): Promise<FlowEnd> {
  const { flow, files, done, parallel, progress } = run;
  const stop = new AbortController();
  const ends = new Map<string, StepEnd>();
  const signals = watchSignals({ interrupt: () => stop.abort(), kill: () => stop.abort() });
  const board = await runFlow(
    flow,
    { done, parallel },
    {
      stop: stop.signal,
      attempt: (step, attempt) => attemptStep(run, step, attempt, stop.signal, io),
      onStep(step, news) {
        if (news.kind === 'done' || news.kind === 'failed') {
          ends.set(step.id, news.end);
          files.write(step.id, 'step.json', `${JSON.stringify({ status: news.kind, ...news.end }, null, 2)}\n`);
        }
        progress.news(step, news);
      },
    },
  );
  signals.stop();
  progress.close();
  const worst = Math.max(0, ...[...ends.values()].map(({ exitCode }) => exitCode));
  return { board, ends, exitCode: stop.signal.aborted ? EXIT_INTERRUPTED : worst };
}

async function attemptStep(run: FlowRun, step: FlowStep, attempt: number, stop: AbortSignal, io: Io): Promise<StepEnd> {
  const { flow, files, progress } = run;
  const outputs = (id: string) => outputOf(files, id);
  const claude = run.claudeFor(step);
  const curation = await curateStep(run, step, { claude, outputs, stop }, io);
  const briefing = briefingOf(flow, step, { ...run.brief, outputs, curated: curation?.choice });
  const receipt = { ...receiptOf(run, attempt, briefing), curation: curation && curationFigures(curation) };
  files.write(step.id, 'pack.md', briefing.pack.text);
  files.receipt(flow.name, step.id, receipt);
  const stream = files.open(step.id, attempt === 1 ? 'stream.ndjson' : `stream-${attempt}.ndjson`);
  const end = await runStep(
    {
      ...claude,
      prompt: briefing.pack.text,
      timeoutSeconds: step.timeoutSeconds,
      stop,
    },
    io,
    { stream, watcher: progress.watcher(step) },
    () => performance.now(),
  );
  files.write(step.id, 'output.md', end.output);
  files.receipt(flow.name, step.id, { ...receipt, measured: figuresOf(end) });
  return end;
}

function receiptOf({ flow, files }: FlowRun, attempt: number, { pack, budgets }: Briefing): StepReceipt {
  return {
    ...pack.receipt,
    flow: flow.name,
    run: files.id,
    attempt,
    budgets: budgets.values,
    budget_warnings: budgets.warnings,
    curation: undefined,
    measured: undefined,
  };
}

interface Curating {
  readonly claude: ReturnType<FlowRun['claudeFor']>;
  readonly outputs: (id: string) => StepOutput | undefined;
  readonly stop: AbortSignal;
}

/** Only of a step that has earlier ones there is something to choose. */
async function curateStep(
  { flow }: FlowRun,
  step: FlowStep,
  { claude, outputs, stop }: Curating,
  io: Io,
): Promise<Curation | undefined> {
  const history = historyOf(flow, step, { outputs });
  if (!flow.curator.enabled || history.length === 0) return undefined;
  const { program, config, invocation } = claude;
  const { settings } = invocation;
  const now = () => performance.now();
  return curate(step, history, { curator: flow.curator, program, config, settings, stop, now }, io);
}

function curationFigures({ costUsd, durationMs, fault }: Curation): StepReceipt['curation'] {
  return { cost_usd: costUsd, duration_ms: Math.round(durationMs), fault: fault ?? null };
}

function figuresOf(end: StepEnd): StepReceipt['measured'] {
  return {
    exit_code: end.exitCode,
    first_tokens: end.firstTokens,
    peak_tokens: end.peakTokens,
    calls: end.calls,
    cost_usd: end.costUsd,
    duration_ms: Math.round(end.durationMs),
    session_id: end.sessionId ?? null,
  };
}

/** What a step of this run has said; undefined: it has not ended. */
export function outputOf(files: FlowRunFiles, id: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, 'step.json') ?? '');
  if (status !== 'done' && status !== 'failed') return undefined;
  return { ok: status === 'done', output: files.read(id, 'output.md') ?? '', error: textOf(error) };
}
