import { CtxbError } from '../errors.ts';
import { findSources, type Source } from './sources.ts';

/** Does the same with every recording under some paths, in order. What cannot be read is named; the rest still runs. */
export async function eachSource<T>(
  paths: readonly string[],
  work: (source: Source) => Promise<T>,
): Promise<{ found: T[]; faults: CtxbError[] }> {
  const found: T[] = [];
  const faults: CtxbError[] = [];
  const attempt = async <R>(action: () => R | Promise<R>): Promise<readonly R[]> => {
    try {
      return [await action()];
    } catch (error) {
      if (!(error instanceof CtxbError)) throw error;
      faults.push(error);
      return [];
    }
  };
  const sources: Source[] = [];
  for (const path of paths) sources.push(...(await attempt(() => findSources(path))).flat());
  for (const source of sources) found.push(...(await attempt(() => work(source))));
  return { found, faults };
}
