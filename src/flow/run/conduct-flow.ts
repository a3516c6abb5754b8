import { signalExitCode } from '../../claude/child.ts';
import type { Io } from '../../io.ts';
import { processMark } from '../../store/files/process-mark.ts';
import { STEP_FILE } from '../earlier-run.ts';
import type { FlowStep } from '../flow.ts';
import { createAttempts } from './attempt-step.ts';
import type { FlowRun } from './flow-run.ts';
import { createFlowStop } from './flow-stop.ts';
import { type Board, runFlow } from './run-flow.ts';
import type { StepEnd } from './run-step.ts';

/** How the steps ended. */
export interface FlowEnd {
  readonly board: Board;
  /** By a step's id; the figures are those of all its attempts. */
  readonly ends: ReadonlyMap<string, StepEnd>;
  /** The highest of the steps; where a signal ended the flow, the signal's. */
  readonly exitCode: number;
}

/**
 * Runs the steps, each in its own session, and keeps their briefings, streams and answers.
 *
 * @throws CtxbError `store` when nothing can be kept, before anything has run; and what `runHeadless` throws
 */
export async function conductFlow(run: FlowRun, io: Io): Promise<FlowEnd> {
  const { flow, settled, parallel, progress } = run;
  noteBeginning(run);
  const ends = new Map<string, StepEnd>();
  const attempts = new Map<string, readonly StepEnd[]>();
  const stop = createFlowStop(parallel);
  const attempt = createAttempts(run, stop, io);
  try {
    const board = await runFlow(
      flow,
      { settled, parallel },
      {
        stop: stop.noMore,
        attempt,
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

/** The answer of a step from an earlier start of this run must not pass for the new one. */
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

function noteEnd(
  { files }: FlowRun,
  { id }: FlowStep,
  { output, ...figures }: StepEnd & { readonly status: string; readonly attempts: number },
): void {
  files.writeJson(id, STEP_FILE, { version: 1, ...figures });
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
