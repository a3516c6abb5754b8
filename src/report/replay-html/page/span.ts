import type uPlot from 'uplot';

/** The visible range of calls and the chosen call, shared by all charts of a session. */
export type Span = ReturnType<typeof createSpan>;

const MIN_CALLS = 5;

export function createSpan(total: number) {
  const [first, last] = [0.5, total + 0.5];
  const listeners: (() => void)[] = [];
  const tell = () => {
    for (const listener of listeners) listener();
  };

  function show(call: number): void {
    const width = span.to - span.from;
    if (call < span.from) span.zoom(call - 0.5, call - 0.5 + width);
    if (call > span.to) span.zoom(call + 0.5 - width, call + 0.5);
  }

  const span = {
    total,
    /** Edges of the range: half a call before the first and after the last call. */
    from: first,
    to: last,
    /** Number of the chosen call. */
    at: undefined as number | undefined,
    /** The chart under the pointer. */
    over: undefined as HTMLElement | undefined,
    /** Shows a range, limited to existing calls. */
    zoom(from: number, to: number): void {
      const width = Math.min(last - first, Math.max(MIN_CALLS, to - from));
      const start = Math.max(first, Math.min(last - width, (from + to) / 2 - width / 2));
      if (start === span.from && start + width === span.to) return;
      [span.from, span.to] = [start, start + width];
      tell();
    },
    /** Narrows (factor below 1) or widens the range around a call. */
    scale(factor: number, place?: number): void {
      const round = place ?? span.at ?? (span.from + span.to) / 2;
      span.zoom(round - (round - span.from) * factor, round + (span.to - round) * factor);
    },
    move(wanted: number | undefined, over?: HTMLElement): void {
      const at = wanted === undefined ? undefined : Math.max(1, Math.min(total, wanted));
      if (at === span.at && over === span.over) return;
      [span.at, span.over] = [at, over];
      if (at !== undefined) show(at);
      tell();
    },
    watch: (listener: () => void) => void listeners.push(listener),
  };
  return span;
}

/** Adds pointer control: moving selects a call, dragging zooms, a double click shows all calls. */
export function followPointer(plot: uPlot, span: Span): void {
  const { over } = plot;
  const callAt = ({ clientX }: MouseEvent) =>
    Math.round(plot.posToVal(clientX - over.getBoundingClientRect().left, 'x'));
  over.addEventListener('pointermove', (event) => span.move(callAt(event), over));
  over.addEventListener('pointerdown', (event) => span.move(callAt(event), over));
  over.addEventListener('pointerleave', ({ pointerType }) => {
    // Keep the selection when a finger is lifted.
    if (pointerType === 'mouse') span.move(undefined);
  });
  over.addEventListener('dblclick', () => span.zoom(0, span.total + 1));
  over.addEventListener(
    'wheel',
    (event) => {
      // Without Ctrl or Cmd the wheel scrolls the page.
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
