import type uPlot from 'uplot';

/** The visible range of calls and the call under the pointer, shared by all charts of a session. */
export type Span = ReturnType<typeof createSpan>;

const MIN_CALLS = 5;

type Change = 'zoom' | 'move';

export function createSpan(total: number) {
  const [first, last] = [0.5, total + 0.5];
  const listeners: ((change: Change) => void)[] = [];
  const tell = (change: Change) => {
    for (const listener of listeners) listener(change);
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
    /** Number of the call under the pointer. */
    at: undefined as number | undefined,
    frame: undefined as HTMLElement | undefined,
    /** Limited to existing calls. */
    zoom(from: number, to: number): void {
      const width = Math.min(last - first, Math.max(MIN_CALLS, to - from));
      const start = Math.max(first, Math.min(last - width, (from + to) / 2 - width / 2));
      if (start === span.from && start + width === span.to) return;
      [span.from, span.to] = [start, start + width];
      tell('zoom');
    },
    /** Narrows (factor below 1) or widens the range around a call. */
    scale(factor: number, place?: number): void {
      const round = place ?? span.at ?? (span.from + span.to) / 2;
      span.zoom(round - (round - span.from) * factor, round + (span.to - round) * factor);
    },
    /** Moves by a number of calls from the current one, or from the edge of the range if no call is chosen. */
    step(by: number, frame: HTMLElement): void {
      span.move((span.at ?? (by > 0 ? Math.ceil(span.from) - 1 : Math.floor(span.to) + 1)) + by, frame);
    },
    move(wanted: number | undefined, frame?: HTMLElement): void {
      const at = wanted === undefined ? undefined : Math.max(1, Math.min(total, wanted));
      if (at === span.at && frame === span.frame) return;
      [span.at, span.frame] = [at, frame];
      if (at !== undefined) show(at);
      tell('move');
    },
    watch: (listener: (change: Change) => void) => void listeners.push(listener),
  };
  return span;
}

export function followKeys(frame: HTMLElement, span: Span): void {
  frame.addEventListener('keydown', (event) => {
    const tenth = Math.max(1, Math.round((span.to - span.from) / 10));
    const steps = { ArrowUp: 1, ArrowRight: 1, PageUp: tenth, End: span.total };
    const back = { ArrowDown: -1, ArrowLeft: -1, PageDown: -tenth, Home: -span.total };
    const by = new Map(Object.entries({ ...steps, ...back })).get(event.key);
    const factor = new Map([
      ['+', 0.5],
      ['=', 0.5],
      ['-', 2],
      ['0', span.total],
    ]).get(event.key);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (by !== undefined) span.step(by, frame);
    else if (factor !== undefined) span.scale(factor);
    else if (event.key === 'Escape') span.move(undefined);
    else return;
    event.preventDefault();
  });
  frame.addEventListener('blur', () => span.move(undefined));
}

/** Adds pointer control: moving selects a call, dragging zooms, a double click shows all calls. */
export function followPointer(plot: uPlot, frame: HTMLElement, span: Span): void {
  const { over } = plot;
  const callAt = ({ clientX }: MouseEvent) =>
    Math.round(plot.posToVal(clientX - over.getBoundingClientRect().left, 'x'));
  over.addEventListener('pointermove', (event) => span.move(callAt(event), frame));
  over.addEventListener('pointerdown', (event) => span.move(callAt(event), frame));
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
