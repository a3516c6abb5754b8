import { signalExitCode } from '../../claude/child.ts';
import type { Io } from '../../io.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import { type Briefing, type BriefingWorld, briefingOf, historyOf, promptOf } from '../briefing.ts';
import { type Curation, curate } from '../curator/curate.ts';
import { createSummaries } from '../curator/summaries.ts';
import { OUTPUT_FILE, stepOutput } from '../earlier-run.ts';
import { effectiveCurator } from '../effective.ts';
import type { Curator, Flow, FlowStep } from '../flow.ts';
import type { StepReceipt } from '../step-receipt.ts';
import type { Settled, StepNews } from './run-flow.ts';
import { runStep, type StepEnd, type StepRun, type StepWatcher } from './run-step.ts';

/** A run of a flow as the command line asks for it. */
export interface FlowRun {
  readonly flow: Flow;
  readonly files: FlowRunFiles;
  readonly settled: Settled;
  readonly parallel: number;
  readonly claudeFor: (step: FlowStep) => Pick<StepRun, 'program' | 'invocation' | 'config' | 'otlp'>;
  /** What a step's briefing is made of besides outputs. */
  readonly brief: (step: FlowStep) => Omit<BriefingWorld, 'outputs'>;
  readonly progress: FlowWatcher;
}

export interface FlowWatcher {
  news(step: FlowStep, news: StepNews): void;
  watcher(step: FlowStep): StepWatcher;
  close(): void;
}

/** What ends a flow early. */
export interface StopSignals {
  /** Aborted when no more steps may start. */
  readonly noMore: AbortSignal;
  /** Aborted when running steps must end at once. */
  readonly atOnce: AbortSignal;
}

/** Runs attempts of steps: makes the briefing, keeps it, its receipt, and what the step says. */
export function createAttempts(run: FlowRun, stop: StopSignals, io: Io) {
  const { flow, files, progress } = run;
  // A curator is asked once, not for each attempt.
  const curations = new Map<string, Promise<Curation | undefined>>();
  let lastCurator: Promise<unknown> = Promise.resolve();
  const summaries = createSummaries(files);
  const worldOf = (step: FlowStep) => ({ ...run.brief(step), outputs: (id: string) => stepOutput(files, id) });

  /** Without earlier steps there is nothing to choose. */
  async function choose(step: FlowStep, curator: Curator): Promise<Curation | undefined> {
    const world = worldOf(step);
    const history = historyOf(flow, step, world);
    if (history.length === 0 || stop.noMore.aborted) return undefined;
    const { program, config, invocation } = run.claudeFor(step);
    const asked = { ...step, prompt: promptOf(step, world.readPrompt) };
    const { pack, budgets } = briefingOf(flow, step, world);
    const { model } = curator;
    const task = summaries.taskFor(history, pack.receipt.items, { model, budgets: budgets.budgets });
    const { settings } = invocation;
    const options = { curator, program, config, settings, stop: stop.atOnce, summaries: task };
    const curation = await curate(asked, history, options, io);
    summaries.keep(task, model, curation.judged);
    return curation;
  }

  async function curationOf(step: FlowStep): Promise<Curation | undefined> {
    const { curator } = effectiveCurator(flow, step, run.brief(step));
    if (!curator.enabled) return undefined;
    // One after the other: what one has summed up, the next one does not pay for again.
    const curation = curations.get(step.id) ?? lastCurator.then(() => choose(step, curator));
    lastCurator = curation.catch(() => {});
    curations.set(step.id, curation);
    return curation;
  }

  async function runBriefed(step: FlowStep, prompt: string): Promise<StepEnd> {
    const { timeoutSeconds } = step;
    const claude = { ...run.claudeFor(step), prompt, timeoutSeconds, stop: stop.atOnce };
    return runStep(claude, io, { line: files.stream(step.id), watcher: progress.watcher(step) });
  }

  function tellMissing(step: FlowStep): void {
    const missing = step.outputs.filter((path) => !worldOf(step).exists(path));
    if (missing.length > 0) progress.watcher(step).notice(`outputs that it has not made: ${missing.join(', ')}`);
  }

  return async (step: FlowStep, attempt: number): Promise<StepEnd> => {
    const curation = await curationOf(step);
    const curatorUsd = attempt === 1 ? (curation?.costUsd ?? 0) : 0;
    // The signal went to the curator's claude; the next one would not receive it.
    if (stop.noMore.aborted) return { ...NOT_BEGUN, costUsd: curatorUsd };
    const briefing = briefingOf(flow, step, { ...worldOf(step), curated: curation?.choice });
    const receipt = receiptOf(run, attempt, briefing, curation);
    const fault = curation?.fault === undefined ? [] : [`the curator: ${curation.fault}`];
    if (attempt === 1) for (const text of [...receipt.warnings, ...fault]) progress.watcher(step).notice(text);
    files.write(step.id, 'pack.md', briefing.pack.text);
    files.receipt(flow.name, step.id, receipt);
    const end = await runBriefed(step, briefing.pack.text);
    if (end.exitCode === 0) tellMissing(step);
    files.write(step.id, OUTPUT_FILE, end.output);
    files.receipt(flow.name, step.id, { ...receipt, measured: figuresOf(end) });
    return { ...end, costUsd: end.costUsd + curatorUsd };
  };
}

const NOT_BEGUN: StepEnd = {
  exitCode: signalExitCode('SIGINT'),
  timedOut: false,
  output: '',
  error: 'stopped before it had begun',
  sessionId: undefined,
  peakTokens: 0,
  calls: 0,
  firstTokens: 0,
  costUsd: 0,
  durationMs: 0,
};

function receiptOf(
  { flow, files }: FlowRun,
  attempt: number,
  { pack, budgets }: Briefing,
  curation: Curation | undefined,
): StepReceipt {
  // The steps whose summaries were paid for now.
  const judged = [...(curation?.judged ?? [])].flatMap(([id, one]) => ('text' in one ? [id] : []));
  return {
    ...pack.receipt,
    flow: flow.name,
    run: files.id,
    attempt,
    budgets: budgets.values,
    budget_warnings: budgets.warnings,
    curation: curation && {
      cost_usd: curation.costUsd,
      duration_ms: Math.round(curation.durationMs),
      fault: curation.fault ?? null,
      summed_up: judged,
    },
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
