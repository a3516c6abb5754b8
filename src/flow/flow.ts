import type { InferOutput } from 'valibot';
import type { flowFileSchema, profile } from './file/flow-schema.ts';

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export type Flow = Omit<DeepReadonly<InferOutput<typeof flowFileSchema>>, '$schema'>;

/** Budgets and curator for all steps of a flow that selects this profile. */
export type Profile = DeepReadonly<InferOutput<typeof profile>>;

export type FlowStep = Flow['steps'][number];

/** A cheap claude that runs before a step. It names what matters to the step, and summarizes long outputs. */
export type Curator = Required<FlowStep['curator']>;

export interface StepOutput {
  readonly ok: boolean;
  readonly output: string;
  readonly error: string | undefined;
  /** Path of the complete output. The briefing names it if it cuts the output. */
  readonly path?: string | undefined;
}
