import type { InferOutput } from 'valibot';
import type { flowFileSchema, profile } from './file/flow-schema.ts';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

type FlowFile = DeepReadonly<InferOutput<typeof flowFileSchema>>;

/** A checked flow file: a long job in steps, each run in a fresh context with its own briefing. */
export type Flow = Omit<FlowFile, '$schema' | 'profiles'> & { readonly profiles: Readonly<Record<string, Profile>> };

/** Budgets and curator for all steps of a flow that selects this profile. */
export type Profile = DeepReadonly<InferOutput<typeof profile>>;

export type FlowStep = Flow['steps'][number];

/**
 * A cheap claude run before a step. It names the files and earlier steps that matter to the step, and summarizes long
 * outputs.
 */
export type Curator = Required<FlowStep['curator']>;

/** The output of a step, for later steps. */
export interface StepOutput {
  readonly ok: boolean;
  readonly output: string;
  readonly error: string | undefined;
  /** Path of the complete output, which the briefing names if it cuts the output. */
  readonly path?: string | undefined;
}
