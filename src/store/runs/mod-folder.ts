import { cpSync, existsSync, type FSWatcher, lstatSync, mkdtempSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExactPlan } from '../../core/protocol/exact-plan.ts';
import { namesOf, readJson, removeFile } from '../files/plain-file.ts';
import { isAlive } from '../files/process-mark.ts';
import { orStoreError } from '../files/store-error.ts';
import { replaceFile } from '../files/write-file.ts';
import { masked, unmaskedText } from '../masks/disk-text.ts';

export type ModFolder = ReturnType<typeof makeModFolder>;

/** Where the build puts the mod. Parts of the program are one folder below it. */
const MOD = new URL('../mod/', import.meta.url);

/** claude's limit for one write of a mod, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Copies the mod to a new folder that only this user can read.
 *
 * @param root default: the system's folder for temporary files
 */
export function makeModFolder(root = tmpdir(), mod = MOD) {
  sweep(root);
  const path = orStoreError(root, () => mkdtempSync(join(root, `ctxb-mod-${process.pid}-`)));
  orStoreError(path, () => cpSync(mod, path, { recursive: true }));
  write('hooks/place.js', `export const PLACE = ${JSON.stringify(path)};\n`);
  let watcher: FSWatcher | undefined;

  function write(name: string, text: string): void {
    replaceFile(join(path, name), [unmaskedText(text)], { durable: false });
  }

  const stopWatching = () => {
    watcher?.close();
    watcher = undefined;
  };
  const files = ['receipt.json', 'kept.json'].map((name) => join(path, name));
  return {
    path,
    whenAlive(callback: () => void): void {
      watcher = watch(path, { persistent: false }, check);
      check();

      function check(): void {
        if (watcher === undefined || !existsSync(join(path, 'alive'))) return;
        stopWatching();
        callback();
      }
    },
    /**
     * Writes a plan. Its texts stay unmasked, because claude needs them unchanged. The file is removed with the folder.
     */
    plan(plan: ExactPlan): void {
      write('plan.json', JSON.stringify({ ...plan, note: masked(plan.note) }));
    },
    /** The mod's receipt since the last call, and the kept messages; undefined if the mod has not answered. */
    takeReceipt() {
      const [receipt, kept] = files.map((file) => readJson(file, MAX_BYTES));
      if (receipt === undefined) return undefined;
      files.forEach(removeFile);
      return { receipt, kept };
    },
    remove(): void {
      stopWatching();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

function sweep(root: string): void {
  for (const name of namesOf(root)) {
    const pid = Number(/^ctxb-mod-(\d+)-\w{6}$/.exec(name)?.[1]);
    const path = join(root, name);
    const isLeft = pid > 0 && !isAlive({ pid }) && existsSync(join(path, 'hooks/place.js'));
    if (isLeft && lstatSync(path).uid === process.getuid?.()) rmSync(path, { recursive: true, force: true });
  }
}
