import type { Usage } from '../core/protocol/usage.ts';
import type { CountedCall, LedgerCall } from './recorded-items.ts';
import type { SessionFigures } from './summary.ts';

/**
 * Figures in a form for messages between threads and for caches. Calls are most of the data but few reports need them,
 * so they are stored as text and parsed on demand.
 */
export interface Packed extends Omit<SessionFigures, 'ledger'> {
  readonly marks: Int32Array;
  /** All keys as one text, or its bytes. */
  readonly keys: string | Buffer;
  /** JSON of {@link Stored}, or its bytes. */
  readonly columns: string | Buffer;
  readonly models: readonly (string | null)[];
}

/** Calls, each figure in a list of its own: as objects, they would take twice the memory. */
export interface Columns {
  readonly keys: readonly string[];
  /** `SUBAGENT_CALL` for a call of a subagent. */
  readonly numbers: ArrayLike<number>;
  /** Milliseconds since the epoch; unknown: `NaN`, or `null` in JSON. */
  readonly times: ArrayLike<number | null>;
  readonly models: readonly (string | null)[];
  /** Unknown as in `times`. */
  readonly microUsd: ArrayLike<number | null>;
  /** Empty in a light replay. */
  readonly usages: readonly Usage[];
}

/** `places`: indices of the models in a list of their names. */
type Stored = Omit<Columns, 'keys' | 'models'> & { readonly places: number[] };

export const SUBAGENT_CALL = 0;

/** No key contains these characters. */
const [BETWEEN_CALLS, BETWEEN_KEYS] = [',', '+'];

export function pack({ ledger, marks, ...figures }: SessionFigures) {
  const calls: readonly (LedgerCall & Partial<CountedCall>)[] = ledger();
  const models = [...new Set(calls.map(({ model }) => model))];
  const columns: Stored = {
    numbers: calls.map(({ number = SUBAGENT_CALL }) => number),
    times: calls.map(({ t }) => t),
    places: calls.map(({ model }) => models.indexOf(model)),
    microUsd: calls.map(({ microUsd }) => microUsd),
    usages: calls.flatMap(({ usage }) => usage ?? []),
  };
  const keys = joinCalls(calls);
  return { ...figures, marks: marks ?? marksOf(keys), keys, columns: JSON.stringify(columns), models };
}

/** Joins the keys of all calls. */
export function joinCalls(calls: readonly Pick<LedgerCall, 'keys'>[]): string {
  return calls.map(({ keys }) => keys).join(BETWEEN_CALLS);
}

/** Hashes of the ends of keys, which are random; different keys can collide. @param keys of all calls, joined */
export function marksOf(keys: string): Int32Array {
  const text = `${keys},`.replaceAll(BETWEEN_KEYS, BETWEEN_CALLS);
  const marks: number[] = [];
  let begin = 0;
  // Faster than splitting the text.
  for (let end = text.indexOf(BETWEEN_CALLS); end !== -1; end = text.indexOf(BETWEEN_CALLS, begin)) {
    let mark = 0;
    for (let place = Math.max(begin, end - MARKED); place < end; place++)
      mark = Math.imul(mark ^ text.charCodeAt(place), 0x01000193);
    if (mark !== 0) marks.push(mark);
    begin = end + 1;
  }
  return Int32Array.from(marks);
}

const MARKED = 14;

export function unpack({ keys, columns, models, ...figures }: Packed): SessionFigures {
  return {
    ...figures,
    ledger() {
      const { places, ...rest } = JSON.parse(`${columns}`) as Stored;
      return callsIn({ ...rest, keys: `${keys}`.split(BETWEEN_CALLS), models: places.map((at) => models[at] ?? null) });
    },
  };
}

/** Packs calls without usage, to save memory until a report needs them. Unknown figures must be `NaN`. */
export function compactCalls({
  keys,
  numbers,
  times,
  models,
  microUsd,
}: Columns): Pick<SessionFigures, 'marks' | 'ledger'> {
  const text = keys.join(BETWEEN_CALLS);
  const figures = {
    numbers: new Int32Array(numbers),
    times: new Float64Array(times as ArrayLike<number>),
    models: [...models],
    microUsd: new Float64Array(microUsd as ArrayLike<number>),
    usages: [],
  };
  return { marks: marksOf(text), ledger: () => callsIn({ ...figures, keys: text.split(BETWEEN_CALLS) }) };
}

export function callsIn({ keys, numbers, times, models, microUsd, usages }: Columns): readonly LedgerCall[] {
  return models.map((model, index) => ({
    keys: keys[index] ?? '',
    main: numbers[index] !== SUBAGENT_CALL,
    number: numbers[index] || undefined,
    t: known(times[index]),
    model,
    microUsd: known(microUsd[index]),
    usage: usages[index],
  }));
}

function known(figure: number | null = null): number | null {
  return Number.isNaN(figure) ? null : figure;
}

/** Joins the keys of a call. */
export function joinKeys(keys: readonly string[]): string {
  return keys.join(BETWEEN_KEYS);
}

/** An id as a part of a key, without characters that separate keys or parts of a cache. */
export function keyPart(id: string): string {
  return USUAL_ID.test(id) ? id : id.replace(SEPARATORS, '-');
}

/** Tested first, because a search for control characters takes several times as long. */
const USUAL_ID = /^[\w :-]*$/;

const SEPARATORS = /[,+\p{Cc}]/gu;

/** The keys of a call. @param keys joined */
export function keysIn(keys: string): readonly string[] {
  return keys === '' ? [] : keys.split(BETWEEN_KEYS);
}
