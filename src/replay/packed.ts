import type { CountedCall, LedgerCall } from './items-seen.ts';
import type { SessionFigures } from './summary.ts';

/**
 * Figures in a form for messages between threads and for caches. Calls are most of the data but few reports need them,
 * so they are stored as text and parsed on demand.
 */
export interface Packed extends Omit<SessionFigures, 'ledger' | 'keys'> {
  /** All keys as one text. */
  readonly keys: string;
  /** JSON array with a {@link Row} for each call. */
  readonly rows: string;
  readonly models: readonly (string | null)[];
}

/**
 * Number, time in milliseconds since the epoch, index of the model, cost in micro-dollars and, in a full replay, usage.
 */
type Row = readonly [
  number: number,
  t: number | null,
  model: number,
  microUsd: number | null,
  ...usage: CountedCall['usage'][],
];

/** No key contains these characters. */
const [BETWEEN_CALLS, BETWEEN_KEYS] = [',', '+'];

/** Replaces the number of a call of a subagent. */
const OF_SUBAGENT = 0;

export function pack({ ledger, keys: _, ...figures }: SessionFigures): Packed {
  const calls: readonly (LedgerCall & Partial<CountedCall>)[] = ledger();
  const models: (string | null)[] = [];
  const placeOf = (model: string | null) => {
    const place = models.lastIndexOf(model);
    return place === -1 ? models.push(model) - 1 : place;
  };
  const rows = calls.map(({ number = OF_SUBAGENT, t, model, microUsd, usage }): Row => {
    const row = [number, t, placeOf(model), microUsd] as const;
    return usage === undefined ? row : [...row, usage];
  });
  return { ...figures, keys: keyText(calls), rows: JSON.stringify(rows), models };
}

/** Joins the keys of all calls into one text. */
export function keyText(calls: readonly Pick<LedgerCall, 'keys'>[]): string {
  return calls.map(({ keys }) => keys).join(BETWEEN_CALLS);
}

export function unpack({ keys, rows, models, ...figures }: Packed): SessionFigures {
  return { ...figures, keys, ledger: () => callsIn({ keys, rows, models }) };
}

function callsIn({ keys, rows, models }: Pick<Packed, 'keys' | 'rows' | 'models'>): readonly LedgerCall[] {
  const all = keys.split(BETWEEN_CALLS);
  return (JSON.parse(rows) as Row[]).map(([number, t, model, microUsd, usage], at) => ({
    keys: all[at] ?? '',
    main: number !== OF_SUBAGENT,
    number: number === OF_SUBAGENT ? undefined : number,
    t,
    model: models[model] ?? null,
    microUsd,
    ...(usage && { usage }),
  }));
}

/** Joins the keys of a call, without the characters that separate keys. */
export function joinKeys(keys: readonly string[]): string {
  return keys.map((key) => key.replace(SEPARATORS, '-')).join(BETWEEN_KEYS);
}

const SEPARATORS = /[,+]/g;

export function keysIn({ keys }: Pick<LedgerCall, 'keys'>): readonly string[] {
  return keys === '' ? [] : keys.split(BETWEEN_KEYS);
}
