import { setMaxListeners } from 'node:events';
import { signalExitCode } from '../../claude/child.ts';
import type { Io } from '../../io.ts';
import { presentLines } from '../../report/layout.ts';
import { watchSignals } from '../../run/signals.ts';
import { processMark } from '../../store/files/process-mark.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import { briefingOf, effectiveCurator, type FlowPlace, fileExists } from '../briefing.ts';
import { type Curation, curate } from '../curator/curate.ts';
import { createSummaries } from '../curator/summaries.ts';
import { OUTPUT_FILE, RECEIPT_FILE, readReceipt, STEP_FILE, stepOutput } from '../earlier-run.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { CuratedChoice } from '../pack/priority.ts';
import { NOT_STARTED, runStep, type StepEnd, type StepRun, type StepWatcher } from './run-step.ts';

export interface FlowRun {
  readonly flow: Flow;
  readonly files: FlowRunFiles;
  /** The steps that an earlier run has not done. */
  readonly open: readonly FlowStep[];
  readonly claudeFor: (step: FlowStep) => StepClaude;
  readonly progress: FlowWatcher;
}

interface StepClaude extends Pick<StepRun, 'program' | 'invocation' | 'config'> {
  readonly place: FlowPlace;
}

export interface FlowWatcher {
  news(news: StepNews): void;
  watcher(step: FlowStep): StepWatcher;
}

/**
 * Runs the steps, each in its own session, and stores their briefings, streams and answers.
 *
 * @returns the exit code is the highest one of the steps, or the one for the signal that ended the flow
 * @throws CtxbError `store` before the first step if nothing can be written, and whatever `runHeadless` throws
 */
export async function runFlow(run: FlowRun, io: Io) {
  const { flow, files, progress } = run;
  files.writeRun({ version: 1, flow: flow.name, started: new Date().toISOString(), ctxb: processMark(process.pid) });
  const stop = createFlowStop();
  const newsByStep = new Map<string, StepNews>(flow.steps.map((step) => [step.id, { step, kind: 'done' }]));
  try {
    for await (const news of runSteps(run.open, createSteps(run, stop, io), stop.noNewSteps)) {
      const { step, kind: status, end } = news;
      newsByStep.set(step.id, news);
      progress.news(news);
      if (end !== undefined) files.writeJson(step.id, STEP_FILE, { version: 1, status, error: end.measured.error });
    }
  } finally {
    stop.clear();
  }
  const worst = Math.max(...[...newsByStep.values()].map(({ end }) => end?.measured.exit_code ?? 0));
  const received = stop.received();
  return { newsByStep, exitCode: received === undefined ? worst : signalExitCode(received) };
}

