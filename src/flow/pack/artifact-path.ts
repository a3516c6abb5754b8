const RUN_BASE = 'RUN_BASE/';

/** Where the paths of a flow begin; all absolute, without a slash at the end. */
export interface PathBases {
  /** The folder of one part of a run; its neighbours are the other parts of the same run. */
  readonly runBase: string;
  /** The working folder. */
  readonly root: string;
}

/**
 * Where a file lies that a flow names: `RUN_BASE/plan/adr.md` in the part `plan` of the run, `RUN_BASE/adr.md` in the
 * part at hand, an absolute path as it is, anything else in the working folder. Whether it exists is not looked at.
 */
export function artifactPath(spec: string, { runBase, root }: PathBases): string {
  if (spec.startsWith('/')) return spec;
  if (!spec.startsWith(RUN_BASE)) return `${root}/${spec}`;
  const rest = spec.slice(RUN_BASE.length);
  const base = rest.includes('/') ? runBase.slice(0, runBase.lastIndexOf('/')) : runBase;
  return `${base}/${rest}`;
}
