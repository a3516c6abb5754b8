import type { InferOutput } from 'valibot';
import type { flowFileSchema, profile } from './file/flow-schema.ts';

type Fixed<T> = T extends object ? { readonly [K in keyof T]: Fixed<T[K]> } : T;

type FlowFile = Fixed<InferOutput<typeof flowFileSchema>>;

/** A checked flow file: a long job as steps, each in a fresh context with its own briefing. */
export type Flow = Omit<FlowFile, '$schema' | 'profiles'> & { readonly profiles: Readonly<Record<string, Profile>> };

/** Defaults for all steps of the flows that choose it. */
export type Profile = Fixed<InferOutput<typeof profile>>;

export type FlowStep = Flow['steps'][number];

/** A cheap run before a step that says which files and earlier steps matter to it, and sums up what is too long. */
export type Curator = Required<FlowStep['curator']>;

/** The output of a step for later ones. */
export interface StepOutput {
  readonly ok: boolean;
  readonly output: string;
  readonly error: string | undefined;
  /** Path of the whole output; the pack names it after a cut. */
  readonly path?: string | undefined;
}
