/** Something that was sent to the model, as claude tells a mod of it. */
export interface SubmitEvent {
  readonly text: string;
  /** The turn that was under way, where there was one: the model is told beside the results of its tools. */
  readonly turnId?: string;
  /** It runs a slash command. */
  readonly command?: object;
  readonly origin?: { readonly kind: string };
}

/** At the prompt, from another device, and from a program in a person's place; not a task that reports its end. */
const PEOPLE: ReadonlySet<string> = new Set(['composer', 'bridge', 'sdk']);

/** Whether the user said it while the model worked. */
export function isHeard({ turnId, command, origin }: SubmitEvent): boolean {
  return turnId !== undefined && command === undefined && (origin === undefined || PEOPLE.has(origin.kind));
}
