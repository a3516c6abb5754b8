import type { Priority } from '../../config/config.ts';
import { codePoints } from '../../core/governor/gauge/token-estimate.ts';
import {
  cut,
  groupDigits,
  inBackticks,
  inFence,
  LINE_LENGTH,
  LONG_LINE_LENGTH,
  oneLine,
  shorten,
} from '../../core/text/words.ts';
import type { StepOutput } from '../flow.ts';

export const BETWEEN_PARTS = '\n\n';

/** Code points of a part, with the line breaks after it. */
export function costOf(part: string): number {
  return codePoints(part) + BETWEEN_PARTS.length;
}

export interface Part {
  readonly text: string;
  readonly cost: number;
}

/**
 * The part cut to fit `room`: between `min` and `max` code points, or undefined if `min` does not fit. The length
 * of fences and markers depends on the cut, so the limit is found by trial; it may be below the largest possible one.
 */
export function fitted<T extends Part>(
  render: (limit: number) => T,
  { max, min, room }: { max: number; min: number; room: number },
): T | undefined {
  const whole = render(max);
  if (whole.cost <= room) return whole;
  const smallest = render(Math.min(min, max));
  if (smallest.cost > room) return undefined;
  let excess = whole.cost - room;
  // The step size doubles, so that the search ends soon even for a text of control characters.
  for (let limit = max - excess, steps = 1; limit > min; limit -= excess * steps, steps *= 2) {
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
  readonly summary?: Summary | undefined;
}

/** A model's summary of an output, always labeled as such. */
export interface Summary {
  readonly text: string;
  readonly by: string;
}

export interface StepBlock extends Part {
  readonly shown: number;
}

const ERROR_LENGTH = 200;

/** Minimum number of code points worth the step's heading. */
const MIN_SHOWN = 200;

/** Printed outside the fence, where an output cannot imitate it. */
export const CUT_MARKER = '... (truncated)';

export interface SizedItem {
  readonly item: PackItem;
  readonly size: number;
  readonly limit: number;
}

/** Renders a step with at most `limit` code points of its output or summary. */
export function stepBlock({ item, size, limit: max }: SizedItem, limit = max): StepBlock {
  const shown = Math.max(0, Math.min(size, limit));
  const shownText = cut(item.summary?.text ?? item.output, shown);
  const text = [
    `### Step: ${oneLine(item.stepId, LINE_LENGTH)} [${item.ok ? 'OK' : 'FAIL'}]`,
    ...(shown > 0 ? [`${titleOf(item)}\n${inFence(shownText)}`] : []),
    ...(shown < size ? [cutMarker(item, shown, size)] : []),
    ...(item.error ? [`Error: ${errorText(item.error)}`] : []),
  ].join('\n');
  return { text, cost: costOf(text), shown };
}

/** Renders as much of a step as fits `room`; undefined if less than `min` fits. */
export function fittedBlock(step: SizedItem, room: number, min = MIN_SHOWN): StepBlock | undefined {
  const max = Math.min(step.size, step.limit);
  return fitted((shown) => stepBlock(step, shown), { max, min, room });
}

/** Renders the newest step, which is always included: without output if there is no room. */
export function newestBlock(step: SizedItem, room: number): StepBlock {
  return fittedBlock(step, room, 0) ?? stepBlock(step, 0);
}

function titleOf(item: PackItem): string {
  if (item.summary === undefined) return 'Output:';
  const by = inBackticks(item.summary.by, LINE_LENGTH);
  return `Summary by ${by}, not the step's own words; its output has ${groupDigits(codePoints(item.output))} characters${placeOf(item)}:`;
}

function cutMarker(item: PackItem, shown: number, size: number): string {
  const where = item.summary === undefined ? placeOf(item) : ' of the summary';
  return `${CUT_MARKER} ${groupDigits(shown)} of ${groupDigits(size)} characters${where}`;
}

function placeOf({ path }: PackItem): string {
  return path === undefined ? '' : `; the whole is in ${inBackticks(path, LONG_LINE_LENGTH)}`;
}

function errorText(error: string): string {
  const marker = codePoints(error) > ERROR_LENGTH ? CUT_MARKER : '';
  return `${inBackticks(error, ERROR_LENGTH)}${marker}`;
}

/** Maximum code points of the line about omitted steps, with the line breaks after it. */
export const OMITTED_LENGTH = 250;

/** The omitted steps, as far as they fit on one line; the receipt lists all. Empty without omitted steps. */
export function omittedLine(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return '';
  return shorten(
    `Omitted: ${stepIds.map((id) => oneLine(id, LINE_LENGTH)).join(', ')}`,
    OMITTED_LENGTH - BETWEEN_PARTS.length,
  );
}
