import { join } from 'node:path';
import { makeFolder, readJson } from '../files/plain-file.ts';
import { replaceFile } from '../files/write-file.ts';
import { maskedJson } from '../masks/disk-text.ts';

const FILE = 'windows.json';
/** Bytes; a model takes about 40. */
const LIMIT = 64 * 1024;
const MOST = 200;

/** A model as Claude Code names it, and the version of Claude Code: both decide how large the window is. */
export interface ModelInVersion {
  readonly model: string | undefined;
  readonly version: string | undefined;
}

/** Remembers, for all projects of the user, what Claude Code has said of a model's window. */
export function noteModelWindow(folder: string, { model, version }: ModelInVersion, tokens: number): void {
  if (model === undefined || version === undefined) return;
  const { [keyOf(model, version)]: known, ...others } = readWindows(folder);
  if (known === tokens) return;
  const windows = Object.entries({ ...others, [keyOf(model, version)]: tokens }).slice(-MOST);
  makeFolder(folder);
  replaceFile(join(folder, FILE), [maskedJson(Object.fromEntries(windows))]);
}

/** Tokens; undefined: not known, or the same name stands for two of different sizes, as a session's log drops `[1m]`. */
export function modelWindow(folder: string, { model, version }: ModelInVersion): number | undefined {
  if (model === undefined || version === undefined) return undefined;
  const windows = readWindows(folder);
  const found = [model, `${model}[1m]`].flatMap((id) => windows[keyOf(id, version)] ?? []);
  return new Set(found).size === 1 ? found[0] : undefined;
}

function keyOf(model: string, version: string): string {
  return `${model} ${version}`;
}

function readWindows(folder: string): Readonly<Record<string, number>> {
  const entries = Object.entries(readJson(join(folder, FILE), LIMIT) ?? {});
  return Object.fromEntries(entries.filter(([, tokens]) => Number.isSafeInteger(tokens) && tokens > 0));
}
