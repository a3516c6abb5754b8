import { dollars, tokens } from '../../figures.ts';
import { type Chart, createChart } from './chart.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

/** What the main thread has cost so far, over the calls. */
export function createCostChart(session: Session, span: Span): Chart {
  const total = session.spent.at(-1) ?? 0;
  return createChart({
    name: 'Cost so far over calls',
    span,
    lines: [
      { name: 'Cost so far', figures: session.spent, color: ({ kinds, mark }) => kinds[2] ?? mark, filled: true },
    ],
    height: 190,
    top: () => Math.max(total * 1.08, 0.0001),
    figure: (usd) => (Number.isInteger(usd) ? `$${tokens(usd)}` : dollars(usd)),
    tell: (call) => {
      const usd = session.usd[call - 1] ?? null;
      const own = usd === null ? 'no price is known for it' : `${dollars(usd)}`;
      return `Call ${call}: ${own}, ${dollars(session.spent[call - 1] ?? 0)} so far`;
    },
  });
}
