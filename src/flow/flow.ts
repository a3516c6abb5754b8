import type { BudgetChanges, Priority } from '../config/flow-settings.ts';

/** A checked flow file: a long job as steps, each in a fresh context with its own briefing. */
export interface Flow {
  /** Names folders, like a step's id. */
  readonly name: string;
  /** Name of the one of `profiles` that holds. */
  readonly profile?: string | undefined;
  readonly profiles: Readonly<Record<string, Profile>>;
  readonly budgets: BudgetChanges;
  readonly curator: CuratorChanges;
  /** Priorities by the name of an agent; they override the built-in ones. */
  readonly priorities: Readonly<Record<string, Priority>>;
  /** A file with hints from earlier runs, relative to the working folder; its beginning goes into every briefing. */
  readonly scentTrail?: string | undefined;
  readonly steps: readonly FlowStep[];
}

/** What holds for all steps of the flows that choose it, and say nothing else. */
export interface Profile {
  readonly budgets: BudgetChanges;
  readonly curator: CuratorChanges;
  /** The file that it is read from, absolute; undefined: the flow's. */
  readonly file?: string | undefined;
}

export interface FlowStep {
  /** Unique, ignoring case: letters, digits, `-` and `_`, a letter or digit first. */
  readonly id: string;
  /** The role, for instance `test-author`; it says how much the output counts for later steps. */
  readonly agent?: string | undefined;
  /** Overrides what the agent says. */
  readonly priority?: Priority | undefined;
  readonly objective?: string | undefined;
  /** Files that it builds on and files that it makes, relative to the working folder. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly teaching: Teaching;
  /** Without this and `promptFile`, the step is asked to reach its objective. */
  readonly prompt?: string | undefined;
  /** A file with the prompt, relative to the flow's. */
  readonly promptFile?: string | undefined;
  readonly budgets: BudgetChanges;
  readonly curator: CuratorChanges;
  /** Model of claude for this step. */
  readonly model?: string | undefined;
  /** Ids of steps that must be over before. Default: all steps above; `[]`: none. */
  readonly needs?: readonly string[] | undefined;
  readonly timeoutSeconds?: number | undefined;
  readonly retries: number;
  readonly onFail: 'stop' | 'continue';
}

/** What a step must keep in mind; it is always told whole. */
export interface Teaching {
  readonly notes?: string | undefined;
  readonly emphasis: readonly string[];
  readonly constraints: readonly string[];
}

/** A cheap run before a step that says which files and earlier steps matter to it, and sums up what is too long. */
export interface Curator {
  readonly enabled: boolean;
  readonly model: string;
  readonly timeoutSeconds: number;
  readonly maxFiles: number;
}

/** What a level (profile, flow, step) says of it. */
export type CuratorChanges = Partial<Curator>;

/** What a step has left for later ones. */
export interface StepOutput {
  readonly ok: boolean;
  readonly output: string;
  readonly error: string | undefined;
  /** Where the whole output can be read; the pack says so where it is cut. */
  readonly path?: string | undefined;
}
