import { structuredPatch } from 'diff';

/** A line of a diff: kept, added or removed; `gap` replaces omitted kept lines. */
export interface DiffLine {
  readonly kind: 'kept' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

/** Unchanged lines shown around each change. */
const CONTEXT = 3;

/**
 * With more changes, both texts are shown as one block each: the time of the search grows with the square of their
 * number.
 */
const MAX_CHANGES = 500;

const KINDS: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'kept', '+': 'added', '-': 'removed' };

/** The changes between two texts, line by line; empty if they are equal. */
export function lineDiff(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: MAX_CHANGES });
  if (patch === undefined) return [...linesOf(before, 'removed'), ...linesOf(after, 'added')];
  const lines = patch.hunks.flatMap((hunk): DiffLine[] => [
    ...(hunk.oldStart > 1 ? [{ kind: 'gap', text: '' } as const] : []),
    ...hunk.lines.flatMap(fromPatch),
  ]);
  const last = patch.hunks.at(-1);
  const isCut = last !== undefined && last.oldStart + last.oldLines <= linesOf(before, 'kept').length;
  return isCut ? [...lines, { kind: 'gap', text: '' }] : lines;
}

/** Converts a line of a patch; omits `\ No newline at end of file`. */
function fromPatch(line: string): DiffLine[] {
  const kind = KINDS[line[0] ?? ''];
  return kind === undefined ? [] : [{ kind, text: line.slice(1).replace(/\r$/, '') }];
}

function linesOf(text: string, kind: DiffLine['kind']): DiffLine[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.map((line) => ({ kind, text: line.replace(/\r?\n$/, '') }));
}
