import { h } from '../../../browser/dom.ts';
import { counted, dollars, tokens } from '../../figures.ts';
import { createChart } from './chart.ts';
import { section } from './controls.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

/** What the main thread has cost so far, over the calls. */
export function costSection({ usd, spent, calls }: Session, span: Span, table: () => HTMLElement): HTMLElement {
  const unknown = usd.filter((each) => each === null).length;
  if (unknown === calls) {
    const why = 'No list price of the model is known: prices can be set in the configuration (cost.prices).';
    return section('Cost', [h('p', {}, why)]);
  }
  const total = spent.at(-1) ?? 0;
  const chart = createChart({
    name: 'Cost so far over calls',
    span,
    lines: [{ name: 'Cost so far', figures: spent, color: 'kind-3', filled: true, width: 2 }],
    height: 190,
    top: () => Math.max(total * 1.08, 0.0001),
    figure: (each) => (Number.isInteger(each) ? `$${tokens(each)}` : dollars(each)),
    tell: (call) => {
      const own = usd[call - 1] ?? null;
      const cost = own === null ? 'no price is known for it' : dollars(own);
      return `Call ${call}: ${cost}, ${dollars(spent[call - 1] ?? 0)} so far`;
    },
  });
  const without = unknown === 0 ? '' : ` ${counted(unknown, 'call')} without a known price left out.`;
  const about = `The main thread at list prices: ${dollars(total)}.${without}`;
  return section('Cost', [h('p', { class: 'quiet' }, about), chart.element], table);
}
