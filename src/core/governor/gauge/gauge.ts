import { ownOf } from '../../protocol/fields.ts';
import { contextOf, isNewer, type Usage } from '../../protocol/usage.ts';
import { inTokens } from '../policy.ts';
import {
  addContent,
  type Calibration,
  type Content,
  calibrate,
  calibrationFor,
  droppedThoughts,
  estimateTokens,
  NO_CONTENT,
  UNCALIBRATED,
} from './estimator.ts';
import { NO_CHARACTERS, totalTokens } from './token-estimate.ts';
import { type ContextWindow, learnFromContext, shareOf, UNKNOWN_WINDOW } from './window.ts';

/**
 * Source of the context's size.
 * - `measured`: usage of the last main-thread API call
 * - `asked`: claude's own answer, valid until the next call
 * - `reported`: a report in a system reminder
 * - `estimated`: characters only
 * - `none`: no data yet
 */
export type SizeBasis = 'none' | 'measured' | 'asked' | 'reported' | 'estimated';

/** The last main-thread API call. */
export interface Call {
  readonly messageId: string;
  readonly model: string | undefined;
  /** From the newest of its lines. */
  readonly usage: Usage;
  /** `Gauge.peaks` before the call. */
  readonly peaks: Readonly<Record<string, number>>;
  /** Largest output count of the call so far: a placeholder of 1 to 8 unless `outputKnown`. */
  readonly output: number;
  readonly outputKnown: boolean;
  /** Content that the model generated, to estimate the output while the count is a placeholder. */
  readonly generated: Content;
}

/** Size of the main thread's context. All figures in tokens. */
export type Gauge = Readonly<typeof EMPTY_GAUGE>;

export const EMPTY_GAUGE = {
  window: UNKNOWN_WINDOW,
  /** Name of the model with this window; undefined until a call or another line from claude names one. */
  windowModel: undefined as string | undefined,
  /** Windows of inactive models, by name. */
  otherWindows: {} as Readonly<Record<string, ContextWindow>>,
  /** Family of models that run with the large window although the log drops the mark from their ids. */
  markedFamily: '',
  basis: 'none' as SizeBasis,
  /** Context at the last reading. */
  used: 0,
  call: null as Call | null,
  /** Additions since the last reading. */
  added: NO_CONTENT,
  /** Thoughts since the last prompt, in expected tokens: some models forget them at the next prompt. */
  thoughts: 0,
  /** Thoughts of all calls, in expected tokens. */
  allThoughts: 0,
  calibration: UNCALIBRATED,
  calls: 0,
  /** Total growth of the context over all calls, in tokens. */
  grown: 0,
  peak: 0,
  /** Largest context of each model, by name: each model has its own window. */
  peaks: {} as Readonly<Record<string, number>>,
  /** System prompt and tools, the minimum after a compaction: the context of the first call without its prompt. */
  first: undefined as number | undefined,
  /** `predicted` just before the last call, for comparison; undefined if the context was replaced since. */
  lastPrediction: undefined as number | undefined,
  /** An intermediate call of another model, whose size does not count for this context. */
  auxiliaryCall: null as { readonly messageId: string; readonly model: string } | null,
  characters: NO_CHARACTERS,
};

/** A gauge reading for journals, reports and actions. */
export interface Reading {
  readonly used: number;
  /** Size of the next request without new input: `used`, the output of the last call, and the additions. */
  readonly predicted: number;
  /** Tokens; undefined if unknown, as is `fraction`. */
  readonly window: number | undefined;
  readonly windowSource: ContextWindow['source'];
  /** `predicted` / `window`, at most 1, because no request is larger than its window. */
  readonly fraction: number | undefined;
  /** Source of `predicted`: `predicted` if content was added after a measured call or claude's answer. */
  readonly basis: SizeBasis | 'predicted';
}

/** Tokens of the system prompt and the tools; 0 until known. */
export function prefixOf({ first = 0 }: Gauge): number {
  return first;
}

/** Mean tokens of the thoughts of a call. */
export function thoughtsPerCall({ allThoughts, calls }: Gauge): number {
  return allThoughts / Math.max(1, calls);
}

/** Size of the next request, in tokens. */
export function predictedTokens(gauge: Gauge): number {
  if (isCharactersOnly(gauge)) return totalTokens(gauge.characters);
  return gauge.used + callOutput(gauge) + estimateTokens(gauge.added, gauge.calibration);
}

export function readGauge(gauge: Gauge): Reading {
  const next = predictedTokens(gauge);
  const { tokens, source } = gauge.window;
  const fraction = shareOf(next, tokens) ?? undefined;
  return { used: gauge.used, predicted: next, window: tokens, windowSource: source, fraction, basis: basisOf(gauge) };
}

export function crossedText(gauge: Gauge, threshold: number): string {
  const { tokens } = gauge.window;
  const of = tokens === undefined ? '' : ` of ${tokens}`;
  return `${predictedTokens(gauge)} tokens have crossed ${inTokens(threshold, tokens)}${of}`;
}

function basisOf({ basis, added, calibration }: Gauge): Reading['basis'] {
  const isReading = basis === 'measured' || basis === 'asked';
  return isReading && estimateTokens(added, calibration) > 0 ? 'predicted' : basis;
}

/** Returns a copy with changed fields. `Object.assign` is faster than a second spread: each line needs several copies. */
export function changedGauge(gauge: Gauge, changes: Partial<Gauge>): Gauge {
  return Object.assign({ ...gauge }, changes);
}

type CallFigures = Omit<Call, 'peaks' | 'output'>;

