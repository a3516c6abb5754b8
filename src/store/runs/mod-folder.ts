import { cpSync, existsSync, type FSWatcher, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExactPlan, ExactReceipt, Extent } from '../../core/exact/plan.ts';
import { countOf, fieldsOf, textOf } from '../../core/protocol/fields.ts';
import { createPlain, readJson, removeFile } from '../files/plain-file.ts';
import { orStoreError } from '../files/store-error.ts';
import { replaceFile } from '../files/write-file.ts';
import { asItIs, maskedJson } from '../masks/disk-text.ts';

/** The folder in which ctxb and its mod inside claude meet. */
export interface ModFolder {
  /** Absolute. */
  readonly path: string;
  /** Calls back when the mod gives its sign of life. */
  whenAlive(callback: () => void): void;
  /** @throws CtxbError `store` */
  plan(plan: ExactPlan): void;
  /** What the mod did since the last look; undefined: it was not asked. */
  takeReceipt(): ExactReceipt | undefined;
  remove(): void;
}

/** Where the build puts the mod: parts of the program are one folder below it. */
const MOD = new URL('../mod/', import.meta.url);

const RECEIPT_BYTES = 64 * 1024;

/**
 * Puts the mod into a temporary folder of this user's.
 *
 * @throws CtxbError `store`
 */
export function makeModFolder(): ModFolder {
  const path = orStoreError(tmpdir(), () => mkdtempSync(join(tmpdir(), 'ctxb-mod-')));
  orStoreError(path, () => cpSync(MOD, path, { recursive: true }));
  createPlain(join(path, 'hooks/place.js'), asItIs(`export const PLACE = ${JSON.stringify(path)};\n`));
  let watcher: FSWatcher | undefined;
  const stopWatching = () => {
    watcher?.close();
    watcher = undefined;
  };
  const [plan, receipt] = [join(path, 'plan.json'), join(path, 'receipt.json')];
  return {
    path,
    whenAlive(callback) {
      watcher = watch(path, { persistent: false }, check);
      check();

      function check(): void {
        if (watcher === undefined || !existsSync(join(path, 'alive'))) return;
        stopWatching();
        callback();
      }
    },
    plan: (wanted) => replaceFile(plan, [maskedJson(wanted)]),
    takeReceipt() {
      if (!existsSync(receipt)) return undefined;
      const read = readReceipt(readJson(receipt, RECEIPT_BYTES));
      removeFile(receipt);
      return read;
    },
    remove() {
      stopWatching();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** A figure that is missing is 0: others could have written to the file. */
function readReceipt(value: unknown): ExactReceipt {
  const { number, answered, why, ms, before, after, prompts, steps } = fieldsOf(value);
  const count = (fields: unknown, name: string) => countOf(fieldsOf(fields)[name]) ?? 0;
  const extent = (of: unknown): Extent => ({ messages: count(of, 'messages'), tokens: count(of, 'tokens') });
  return {
    version: 1,
    number: countOf(number) ?? 0,
    answered: answered === true,
    ...(textOf(why) !== undefined && { why: String(why) }),
    ms: countOf(ms) ?? 0,
    before: extent(before),
    after: extent(after),
    prompts: { kept: count(prompts, 'kept'), of: count(prompts, 'of') },
    steps: { whole: count(steps, 'whole'), lines: count(steps, 'lines'), gone: count(steps, 'gone') },
  };
}
