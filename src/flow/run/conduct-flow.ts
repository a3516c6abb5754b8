import type { Io } from '../../io.ts';
import { watchSignals } from '../../session/signals.ts';
import type { Watcher } from '../../session/watcher.ts';
import type { FlowRunFiles } from '../../store/flow-run.ts';
import type { BriefingWorld } from '../briefing.ts';
import type { Flow, FlowStep } from '../flow.ts';
import { createAttempts } from './attempt-step.ts';
import { runFlow, type StepNews } from './run-flow.ts';
import type { StepEnd, StepRun } from './run-step.ts';
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
  readonly brief: Pick<BriefingWorld, 'exists' | 'readPrompt'>;
  readonly progress: FlowWatcher;
}

export interface FlowWatcher {
  news(step: FlowStep, news: StepNews): void;
  /** Watches the session of a step. */
  watcher(step: FlowStep): Watcher;
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

/** Runs the steps, each in a session of its own, and keeps what became of them. */
export async function conductFlow(run: FlowRun, io: Io): Promise<FlowEnd> {
  const { flow, files, done, parallel, progress } = run;
  const stop = new AbortController();
  const ends = new Map<string, StepEnd>();
  const end = () => stop.abort();
  const signals = watchSignals({ interrupt: end, kill: end });
  const attempt = createAttempts(run, stop.signal, io);
  const onStep = (step: FlowStep, news: StepNews) => {
    if (news.kind === 'done' || news.kind === 'failed') {
      ends.set(step.id, news.end);
      files.write(step.id, 'step.json', `${JSON.stringify({ status: news.kind, ...news.end }, null, 2)}\n`);
    }
    progress.news(step, news);
  };
  const board = await runFlow(flow, { done, parallel }, { attempt, onStep, stop: stop.signal });
  signals.stop();
  progress.close();
  const worst = Math.max(0, ...[...ends.values()].map(({ exitCode }) => exitCode));
  return { board, ends, exitCode: stop.signal.aborted ? EXIT_INTERRUPTED : worst };
}
