import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder to put programs in. */
export interface Programs extends AsyncDisposable {
  readonly root: string;
  /** Resolves with its path. */
  place(file: string, text?: string, mode?: number): Promise<string>;
}

export async function createPrograms(): Promise<Programs> {
  const root = await mkdtemp(join(tmpdir(), 'ctxb-programs-'));
  return {
    root,
    async place(file, text = '#!/bin/sh\n', mode = 0o755) {
      const path = join(root, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { mode });
      return path;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}
