import type uPlot from 'uplot';
import type { Span } from './span.ts';

const ACTS: Readonly<Record<string, (span: Span, frame: HTMLElement) => void>> = {
  ArrowRight: (span, frame) => go(span, frame, 1),
  ArrowUp: (span, frame) => go(span, frame, 1),
  ArrowLeft: (span, frame) => go(span, frame, -1),
  ArrowDown: (span, frame) => go(span, frame, -1),
  PageUp: (span, frame) => go(span, frame, tenth(span)),
  PageDown: (span, frame) => go(span, frame, -tenth(span)),
  Home: (span, frame) => span.move(1, frame),
  End: (span, frame) => span.move(span.total, frame),
  '+': (span) => span.scale(0.5),
  '=': (span) => span.scale(0.5),
  '-': (span) => span.scale(2),
  '0': (span) => span.zoom(0, span.total + 1),
  Escape: (span) => span.move(undefined),
};

/** What the mouse does, with keys. */
export function followKeys(frame: HTMLElement, span: Span): void {
  frame.addEventListener('keydown', (event) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : ACTS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(span, frame);
  });
  frame.addEventListener('blur', () => span.move(undefined));
}

/** By some calls from the one that is pointed at, else to the edge of what is shown. */
function go(span: Span, frame: HTMLElement, by: number): void {
  const edge = by > 0 ? Math.ceil(span.from) : Math.floor(span.to);
  span.move(span.at === undefined ? edge : span.at + by, frame);
}

function tenth({ from, to }: Span): number {
  return Math.max(1, Math.round((to - from) / 10));
}

/** Points and zooms with a mouse or a finger: dragging chooses a part, a double click shows all again. */
export function followPointer(plot: uPlot, frame: HTMLElement, span: Span): void {
  const { over } = plot;
  const callAt = ({ clientX }: MouseEvent) =>
    Math.round(plot.posToVal(clientX - over.getBoundingClientRect().left, 'x'));
  over.addEventListener('pointermove', (event) => span.move(callAt(event), frame));
  over.addEventListener('pointerdown', (event) => span.move(callAt(event), frame));
  over.addEventListener('pointerleave', ({ pointerType }) => {
    // A finger is always lifted; what it pointed at stays.
    if (pointerType === 'mouse') span.move(undefined);
  });
  over.addEventListener('dblclick', () => span.zoom(0, span.total + 1));
  over.addEventListener(
    'wheel',
    (event) => {
      // Without a key the wheel belongs to the page.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      span.scale(event.deltaY > 0 ? 1.25 : 0.8, callAt(event));
    },
    { passive: false },
  );
  plot.hooks.setSelect = [
    () => {
      const { left, width } = plot.select;
      if (width === 0) return;
      plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      const [first, last] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')].map(Math.round);
      span.zoom((first ?? 0) - 0.5, (last ?? 0) + 0.5);
    },
  ];
}
