import type uPlot from 'uplot';
import type { Span } from './span.ts';

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
