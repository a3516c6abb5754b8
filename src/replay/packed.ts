import type { LedgerCall } from './items-seen.ts';
import type { SessionFigures } from './summary.ts';

/** Figures as threads hand them over and caches keep them: the calls, which are most of it, in columns. */
export interface Packed extends Omit<SessionFigures, 'ledger'> {
  readonly columns: {
    readonly keys: readonly (string | readonly string[])[];
    /** 0: of a subagent; below it: of the main thread, without a number. */
    readonly numbers: readonly number[];
    /** Since the call before it. */
    readonly times: readonly (number | null)[];
    /** Places in the list of models. */
    readonly models: readonly number[];
    readonly microUsd: readonly (number | null)[];
  };
  readonly models: readonly (string | null)[];
}

export function pack({ ledger, ...figures }: SessionFigures): Packed {
  const places = new Map<string | null, number>();
  let last = 0;
  const sinceLast = (t: number | null) => {
    if (t === null) return null;
    const since = t - last;
    last = t;
    return since;
  };
  const placeOf = (model: string | null) => {
    const place = places.get(model) ?? places.size;
    places.set(model, place);
    return place;
  };
  const columns = {
    keys: ledger.map(({ keys }) => (keys.length === 1 ? (keys[0] ?? '') : keys)),
    numbers: ledger.map(({ main, number = UNNUMBERED }) => (main ? number : OF_SUBAGENT)),
    times: ledger.map(({ t }) => sinceLast(t)),
    models: ledger.map(({ model }) => placeOf(model)),
    microUsd: ledger.map(({ microUsd }) => microUsd),
  };
  return { ...figures, columns, models: [...places.keys()] };
}

const [OF_SUBAGENT, UNNUMBERED] = [0, -1];

export function unpack({ columns, models, ...figures }: Packed): SessionFigures {
  const { keys, numbers, times, microUsd } = columns;
  let last = 0;
  const ledger = keys.map((key, at): LedgerCall => {
    const [number = OF_SUBAGENT, since = null] = [numbers[at], times[at]];
    last += since ?? 0;
    return {
      keys: typeof key === 'string' ? [key] : key,
      main: number !== OF_SUBAGENT,
      ...(number > 0 && { number }),
      t: since === null ? null : last,
      model: models[columns.models[at] ?? -1] ?? null,
      microUsd: microUsd[at] ?? null,
    };
  });
  return { ...figures, ledger };
}