function createSteps(run: FlowRun, stop: FlowStop, io: Io) {
  const { flow, files, progress } = run;
  const summaries = createSummaries(files);
  const outputs = (id: string) => stepOutput(files, id);
  const briefingFor = (step: FlowStep, curated?: CuratedChoice) =>
    briefingOf(flow, step, { ...run.claudeFor(step).place, outputs, curated });

  /** Asks the curator, unless it is off or the step has no history. */
  async function curationOf(step: FlowStep): Promise<Curation | undefined> {
    const { program, config, invocation, place } = run.claudeFor(step);
    const { curator } = effectiveCurator(flow, step, place);
    if (!curator.enabled) return undefined;
    const { pack, budgets, history, prompt } = briefingFor(step);
    if (history.length === 0 || stop.noNewSteps.aborted) return undefined;
    const task = summaries.taskFor(history, pack.receipt.items, curator.model, budgets.budgets);
    const { settings } = invocation;
    const options = { curator, program, config, settings, stop: stop.atOnce, summaries: task };
    const curation = await curate({ ...step, prompt }, history, options, io);
    summaries.keep(task, curation.made);
    return curation;
  }

  async function runBriefed(step: FlowStep, prompt: string): Promise<StepEnd> {
    const { timeoutSeconds } = step;
    const claude = { ...run.claudeFor(step), prompt, timeoutSeconds, stop: stop.atOnce };
    const end = await runStep(claude, io, progress.watcher(step), files.stream(step.id));
    const missing = step.outputs.filter((path) => !fileExists(io, path));
    if (end.measured.exit_code !== 0 || missing.length === 0) return end;
    return { ...end, measured: { ...end.measured, exit_code: 1, error: `it has not made ${missing.join(', ')}` } };
  }

  function curatorsUsd(step: FlowStep): number {
    const { curation, other_curators_usd = 0 } = readReceipt(files.read(step.id, RECEIPT_FILE)) ?? {};
    return other_curators_usd + (curation?.cost_usd ?? 0);
  }

  return async (step: FlowStep): Promise<RanStep> => {
    const curation = await curationOf(step);
    const { pack, budgets } = briefingFor(step, curation?.choice);
    const receipt = {
      ...pack.receipt,
      flow: flow.name,
      run: files.id,
      budgets: budgets.values,
      budget_warnings: budgets.warnings,
      curation: curation?.receipt,
      other_curators_usd: curatorsUsd(step),
    };
    files.writeJson(step.id, RECEIPT_FILE, receipt);
    // The signal ended the curator's claude. The step's claude would otherwise start after it.
    if (stop.noNewSteps.aborted) return { ...receipt, measured: NOT_STARTED };
    const fault = curation?.receipt.fault;
    for (const text of presentLines(...receipt.warnings, fault != null && `the curator: ${fault}`)) {
      progress.watcher(step).notice(text);
    }
    files.write(step.id, 'pack.md', pack.text);
    const { output, measured } = await runBriefed(step, pack.text);
    files.write(step.id, OUTPUT_FILE, output);
    files.writeJson(step.id, RECEIPT_FILE, { ...receipt, measured });
    return { ...receipt, measured };
  };
}

type FlowStop = ReturnType<typeof createFlowStop>;

/**
 * Handles signals. The first Ctrl-C lets the running step interrupt its turn, because its session receives it too. A
 * second Ctrl-C, a while later, or any other signal ends the step.
 */
function createFlowStop() {
  const noNewSteps = new AbortController();
  const atOnce = new AbortController();
  setMaxListeners(0, noNewSteps.signal, atOnce.signal);
  const signals = watchSignals({
    interrupt: () => noNewSteps.abort(),
    // A step does not handle signals right after its start.
    isStuck: () => true,
    kill() {
      noNewSteps.abort();
      atOnce.abort();
    },
  });
  return {
    noNewSteps: noNewSteps.signal,
    atOnce: atOnce.signal,
    received: signals.received,
    clear: signals.stop,
  };
}

/** The part of a step's receipt that is known at its end. */
export interface RanStep extends Pick<StepEnd, 'measured'> {
  readonly curation?: Curation['receipt'] | undefined;
}

export interface StepNews {
  readonly step: FlowStep;
  /**
   * `stopped`: running when the flow was stopped. `skipped`: not started, because the flow was stopped or a step
   * failed.
   */
  readonly kind: 'started' | 'done' | 'failed' | 'stopped' | 'skipped';
  /** Undefined for a step that has not run now. */
  readonly end?: RanStep;
}

export type NewsByStep = ReadonlyMap<string, StepNews>;

/**
 * Runs the steps one after the other. Throws what a step throws, for instance if claude is missing.
 *
 * @param stop once aborted, no further step starts; the caller ends the running one
 */
export async function* runSteps(
  steps: readonly FlowStep[],
  run: (step: FlowStep) => Promise<RanStep>,
  stop: AbortSignal,
): AsyncGenerator<StepNews, void> {
  let isBlocked = false;
  for (const step of steps) {
    if (isBlocked || stop.aborted) {
      yield { step, kind: 'skipped' };
      continue;
    }
    yield { step, kind: 'started' };
    const end = await run(step);
    const kind = end.measured.exit_code === 0 ? 'done' : stop.aborted ? 'stopped' : 'failed';
    yield { step, kind, end };
    isBlocked = kind === 'failed' && step.onFail === 'stop';
  }
}
