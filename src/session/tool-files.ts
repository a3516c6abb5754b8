import { resolve } from 'node:path';
import type { OwnEvent } from '../governor/input.ts';
import { measureFile } from '../store/measure-file.ts';
import { storeToolResult } from '../store/tool-results.ts';
import type { MeasureFile, StoreResult } from './executor.ts';
import type { Faults } from './faults.ts';

/** The files that tool budgets are about. Never throws: claude waits for an answer. */
export interface ToolFiles {
  measure(effect: MeasureFile): OwnEvent;
  store(effect: StoreResult): OwnEvent;
}

/** @param world `folder`: the context folder */
export function createToolFiles({ folder, onFault }: { folder: string; onFault: Faults }): ToolFiles {
  return {
    measure: ({ requestId, path, cwd, offset, chars }) => ({
      kind: 'file-measured',
      requestId,
      file: measureFile(resolve(cwd, path), { offset, chars }),
    }),
    store({ requestId, name, text }) {
      try {
        return { kind: 'result-stored', requestId, path: storeToolResult(folder, name, text) };
      } catch (error) {
        onFault('results of tools are not cut, as they cannot be stored', error);
        return { kind: 'result-stored', requestId, path: undefined };
      }
    },
  };
}
