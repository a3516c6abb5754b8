import { join, resolve } from 'node:path';
import type { EffectOf } from '../../core/governor/effects.ts';
import type { OwnEvent } from '../../core/governor/input.ts';
import type { FileMeasure } from '../../core/governor/tool-budget/tool-budget.ts';
import { orElse } from '../../errors.ts';
import { readForeign } from '../files/foreign-file.ts';
import { type Faults, tryOrReport } from '../files/store-error.ts';
import { fileName, openContextDir } from '../folders/context-dir.ts';
import { masked } from '../masks/disk-text.ts';

/** File access for the tool budgets. Never throws, because claude waits for an answer. */
export function createToolFiles(folder: string, onFault: Faults) {
  return {
    measure: ({ requestId, path, cwd, offset, chars }: EffectOf<'measure-file'>): OwnEvent => ({
      kind: 'file-measured',
      requestId,
      file: measureFile(resolve(cwd, path), { offset, chars }),
    }),
    store: ({ requestId, name, text }: EffectOf<'store-result'>): OwnEvent => ({
      kind: 'result-stored',
      requestId,
      path: tryOrReport(onFault, 'results of tools are not cut, as they cannot be stored', () =>
        storeToolResult(folder, name, text),
      ),
    }),
  };
}

/** Maximum bytes of a file that is measured. claude waits meanwhile. */
const MAX_BYTES = 64 * 1024 * 1024;

const LINE_FEED = 10;

/** Characters that Read adds around each line, besides its number. */
const LINE_PADDING = 2;

/** Number of first bytes in which a NUL byte shows that a file is not text. */
const SNIFFED_BYTES = 8 * 1024;

const MAX_UNIT_BYTES = 3;

/**
 * Counts the lines of a text file from line `offset` on that fit into `chars` UTF-16 units as Read shows them.
 * Undefined for a file that is not text, unreadable or too large.
 */
export function measureFile(
  path: string,
  { offset, chars }: { offset: number; chars: number },
): FileMeasure | undefined {
  const data = orElse(() => readForeign(path, MAX_BYTES), undefined);
  if (data === undefined || data.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  const { lines, start } = countLines(data, offset);
  const text = data.toString('utf8', start, start + chars * MAX_UNIT_BYTES);
  return { lines, fitting: countFitting(text, offset, chars) };
}

/** `start`: position of line `offset` in bytes; the end if the file has fewer lines. */
function countLines(data: Buffer, offset: number) {
  let feeds = 0;
  let start = offset <= 1 ? 0 : data.length;
  for (let at = data.indexOf(LINE_FEED); at >= 0; at = data.indexOf(LINE_FEED, at + 1)) {
    feeds++;
    if (feeds === offset - 1) start = at + 1;
  }
  const isEnded = (data.at(-1) ?? LINE_FEED) === LINE_FEED;
  return { lines: feeds + (isEnded ? 0 : 1), start };
}

function countFitting(text: string, offset: number, chars: number): number {
  let fitting = 0;
  let remaining = chars;
  for (let at = 0; at < text.length; fitting++) {
    const feed = text.indexOf('\n', at);
    const end = feed < 0 ? text.length : feed;
    remaining -= end - at + String(offset + fitting).length + LINE_PADDING;
    if (remaining < 0) break;
    at = end + 1;
  }
  return fitting;
}

const FOLDER = 'tool-results';

/** Masks secrets, and keeps the number of lines. @returns the absolute path */
export function storeToolResult(contextDir: string, name: string, text: string | readonly string[]): string {
  // Names are ids of tool calls, and some back-ends count them from one in every session.
  return openContextDir(contextDir).create(join(FOLDER, fileName(name)), '.txt', masked(text), { durable: false });
}
