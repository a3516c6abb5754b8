import { type Fields, fieldsOf, isFields } from '../../core/protocol/fields.ts';
import type { ReadLine } from '../read/line-feed.ts';
import type { SessionSummary } from '../summary.ts';

/**
 * The sessions of one part of the work, as lines of JSON: an opening with the version, a line for each session, and a
 * closing with their number, so that a partial that was cut off is known as one. Partials may follow each other in a file.
 */
export type PartialLine =
  /** @see PARTIAL_VERSION */
  | { readonly kind: 'opening'; readonly version: unknown }
  | { readonly kind: 'session'; readonly session: SessionSummary }
  | { readonly kind: 'closing'; readonly sessions: number; readonly faults: readonly string[] };

/** Of the summaries in it. A reader takes no other. */
export const PARTIAL_VERSION = 2;

export const PARTIAL_OPENING = `${JSON.stringify({ ctxb: 'partial', version: PARTIAL_VERSION })}\n`;

/** A file that begins with these bytes is a partial. */
export const PARTIAL_BEGINNING = '{"ctxb":"partial"';

export function partialSession(session: SessionSummary): string {
  return `${JSON.stringify(session)}\n`;
}

/** @param faults what could not be read of this part */
export function partialClosing(sessions: number, faults: readonly string[]): string {
  return `${JSON.stringify({ ctxb: 'end', sessions, faults })}\n`;
}

/** Why a line is not one of a partial, and what to do. */
export class NoPartial extends Error {}

/** @throws NoPartial when it is something else */
export function readPartialLine(found: ReadLine): PartialLine {
  if (found.kind !== 'value')
    throw new NoPartial('is not a partial, or is damaged: make it again with ctxb replay --partial');
  const line = found.value;
  if (line.ctxb === 'partial') return { kind: 'opening', version: line.version };
  if (line.ctxb === 'end' && typeof line.sessions === 'number') {
    const faults = Array.isArray(line.faults) ? line.faults.filter((fault) => typeof fault === 'string') : [];
    return { kind: 'closing', sessions: line.sessions, faults };
  }
  if (isSession(line)) return { kind: 'session', session: line };
  throw new NoPartial('is not a partial: make one with ctxb replay --partial');
}

/** The parts that reports and gates are made from; what made the partial is known from its opening. */
export function isSession(line: Fields): line is Fields & SessionSummary {
  return (
    typeof line.file === 'string' &&
    typeof line.calls === 'number' &&
    [line.window, line.time, line.context, line.traffic, line.cost, line.growth, line.lines].every(isFields) &&
    [line.compactions, line.actions, line.largest, line.lineage, line.subagents].every(Array.isArray) &&
    Array.isArray(line.ledger) &&
    line.ledger.every((call) => isFields(fieldsOf(call).usage)) &&
    [line.pauses, line.waits].every((part) => part === undefined || isFields(part)) &&
    hasFigures(line)
  );
}

/** Sums are made of these. What is not known is null. */
function hasFigures(line: Fields): boolean {
  const [context, lines, traffic] = [fieldsOf(line.context), fieldsOf(line.lines), fieldsOf(line.traffic)];
  const sums = [fieldsOf(traffic.main), fieldsOf(traffic.subagents)];
  const { usd } = fieldsOf(line.cost);
  const { count = 0, expired = 0, tokens = 0, usd: dearer = 0, cachedUsd = 0 } = fieldsOf(line.pauses);
  return [
    ...[line.turns, fieldsOf(line.window).tokens ?? 0, context.last, context.peak, context.peakCall],
    context.peakFraction ?? 0,
    ...[lines.total, lines.unknown, lines.malformed, ...Object.values(fieldsOf(line.growth)), usd ?? 0],
    ...[count, expired, tokens, dearer, cachedUsd, ...Object.values(fieldsOf(line.waits))],
    ...sums.flatMap(({ input, cacheCreation, cacheRead, output }) => [input, cacheCreation, cacheRead, output]),
  ].every((figure) => typeof figure === 'number');
}
