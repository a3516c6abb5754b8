import type { Bar, Bars } from './picture.ts';

/** What stays of an outcome: its requests are large. */
export interface Result {
  readonly usd: number;
  readonly faults: number;
  /** What the run says that it saved, in US dollars. */
  readonly told: number | undefined;
}

/** A job with claude alone and with `ctxb run`. */
export interface Pair {
  readonly title: string;
  readonly shape: string;
  /** Tokens. */
  readonly window: number;
  readonly alone: Result;
  readonly ctxb: Result;
}

/**
 * What each job costs beside claude alone, and what the run says of it. `off by`: the error of the account of claude alone,
 * as a share of the cost with claude alone.
 */
export function rangeTable(pairs: readonly Pair[]): string {
  const head = ['job', 'claude alone', 'ctxb run', '×', 'saved: told', 'measured', 'off by'];
  const rows = pairs.map(({ title, alone, ctxb }) => {
    const told = ctxb.told === undefined ? '–' : ctxb.told === 0 ? 'as much' : usd(ctxb.told);
    const measured = alone.usd - ctxb.usd;
    const error =
      ctxb.told === undefined
        ? '–'
        : `${((100 * (ctxb.told - measured)) / alone.usd).toFixed(1).replace('-0.0', '0.0')} %`;
    const costs = [usd(alone.usd), usd(ctxb.usd), (ctxb.usd / alone.usd).toFixed(2)];
    return [title, ...costs, told, usd(measured), error];
  });
  return [head, head.map((_, at) => (at === 0 ? '---' : '--:')), ...rows].map(line).join('\n');
}

export function rangeBars(pairs: readonly Pair[]): Bars[] {
  const windows = [...new Set(pairs.map(({ window }) => window))];
  return windows.map((window) => ({
    title: `Cost beside claude alone (the line), a window of ${window.toLocaleString('en')} tokens`,
    bars: pairs
      .filter((pair) => pair.window === window)
      .map(({ shape, alone, ctxb }) => ({
        ...{ name: shape, value: ctxb.usd / alone.usd, label: `${(ctxb.usd / alone.usd).toFixed(2)} ×` },
        note: `, ${usd(alone.usd)} → ${usd(ctxb.usd)}`,
      })),
    line: 1,
  }));
}

export function costBar(name: string, result: Result): Bar {
  const note = result.faults === 0 ? '' : `, ${result.faults} ${result.faults === 1 ? 'fault' : 'faults'}`;
  return { name, value: result.usd, label: usd(result.usd), note };
}

export function usd(amount: number): string {
  return `${amount <= -0.005 ? '-' : ''}$${Math.abs(amount).toFixed(2)}`;
}

export function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
