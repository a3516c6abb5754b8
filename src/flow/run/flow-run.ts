import type { Watcher } from '../../run/headless-run.ts';
import type { FlowRunFiles } from '../../store/runs/flow-run.ts';
import type { BriefingWorld } from '../briefing.ts';
import type { Flow, FlowStep } from '../flow.ts';
import type { Settled, StepNews } from './run-flow.ts';
import type { StepRun } from './run-step.ts';

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
  /** Watches the session of a step. */
  watcher(step: FlowStep): Watcher;
  close(): void;
}