/**
 * The gauge with a new call. `generated`: content of the call's first line. Sets every field by name, which is faster
 * than a spread.
 */
export function addCall(gauge: Gauge, { messageId, model, usage, outputKnown, generated }: CallFigures): Gauge {
  const used = contextOf(usage);
  const previous = gauge.basis === 'measured' ? gauge.call : null;
  const { peak, peaks } = withPeak(gauge, used);
  return {
    window: learnFromContext(gauge.window, used),
    windowModel: gauge.windowModel,
    otherWindows: gauge.otherWindows,
    markedFamily: gauge.markedFamily,
    basis: 'measured',
    used,
    call: { messageId, model, usage, peaks: gauge.peaks, output: usage.output, outputKnown, generated },
    added: NO_CONTENT,
    thoughts: gauge.thoughts + generated.thoughts,
    allThoughts: gauge.allThoughts + generated.thoughts,
    calibration: calibrationFor(model, previous === null ? gauge.calibration : learnFromCall(gauge, previous, used)),
    calls: gauge.calls + 1,
    grown: gauge.grown + (previous === null ? 0 : Math.max(0, used - gauge.used)),
    peak,
    peaks,
    first: Math.min(used, gauge.first ?? Math.max(0, used - estimateTokens(gauge.added, gauge.calibration))),
    lastPrediction: previous === null ? undefined : predictedTokens(gauge),
    auxiliaryCall: null,
    characters: gauge.characters,
  };
}

/** Adds another line of the current call: more content, possibly better counts. */
export function extendCall(gauge: Gauge, figures: Pick<CallFigures, 'generated'> & Partial<CallFigures>): Gauge {
  if (gauge.call === null) return gauge;
  const { peaks } = gauge.call;
  const isMore = isNewer(figures.usage, gauge.call.usage);
  const usage = isMore ? figures.usage : gauge.call.usage;
  const model = isMore ? figures.model : gauge.call.model;
  const call = {
    ...gauge.call,
    model,
    usage,
    output: Math.max(gauge.call.output, usage.output),
    outputKnown: gauge.call.outputKnown || figures.outputKnown === true,
    generated: addContent(gauge.call.generated, figures.generated),
  };
  const thoughts = gauge.thoughts + figures.generated.thoughts;
  const allThoughts = gauge.allThoughts + figures.generated.thoughts;
  const used = contextOf(usage);
  const before = { peak: Math.max(0, ...Object.values(peaks)), peaks, windowModel: gauge.windowModel };
  const window = learnFromContext(gauge.window, used);
  return changedGauge(gauge, { call, thoughts, allThoughts, window, used, ...withPeak(before, used) });
}

export function withFinalOutput(gauge: Gauge, output: number): Gauge {
  return gauge.call === null ? gauge : changedGauge(gauge, { call: { ...gauge.call, output, outputKnown: true } });
}

export function addToContext(gauge: Gauge, content: Content): Gauge {
  return changedGauge(gauge, { added: addContent(gauge.added, content) });
}

/** Starts a new turn: the thoughts of earlier turns may leave the context. */
export function endThoughts(gauge: Gauge): Gauge {
  if (gauge.thoughts === 0) return gauge;
  const added = addContent(gauge.added, droppedThoughts(gauge.call?.model, gauge.thoughts));
  return changedGauge(gauge, { thoughts: 0, added });
}

/** Data of the last call, reset when the context is replaced. */
const NO_CALL = { call: null, added: NO_CONTENT, thoughts: 0, lastPrediction: undefined } as const;

/** A reading that does not come from a call: claude's own answer, or a report in text. */
export function withReading(gauge: Gauge, used: number, basis: SizeBasis): Gauge {
  const window = learnFromContext(gauge.window, used);
  return changedGauge(gauge, { ...NO_CALL, window, basis, used, ...withPeak(gauge, used) });
}

export function withPeak(
  { peak, peaks, windowModel = '' }: Pick<Gauge, 'peak' | 'peaks' | 'windowModel'>,
  used: number,
) {
  const isHigher = used > (ownOf(peaks, windowModel) ?? 0);
  return { peak: Math.max(peak, used), peaks: isHigher ? { ...peaks, [windowModel]: used } : peaks };
}

/** Until the next reading a replaced context is estimated as the fixed prefix plus the kept tokens. */
export function emptyContext(gauge: Gauge, keptTokens: number): Gauge {
  const used = Math.min(prefixOf(gauge), gauge.used) + keptTokens;
  return changedGauge(gauge, { ...NO_CALL, basis: 'estimated', used, characters: NO_CHARACTERS });
}

/** Whether characters are the only source, without usage and reports. */
export function isCharactersOnly(gauge: Gauge): boolean {
  return gauge.calls === 0 && (gauge.basis === 'none' || gauge.basis === 'estimated');
}

/**
 * Whether the size is only an estimate, because the context was replaced. In a resumed session, the estimate includes
 * all earlier text.
 */
export function isGuess({ basis, calls }: Gauge): boolean {
  return basis === 'none' || (basis === 'estimated' && calls > 0);
}

/** Output tokens of the last call: the actual count, or an estimate while only a placeholder is known. */
export function callOutput({ call, calibration }: Gauge): number {
  if (call === null) return 0;
  return call.outputKnown ? call.output : Math.max(call.output, estimateTokens(call.generated, calibration));
}

function learnFromCall({ added, calibration, used: before }: Gauge, call: Call, used: number): Calibration {
  const growth = used - before;
  if (call.outputKnown) return calibrate(calibration, added, growth - call.output);
  return calibrate(calibration, addContent(added, call.generated), growth);
}
