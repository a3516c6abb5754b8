import type { CountedCall, LedgerCall } from './items-seen.ts';
import { isFull, type SessionFigures, type SessionSummary } from './summary.ts';

/**
 * Figures as threads hand them over and caches keep them. Calls are most of them, and few reports look at each: those of a
 * light reading are in columns, each a text, and are unpacked where they are asked for.
 */
export type Packed = PackedFigures | (Omit<SessionSummary, 'ledger'> & { readonly ledger: readonly CountedCall[] });

interface PackedFigures extends Omit<SessionFigures, 'ledger' | 'keys'> {
  readonly columns: {
    /** An array where a key has one of the characters that stand between keys. */
    readonly keys: string | LedgerCall['keys'][];
    /** 0: of a subagent; below it: of the main thread, without a number. */
    readonly numbers: string;
    /** Since the call before it. */
    readonly times: string;
    /** Places in the list of models. */
    readonly models: string;
    readonly microUsd: string;
  };
  readonly models: readonly (string | null)[];
}

const [BETWEEN_CALLS, BETWEEN_KEYS] = [',', '+'];
const BETWEEN = /[,+]/;

const [OF_SUBAGENT, UNNUMBERED] = [0, -1];

export function pack(session: SessionFigures): Packed {
  if (isFull(session)) return { ...session, ledger: session.ledger() };
  const { ledger, keys: _, ...figures } = session;
  const calls = ledger();
  const places = new Map<string | null, number>();
  const placeOf = (model: string | null) => {
    const place = places.get(model) ?? places.size;
    places.set(model, place);
    return place;
  };
  let last = 0;
  const sinceLast = (t: number) => {
    const since = t - last;
    last = t;
    return since;
  };
  const keys = calls.map((call) => call.keys);
  const columns = {
    keys: keys.flat().some((key) => BETWEEN.test(key)) ? keys : keyText(calls),
    numbers: calls.map(({ main, number = UNNUMBERED }) => (main ? number : OF_SUBAGENT)).join(),
    times: calls.map(({ t }) => (t === null ? null : sinceLast(t))).join(),
    models: calls.map(({ model }) => placeOf(model)).join(),
    microUsd: calls.map(({ microUsd }) => microUsd).join(),
  };
  return { ...figures, columns, models: [...places.keys()] };
}

/** The keys of calls as one text. */
export function keyText(calls: readonly Pick<LedgerCall, 'keys'>[]): string {
  return calls.map(({ keys }) => keys.join(BETWEEN_KEYS)).join(BETWEEN_CALLS);
}

export function unpack(packed: Packed): SessionFigures {
  if ('ledger' in packed) return { ...packed, ledger: () => packed.ledger };
  const { columns, models, ...figures } = packed;
  const keys = typeof columns.keys === 'string' ? columns.keys : undefined;
  return { ...figures, ...(keys !== undefined && { keys }), ledger: () => callsIn(columns, models) };
}

function callsIn(columns: PackedFigures['columns'], models: PackedFigures['models']): readonly LedgerCall[] {
  const { keys } = columns;
  if (columns.numbers === '') return [];
  const all = typeof keys === 'string' ? keys.split(BETWEEN_CALLS).map(keysIn) : keys;
  const [times, places, microUsd] = [columns.times, columns.models, columns.microUsd].map((text) => text.split(','));
  let last = 0;
  return columns.numbers.split(',').map((text, at): LedgerCall => {
    const number = Number(text);
    const since = times?.[at];
    last += Number(since);
    return {
      keys: all[at] ?? [],
      main: number !== OF_SUBAGENT,
      ...(number > 0 && { number }),
      t: since ? last : null,
      model: models[Number(places?.[at])] ?? null,
      microUsd: microUsd?.[at] ? Number(microUsd[at]) : null,
    };
  });
}

function keysIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(BETWEEN_KEYS);
}
