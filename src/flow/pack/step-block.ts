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

/** A part of a briefing that can be cut. */
export interface Part {
  readonly text: string;
  readonly cost: number;
  /** How much of its content it shows: code points or lines. */
  readonly shown: number;
}

/**
 * Cuts a part to fit into `room`: the content from `min` to `max`; undefined if `min` does not fit. The length of
 * fences and markers depends on the cut, so it tries lengths.
 */
export function cutToFit(
  render: (limit: number) => string,
  { max, min, room }: { readonly max: number; readonly min: number; readonly room: number },
): Part | undefined {
  let found: Part | undefined;
  let low = Math.min(min, max);
  let high = max;
  // The whole first, because it may be shorter than a part of it with a marker.
  for (let shown = max; low <= high; shown = Math.floor((low + high) / 2)) {
    const text = render(shown);
    const cost = costOf(text);
    if (cost > room) high = shown - 1;
    else {
      found = { text, cost, shown };
      low = shown + 1;
    }
  }
  return found;
}

export interface PackItem extends StepOutput {
  readonly stepId: string;
  readonly agent: string | undefined;
  readonly priority: Priority | undefined;
}

/** A model's summary of an output, always labeled as such. */
export interface Summary {
  readonly text: string;
  readonly by: string;
}

/** An output, or the summary in its place. */
export interface ShownOutput {
  readonly item: PackItem;
  readonly summary: Summary | undefined;
  /** Code points of the output or summary. */
  readonly size: number;
}

const ERROR_LENGTH = 200;

/** Outside the fence, where an output cannot imitate it. */
export const CUT_MARKER = '... (truncated)';

/** Renders a step with the first `shown` code points of its output or summary. */
export function stepBlock({ item, summary, size }: ShownOutput, shown: number): string {
  const where = summary === undefined ? placeOf(item) : ' of the summary';
  return [
    `### Step: ${oneLine(item.stepId, LINE_LENGTH)} [${item.ok ? 'OK' : 'FAIL'}]`,
    shown > 0 && `${titleOf(item, summary)}\n${inFence(cut(summary?.text ?? item.output, shown))}`,
    shown < size && cutMarker(shown, size, where),
    item.error && `Error: ${errorText(item.error)}`,
  ]
    .filter(Boolean)
    .join('\n');
}

function titleOf(item: PackItem, summary: Summary | undefined): string {
  if (summary === undefined) return 'Output:';
  const by = inBackticks(summary.by, LINE_LENGTH);
  return `Summary by ${by}, not the step's own words; its output has ${groupDigits(codePoints(item.output))} characters${placeOf(item)}:`;
}

export function cutMarker(shown: number, size: number, where = ''): string {
  return `${CUT_MARKER} ${groupDigits(shown)} of ${groupDigits(size)} characters${where}`;
}

function placeOf({ path }: PackItem): string {
  return path === undefined ? '' : `; the whole is in ${inBackticks(path, LONG_LINE_LENGTH)}`;
}

function errorText(error: string): string {
  const marker = codePoints(error) > ERROR_LENGTH ? CUT_MARKER : '';
  return `${inBackticks(error, ERROR_LENGTH)}${marker}`;
}

/** Maximum code points of the line about omitted steps, including the line breaks after it. */
export const OMITTED_LENGTH = 250;

/** The omitted steps that fit on one line; the receipt lists all. Empty if none are omitted. */
export function omittedLine(stepIds: readonly string[]): string {
  if (stepIds.length === 0) return '';
  return shorten(
    `Omitted: ${stepIds.map((id) => oneLine(id, LINE_LENGTH)).join(', ')}`,
    OMITTED_LENGTH - BETWEEN_PARTS.length,
  );
}
