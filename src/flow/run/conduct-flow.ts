import { relative } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Io } from '../../io.ts';
import { signalExitCode } from '../../session/child.ts';
import type { FlowRunFiles } from '../../store/flow-run.ts';
import { processMark } from '../../store/process-mark.ts';
import { parseFields, textOf } from '../../stream/fields.ts';
import { type Briefing, type BriefingWorld, briefingOf, type StepOutput } from '../briefing.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { StepReceipt } from '../step-receipt.ts';
import { createFlowStop, type FlowStop } from './flow-stop.ts';
import { createLineSink } from './line-sink.ts';
import { runFlow, type StepNews } from './run-flow.ts';
import { runStep, type StepEnd, type StepRun } from './run-step.ts';
import type { Board, Settled } from './schedule.ts';

/** A run of a flow, as its command describes it. */
export interface FlowRun {
  readonly flow: Flow;
  readonly files: FlowRunFiles;
  readonly settled: Settled;
  readonly parallel: number;
  /** How claude is run in a step. */
  readonly claudeFor: (step: FlowStep) => Pick<StepRun, 'program' | 'invocation' | 'config'>;
  /** What a step's briefing is made of beside outputs. */
  readonly brief: (step: FlowStep) => Omit<BriefingWorld, 'outputs'>;
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
  /** By a step's id; the figures are those of all its attempts. */
  readonly ends: ReadonlyMap<string, StepEnd>;
  /** The worst of its steps; of a flow that a signal ended, that. */
  readonly exitCode: number;
}

/**
 * Runs the steps, each in a session of its own, and keeps what they were given and what they said.
 *
 * @throws CtxbError `store` when nothing can be kept, before anything has run; and what `runHeadless` throws
 */
export async function conductFlow(run: FlowRun, io: Io): Promise<FlowEnd> {
  const { flow, settled, parallel, progress } = run;
  noteBeginning(run);
  const ends = new Map<string, StepEnd>();
  const attempts = new Map<string, readonly StepEnd[]>();
  const stop = createFlowStop(parallel);
  try {
    const board = await runFlow(
      flow,
      { settled, parallel },
      {
        stop: stop.noMore,
        attempt: (step, attempt) => attemptStep(run, step, attempt, stop, io),
        onStep(step, news) {
          progress.news(step, news);
          if (!('end' in news)) return;
          const all = [...(attempts.get(step.id) ?? []), news.end];
          attempts.set(step.id, all);
          if (news.kind === 'retry') return;
          const end = allTogether(news.end, all);
          ends.set(step.id, end);
          noteEnd(run, step, { status: news.kind, attempts: all.length, ...end });
        },
      },
    );
    const worst = Math.max(0, ...[...ends.values()].map(({ exitCode }) => exitCode));
    const received = stop.received();
    return { board, ends, exitCode: received === undefined ? worst : signalExitCode(received) };
  } finally {
    stop.clear();
    progress.close();
  }
}

/** What a step of this run said when it was run before must not pass for what it is going to say now. */
function noteBeginning({ flow, files, settled }: FlowRun): void {
  files.writeRun({
    version: 1,
    flow: flow.name,
    started: new Date().toISOString(),
    ctxb: processMark(process.pid),
  });
  for (const { id } of flow.steps) {
    if (settled.done.has(id) || settled.leftOut.has(id)) continue;
    if (files.read(id, STEP_FILE) !== undefined) files.writeJson(id, STEP_FILE, { version: 1, status: 'waiting' });
  }
}

const STEP_FILE = 'step.json';
const OUTPUT_FILE = 'output.md';

function noteEnd(
  { files }: FlowRun,
  { id }: FlowStep,
  { output, ...figures }: StepEnd & { readonly status: string; readonly attempts: number },
): void {
  files.writeJson(id, STEP_FILE, { version: 1, ...figures });
}

/** The last attempt, with what all of them have taken. */
function allTogether(last: StepEnd, attempts: readonly StepEnd[]): StepEnd {
  const sum = (figure: 'calls' | 'costUsd' | 'durationMs') => attempts.reduce((total, end) => total + end[figure], 0);
  return {
    ...last,
    peakTokens: Math.max(...attempts.map(({ peakTokens }) => peakTokens)),
    calls: sum('calls'),
    costUsd: sum('costUsd'),
    durationMs: sum('durationMs'),
  };
}

async function attemptStep(run: FlowRun, step: FlowStep, attempt: number, stop: FlowStop, io: Io): Promise<StepEnd> {
  const { flow, files, progress } = run;
  const outputs = (id: string) => outputOf(files, id, io.cwd);
  const briefing = briefingOf(flow, step, { ...run.brief(step), outputs });
  const receipt = receiptOf(run, attempt, briefing);
  files.write(step.id, 'pack.md', briefing.pack.text);
  files.receipt(flow.name, step.id, receipt);
  const file = files.open(step.id);
  const stream = createLineSink(file.add);
  try {
    const end = await runStep(
      {
        ...run.claudeFor(step),
        prompt: briefing.pack.text,
        timeoutSeconds: step.timeoutSeconds,
        stop: stop.atOnce,
      },
      io,
      { stream, watcher: progress.watcher(step) },
      () => performance.now(),
    );
    files.write(step.id, OUTPUT_FILE, end.output);
    files.receipt(flow.name, step.id, { ...receipt, measured: figuresOf(end) });
    return end;
  } finally {
    await finished(stream.end());
    file.close();
  }
}

function receiptOf({ flow, files }: FlowRun, attempt: number, { pack, budgets }: Briefing): StepReceipt {
  return {
    ...pack.receipt,
    flow: flow.name,
    run: files.id,
    attempt,
    budgets: budgets.values,
    budget_warnings: budgets.warnings,
    measured: undefined,
  };
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

/** What a step of this run has said; undefined: it has not ended by itself. Its path is relative to `cwd`. */
export function outputOf(files: FlowRunFiles, id: string, cwd: string): StepOutput | undefined {
  const { status, error } = parseFields(files.read(id, STEP_FILE) ?? '');
  if (status !== 'done' && status !== 'failed') return undefined;
  const path = relative(cwd, files.path(id, OUTPUT_FILE));
  return { ok: status === 'done', output: files.read(id, OUTPUT_FILE) ?? '', error: textOf(error), path };
}
