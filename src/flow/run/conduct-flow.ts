import { setMaxListeners } from 'node:events';
import { signalExitCode } from '../../claude/child.ts';
import type { Io } from '../../io.ts';
import { watchSignals } from '../../run/signals.ts';
import { processMark } from '../../store/files/process-mark.ts';
import { STEP_FILE } from '../earlier-run.ts';
import type { FlowStep } from '../flow.ts';
import { createAttempts, type FlowRun } from './attempt-step.ts';
import { runFlow, type StepNews } from './run-flow.ts';
import type { StepEnd } from './run-step.ts';

/**
 * Runs the steps, each in its own session, and keeps their briefings, streams and answers.
 *
 * @returns `ends` by a step's id, with the figures of all its attempts; the exit code is the highest of the steps, or that
 * of the signal that ended the flow
 * @throws CtxbError `store` when nothing can be kept, before anything has run; and what `runHeadless` throws
 */
export async function conductFlow(run: FlowRun, io: Io) {
  const { flow, files, progress } = run;
  noteBeginning(run);
  const attempts = new Map<string, readonly StepEnd[]>();
  const ends = new Map<string, StepEnd>();
  const stop = createFlowStop(run.parallel);

  function onStep(step: FlowStep, news: StepNews): void {
    progress.news(step, news);
    if (!('end' in news)) return;
    const all = [...(attempts.get(step.id) ?? []), news.end];
    attempts.set(step.id, all);
    if (news.kind === 'retry') return;
    const end = allTogether(news.end, all);
    ends.set(step.id, end);
    const { output: _, ...figures } = end;
    files.writeJson(step.id, STEP_FILE, { version: 1, status: news.kind, attempts: all.length, ...figures });
  }

  try {
    const board = await runFlow(flow, run, { stop: stop.noMore, attempt: createAttempts(run, stop, io), onStep });
    const worst = Math.max(0, ...[...ends.values()].map(({ exitCode }) => exitCode));
    const received = stop.received();
    return { board, ends, exitCode: received === undefined ? worst : signalExitCode(received) };
  } finally {
    stop.clear();
    progress.close();
  }
}

/** The answer of a step from an earlier start of this run must not pass for the new one. */
function noteBeginning({ flow, files, settled }: FlowRun): void {
  files.writeRun({ version: 1, flow: flow.name, started: new Date().toISOString(), ctxb: processMark(process.pid) });
  for (const { id } of flow.steps) {
    if (settled.done.has(id) || settled.leftOut.has(id)) continue;
    if (files.read(id, STEP_FILE) !== undefined) files.writeJson(id, STEP_FILE, { version: 1, status: 'waiting' });
  }
}

/** The last attempt, with the sums of all. */
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

/** Time for steps to stop by themselves: their sessions receive Ctrl-C too, and interrupt their turns. */
const PATIENCE_MS = 5_000;

/** Each session adds listeners to the process; Node would warn of a leak. */
const PER_SESSION = 2;

/** The first Ctrl-C lets running steps interrupt their turns; a second one, or any other signal, ends them. */
function createFlowStop(parallel: number) {
  const noMore = new AbortController();
  const atOnce = new AbortController();
  setMaxListeners(0, noMore.signal, atOnce.signal);
  process.setMaxListeners(Math.max(process.getMaxListeners(), parallel * PER_SESSION + 10));
  let timer: NodeJS.Timeout | undefined;
  const signals = watchSignals({
    interrupt() {
      noMore.abort();
      // A step that has just started does not listen for signals yet.
      timer = setTimeout(() => atOnce.abort(), PATIENCE_MS);
    },
    kill() {
      noMore.abort();
      atOnce.abort();
    },
  });
  return {
    noMore: noMore.signal,
    atOnce: atOnce.signal,
    /** The first signal. */
    received: signals.received,
    clear() {
      clearTimeout(timer);
      signals.stop();
    },
  };
}
