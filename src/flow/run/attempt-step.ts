import { signalExitCode } from '../../claude/child.ts';
import type { Io } from '../../io.ts';
import { type Briefing, briefingOf, effectiveCurator, historyOf, promptOf } from '../briefing.ts';
import { type Curation, curate } from '../curator/curate.ts';
import { createSummaries } from '../curator/summaries.ts';
import { OUTPUT_FILE, stepOutput } from '../earlier-run.ts';
import type { Curator, FlowStep } from '../flow.ts';
import type { StepReceipt } from '../step-receipt.ts';
import type { FlowRun } from './flow-run.ts';
import type { FlowStop } from './flow-stop.ts';
import { runStep, type StepEnd, type StepRun } from './run-step.ts';

/** Runs an attempt of a step: makes the briefing, keeps it, its receipt, and what the step says. */
export type Attempts = (step: FlowStep, attempt: number) => Promise<StepEnd>;

const now = () => performance.now();

export function createAttempts(run: FlowRun, stop: Pick<FlowStop, 'noMore' | 'atOnce'>, io: Io): Attempts {
  const { flow, files, progress } = run;
  // A curator is asked once, not for each attempt.
  const curations = new Map<string, Promise<Curation | undefined>>();
  let lastCurator: Promise<unknown> = Promise.resolve();
  const summaries = createSummaries(files);
  const outputs = (id: string) => stepOutput(files, id);

  /** Without earlier steps there is nothing to choose. */
  async function choose(step: FlowStep, curator: Curator): Promise<Curation | undefined> {
    const world = { ...run.brief(step), outputs };
    const history = historyOf(flow, step, world);
    if (history.length === 0 || stop.noMore.aborted) return undefined;
    const { program, config, invocation } = run.claudeFor(step);
    const asked = { ...step, prompt: promptOf(step, world.readPrompt) };
    const { settings } = invocation;
    const { pack, budgets } = briefingOf(flow, step, world);
    const { model } = curator;
    const task = summaries.taskFor(history, pack.receipt.items, { model, budgets: budgets.budgets });
    const options = { curator, program, config, settings, stop: stop.atOnce, now, summaries: task };
    const curation = await curate(asked, history, options, io);
    if (curation.summaries !== undefined) summaries.keep(task, model, curation.summaries);
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

  async function runInto(step: FlowStep, claude: Omit<StepRun, 'timeoutSeconds' | 'stop'>): Promise<StepEnd> {
    const file = files.open(step.id);
    try {
      const { timeoutSeconds } = step;
      const sinks = { line: file.add, watcher: progress.watcher(step) };
      return await runStep({ ...claude, timeoutSeconds, stop: stop.atOnce }, io, sinks, now);
    } finally {
      file.close();
    }
  }

  return async (step, attempt) => {
    const curation = await curationOf(step);
    // The signal went to the curator's claude; the next one would not receive it.
    if (stop.noMore.aborted) return { ...NOT_BEGUN, costUsd: curation?.costUsd ?? 0 };
    const briefing = briefingOf(flow, step, { ...run.brief(step), outputs, curated: curation?.choice });
    const receipt = receiptOf(run, { attempt, briefing, curation });
    const { notice } = progress.watcher(step);
    if (attempt === 1) for (const text of faultsOf(receipt)) notice(text);
    files.write(step.id, 'pack.md', briefing.pack.text);
    files.receipt(flow.name, step.id, receipt);
    const end = await runInto(step, { ...run.claudeFor(step), prompt: briefing.pack.text });
    files.write(step.id, OUTPUT_FILE, end.output);
    files.receipt(flow.name, step.id, { ...receipt, measured: figuresOf(end) });
    return attempt === 1 ? { ...end, costUsd: end.costUsd + (curation?.costUsd ?? 0) } : end;
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

interface Given {
  readonly attempt: number;
  readonly briefing: Briefing;
  readonly curation: Curation | undefined;
}

function receiptOf({ flow, files }: FlowRun, { attempt, briefing, curation }: Given): StepReceipt {
  const { pack, budgets } = briefing;
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
      summed_up: summedUp(curation),
    },
    measured: undefined,
  };
}

/** The steps whose summaries were paid for now. */
function summedUp({ summaries }: Curation): string[] {
  return [...(summaries?.judged ?? [])].flatMap(([id, judgement]) => ('text' in judgement ? [id] : []));
}

function faultsOf({ warnings, curation }: StepReceipt): string[] {
  const fault = curation?.fault ?? null;
  return [...warnings, ...(fault === null ? [] : [`the curator: ${fault}`])];
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
