import { groupDigits, pluralize } from '../core/text/words.ts';
import type { RecordedCompaction } from '../replay/recorded-items.ts';
import type { SessionSummary, SummedFigures } from '../replay/summary.ts';

export { pluralize as counted };

export function tokens(count: number): string {
  return groupDigits(Math.round(count));
}

/** Rounded for reading: 127_412 → `127k`, 1_000_000 → `1M`. */
export function roundedTokens(count: number): string {
  if (count >= 999_500) return `${Math.round(count / 100_000) / 10}M`;
  return count < 1_000 ? tokens(count) : `${Math.round(count / 1_000)}k`;
}

/** `at 210000 of 1000000` → `at 210,000 of 1,000,000`; leaves decimals and the digits of paths, dates and ids alone. */
export function groupDigitsIn(text: string): string {
  return text.replace(/(?<![\w./-])\d{4,}(?![\w/-])/g, (count) => tokens(Number(count)));
}

/** 0.705 → `71%`; `?` if unknown. */
export function percent(fraction: number | null | undefined): string {
  return fraction === null || fraction === undefined ? '?' : `${Math.round(fraction * 100)}%`;
}

/** Tokens as a share of the window: `71%`; `?` for an unknown window. */
export function shareOf(count: number, window: number | null | undefined): string {
  return percent(window ? count / window : null);
}

/** 1234.567 → `$1,234.57`; amounts below a cent keep four places. */
export function dollars(usd: number): string {
  return `$${usd.toFixed(usd > 0 && usd < 0.01 ? 4 : 2).replace(/\B(?=(\d{3})+\.)/g, ',')}`;
}

export const NO_VALUE = '–';

export const COMPACTED_BY: Readonly<Record<RecordedCompaction['by'], string>> = {
  claude: 'claude itself',
  placed: 'claude (level set by ctxb)',
  caller: '/compact',
  ctxb: 'ctxb',
};

/** A cost: `$0.03`, or `≥ $0.03` if part of it is unknown, `≤ $0.03` if it includes unseen calls, `about $0.03` if both. */
export function costText({
  usd,
  usdPartial,
  usdUnseen,
}: Pick<SummedFigures, 'usd' | 'usdPartial' | 'usdUnseen'>): string {
  if (usd === null) return NO_VALUE;
  const bound = usdPartial ? (usdUnseen ? 'about ' : '≥ ') : usdUnseen ? '≤ ' : '';
  return `${bound}${dollars(usd)}`;
}

export function unseenText(usd: number): string {
  return `${dollars(usd)} of it for calls that are not in the recording`;
}

/** `0.4 s`, `42.0 s`, `3 min 5 s`, `2 h 38 min`, `15 min` */
export function duration(ms: number): string {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  const parts =
    minutes < 60
      ? [`${minutes} min`, `${seconds % 60} s`]
      : [`${tokens(Math.floor(minutes / 60))} h`, `${minutes % 60} min`];
  return parts.filter((part) => !part.startsWith('0 ')).join(' ');
}

export const DAY_MS = 24 * 60 * 60 * 1000;

/** `Sun, Nov 22, 18:05`, in the time zone of the machine. */
export function localTime(ms: number): string {
  const options = { weekday: 'short', month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit' } as const;
  return new Date(ms).toLocaleString('en-US', { ...options, hourCycle: 'h23' });
}

/** The source of a cost. Session logs never contain a cost; a stream reports one with each result. */
export function costSource({ cost, dialect }: Pick<SessionSummary, 'cost' | 'dialect'>): string {
  if (!cost.computed) return 'reported by claude';
  return `from list prices${dialect === 'session' ? '' : ' where claude reported no cost'}`;
}
