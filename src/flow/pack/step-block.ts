import type { Priority } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import { cut, fenced, grouped, LINE_LENGTH, LONG_LINE_LENGTH, oneLine, quoted } from '../../core/memory/words.ts';
import type { StepOutput } from '../flow.ts';

export const BETWEEN_PARTS = '\n\n';

/** Code points that a part takes in a text, with the break after it. */
export function costOf(part: string): number {
  return codePoints(part) + BETWEEN_PARTS.length;
}

export interface Part {
  readonly text: string;
  readonly cost: number;
}

/**
 * The part with about as much as `room` allows: between `least` and `most` code points, or undefined where `least`
 * is too much. The length changes what stands around it (a fence, a marker), so it is found by trying.
 */
export function fitted<T extends Part>(
  render: (limit: number) => T,
  { most, least, room }: { most: number; least: number; room: number },
): T | undefined {
  const whole = render(most);
  if (whole.cost <= room) return whole;
  const smallest = render(Math.min(least, most));
  if (smallest.cost > room) return undefined;
  let excess = whole.cost - room;
  // The step size doubles, so that the search ends soon even for a text of control characters.
  for (let limit = most - excess, steps = 1; limit > least; limit -= excess * steps, steps *= 2) {
    const part = render(limit);
    if (part.cost <= room) return part;
    excess = part.cost - room;
  }
  return smallest;
}

export interface PackItem extends StepOutput {
  readonly stepId: string;
  readonly agent: string | undefined;
  readonly priority: Priority | undefined;
  /** Is shown in place of the output. */
  readonly summary?: Summary | undefined;
}

/** A model's text about an output, always marked as such. */
export interface Summary {
  readonly text: string;
  readonly by: string;
}

export interface StepBlock extends Part {
  readonly shown: number;
}

/** Code points of an error that are shown. */
const ERROR_LENGTH = 200;

/** Less of an output is not worth the step's heading. */
const LEAST_SHOWN = 200;

/** Stands outside the fence, where no output can imitate it. */
export const CUT_MARKER = '... (truncated)';

/** A step with the code points of its output or summary, and how many of them may be shown. */
export interface Sized {
  readonly item: PackItem;
  readonly size: number;
  readonly limit: number;
}

/** The step with at most `limit` code points of its output or summary. */
export function stepBlock({ item, size, limit: most }: Sized, limit = most): StepBlock {
  const shown = Math.max(0, Math.min(size, limit));
  const shownText = cut(item.summary?.text ?? item.output, shown);
  const text = [
    `### Step: ${oneLine(item.stepId, LINE_LENGTH)} [${item.ok ? 'OK' : 'FAIL'}]`,
    ...(shown > 0 ? [`${titleOf(item)}\n${fenced(shownText)}`] : []),
    ...(shown < size ? [cutMarker(item, shown, size)] : []),
    ...(item.error ? [`Error: ${errorText(item.error)}`] : []),
  ].join('\n');
  return { text, cost: costOf(text), shown };
}

/** With as much of it as `room` allows; undefined if that is too little. */
export function fittedBlock(step: Sized, room: number, least = LEAST_SHOWN): StepBlock | undefined {
  const most = Math.min(step.size, step.limit);
  return fitted((shown) => stepBlock(step, shown), { most, least, room });
}

/** For the step that is always in: without its output if there is no room. */
export function newestBlock(step: Sized, room: number): StepBlock {
  return fittedBlock(step, room, 0) ?? stepBlock(step, 0);
}

function titleOf(item: PackItem): string {
  if (item.summary === undefined) return 'Output:';
  const by = quoted(item.summary.by, LINE_LENGTH);
  return `Summary by ${by}, not the step's own words; its output has ${grouped(codePoints(item.output))} characters${placeOf(item)}:`;
}

function cutMarker(item: PackItem, shown: number, size: number): string {
  const where = item.summary === undefined ? placeOf(item) : ' of the summary';
  return `${CUT_MARKER} ${grouped(shown)} of ${grouped(size)} characters${where}`;
}

function placeOf({ path }: PackItem): string {
  return path === undefined ? '' : `; the whole is in ${quoted(path, LONG_LINE_LENGTH)}`;
}

function errorText(error: string): string {
  const marker = codePoints(error) > ERROR_LENGTH ? CUT_MARKER : '';
  return `${quoted(error, ERROR_LENGTH)}${marker}`;
}

/** The most that the line about omitted steps takes, with the break after it. */
export const OMITTED_LENGTH = 250;

/** Names as many omitted steps as fit on a line; the receipt names them all. Empty without omitted steps. */
export function omittedLine(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return '';
  const most = OMITTED_LENGTH - BETWEEN_PARTS.length - lineOf([], stepIds.length).length - 1;
  const names: string[] = [];
  let used = 0;
  for (const id of stepIds) {
    const name = oneLine(id, LINE_LENGTH);
    used += codePoints(name) + 2;
    if (used > most) break;
    names.push(name);
  }
  return lineOf(names, stepIds.length - names.length);
}

function lineOf(names: readonly string[], more: number): string {
  return `Omitted: ${[...names, ...(more > 0 ? [`${grouped(more)} more`] : [])].join(', ')}.`;
}
