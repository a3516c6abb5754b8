import { COMPACTED_BY, shareOf, tokens } from '../../figures.ts';
import type { Line } from './chart.ts';
import { chartSection } from './controls.ts';
import type { Mark } from './marks.ts';
import { type Session, WITH_CTXB } from './session.ts';
import type { Span } from './span.ts';

/** Minimum peak, as a share of the window, at which the chart starts with the whole window. */
const MIN_PEAK_SHARE = 0.4;

const KEY =
  'A vertical dashed line is a compaction, and ▼ what ctxb did, or would have done. The strip at the bottom shows the turns, dark and light in turn.';

export function contextSection(session: Session, span: Span, table: () => HTMLElement): HTMLElement {
  return chartSection(session, span, {
    title: 'Context',
    name: 'Context over calls',
    lines: linesOf(session),
    figure: shortNumber,
    marks: [
      { axis: 'y', marks: levels(session) },
      { axis: 'x', marks: turns(session) },
      { axis: 'x', marks: compactions(session) },
      { axis: 'x', marks: actions(session) },
    ],
    about: KEY,
    table,
  });
}

function linesOf({ calls, info: { curve, window, context } }: Session): Line[] {
  const predicted = calls.map((call) => call.predicted);
  const { tokens } = window;
  return [
    { name: 'Context', figures: calls.map((call) => call.context), color: 'mark', isFilled: true },
    { name: 'Predicted before the call', figures: predicted, color: 'quiet', isDashed: true, isOn: false },
    ...(curve ? [{ name: WITH_CTXB, figures: curve, color: 'kind-2', isDashed: true } as const] : []),
    ...(tokens === null
      ? []
      : [
          wholeWindow(
            calls.map(() => tokens),
            (context.peakFraction ?? 0) >= MIN_PEAK_SHARE,
          ),
        ]),
  ];
}

/** Extends the axis to the whole window, which a mark shows. */
function wholeWindow(figures: readonly number[], isOn: boolean): Line {
  return { name: 'Whole window', figures, color: 'ink', isDashed: true, shape: () => null, isOn };
}

/** 1_420_000 → `1.42M`, 142_000 → `142k` */
export function shortNumber(figure: number): string {
  if (figure >= 1e6) return `${Math.round(figure / 1e4) / 100}M`;
  return figure >= 1000 ? `${Math.round(figure / 100) / 10}k` : tokens(figure);
}

function levels({ info: { levels, window } }: Session): Mark[] {
  const all = [...levels, ...(window.tokens === null ? [] : [{ name: 'window', tokens: window.tokens }])];
  return all.map(({ name, tokens: at }) => ({
    name: `level ${name}`,
    at,
    text: `${name} ${shareOf(at, window.tokens)}`,
  }));
}

function turns({ calls }: Session): Mark[] {
  return calls
    .filter(({ turn }, index) => calls[index - 1]?.turn !== turn)
    .map(({ turn, number }) => ({ name: `turn ${turn % 2 === 0 ? 'even' : 'odd'}`, at: number - 0.5 }));
}

/** The readout and the table have the whole name. */
function compactions({ info }: Session): Mark[] {
  return info.compactions.map(({ call, by }) => ({
    name: 'compaction',
    at: call + 0.5,
    text: `by ${COMPACTED_BY[by]}`,
  }));
}

const SERIOUS_KINDS: ReadonlySet<string> = new Set(['exhausted', 'give-up', 'unavailable', 'left-undone']);

function actions({ info }: Session): Mark[] {
  return info.actions.map(({ call, kind }) => ({
    name: SERIOUS_KINDS.has(kind) ? 'action bad' : 'action',
    at: call + 0.5,
    text: '▼',
  }));
}
