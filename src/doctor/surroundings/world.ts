/** Where ctxb would be run, as far as `ctxb doctor` looks at it. Nothing of it is changed. */
export interface World {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}
