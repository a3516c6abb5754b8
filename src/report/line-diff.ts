/** A line of a diff: kept, added or removed; `gap` stands for kept lines that are left out. */
export interface DiffLine {
  readonly kind: 'kept' | 'added' | 'removed' | 'gap';
  readonly text: string;
}

/** Kept lines that are shown round each change. */
const CONTEXT = 3;

/** More changes than this are shown as one block: the search takes time and memory that grow with their square. */
const MAX_CHANGES = 500;

/** What changes from one text to another, line by line; empty when nothing does. */
export function lineDiff(before: string, after: string): DiffLine[] {
  if (before === after) return [];
  const [old, now] = [linesOf(before), linesOf(after)];
  const start = sharedLength(old, now, (lines, index) => lines[index]);
  const rest = [old.slice(start), now.slice(start)] as const;
  const end = sharedLength(...rest, (lines, index) => lines.at(-1 - index));
  const [removed, added] = rest.map((lines) => lines.slice(0, lines.length - end)) as [string[], string[]];
  return inShort([
    ...old.slice(0, start).map(kept),
    ...changes(removed, added),
    ...old.slice(old.length - end).map(kept),
  ]);
}

/** With their ends, so that one that differs only in it is told. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function sharedLength(one: string[], other: string[], at: (lines: string[], index: number) => string | undefined) {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && at(one, length) === at(other, length)) length += 1;
  return length;
}

const line = (kind: DiffLine['kind'], text: string): DiffLine => ({ kind, text: text.replace(/\r?\n$/, '') });
const kept = (text: string) => line('kept', text);
const removedLine = (text: string) => line('removed', text);
const addedLine = (text: string) => line('added', text);

/** The shortest way from one list to the other, found as Myers (1986) does: by the furthest reach of each diagonal. */
function changes(old: readonly string[], now: readonly string[]): DiffLine[] {
  const reaches: Map<number, number>[] = [];
  let last = new Map([[1, 0]]);
  for (let count = 0; count <= Math.min(old.length + now.length, MAX_CHANGES); count += 1) {
    const reach = new Map(last);
    for (let diagonal = -count; diagonal <= count; diagonal += 2) {
      let x = entryOf(last, diagonal, count).x;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      reach.set(diagonal, x);
      if (x >= old.length && x - diagonal >= now.length) return wayBack(old, now, [...reaches, last]);
    }
    reaches.push(last);
    last = reach;
  }
  return [...old.map(removedLine), ...now.map(addedLine)];
}

/** From where, and how far, the path of `count` changes gets onto a diagonal. */
function entryOf(last: ReadonlyMap<number, number>, diagonal: number, count: number) {
  const [below = -1, above = -1] = [last.get(diagonal - 1), last.get(diagonal + 1)];
  const adds = diagonal === -count || (diagonal !== count && below < above);
  return adds ? { from: diagonal + 1, x: above } : { from: diagonal - 1, x: below + 1 };
}

function wayBack(old: readonly string[], now: readonly string[], reaches: readonly Map<number, number>[]): DiffLine[] {
  const way: DiffLine[] = [];
  let [x, y] = [old.length, now.length];
  for (const [count, last] of [...reaches.entries()].reverse()) {
    const { from, x: entry } = entryOf(last, x - y, count);
    for (; x > entry; x -= 1, y -= 1) way.push(kept(old[x - 1] ?? ''));
    if (count === 0) break;
    const before = last.get(from) ?? 0;
    way.push(x > before ? removedLine(old[before] ?? '') : addedLine(now[y - 1] ?? ''));
    [x, y] = [before, before - from];
  }
  return way.reverse();
}

function inShort(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map(() => false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'kept') isNear.fill(true, Math.max(0, index - CONTEXT), index + CONTEXT + 1);
  }
  return lines.flatMap((each, index) => {
    if (isNear[index]) return [each];
    return index === 0 || isNear[index - 1] ? [{ kind: 'gap', text: '' } as const] : [];
  });
}
