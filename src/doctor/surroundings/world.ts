import type { Environment } from '../../io.ts';
/** Where ctxb would be run, as far as `ctxb doctor` looks at it. Nothing of it is changed. */
export interface World {
  readonly env: Environment;
  readonly cwd: string;
}
