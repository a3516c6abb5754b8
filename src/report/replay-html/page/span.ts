/** Which calls the charts of a session show, and which one is pointed at: the same in all of them. */
export type Span = ReturnType<typeof createSpan>;

/** Fewer calls are not shown, where there are as many. */
const LEAST = 5;

export function createSpan(total: number) {
  const [first, last] = [0.5, total + 0.5];
  const listeners: ((change: 'zoom' | 'move') => void)[] = [];
  const tell = (change: 'zoom' | 'move') => {
    for (const listener of listeners) listener(change);
  };

  function show(call: number): void {
    const width = span.to - span.from;
    if (call < span.from) span.zoom(call - 0.5, call - 0.5 + width);
    if (call > span.to) span.zoom(call + 0.5 - width, call + 0.5);
  }

  const span = {
    total,
    /** Edges of what is shown: half a call beside the first and the last one. */
    from: first,
    to: last,
    /** Number of the call that is pointed at. */
    at: undefined as number | undefined,
    /** The chart that it is pointed at in. */
    frame: undefined as HTMLElement | undefined,
    /** Shows another part, as far as there is one. */
    zoom(from: number, to: number): void {
      const width = Math.min(last - first, Math.max(LEAST, to - from));
      const start = Math.max(first, Math.min(last - width, (from + to) / 2 - width / 2));
      if (start === span.from && start + width === span.to) return;
      [span.from, span.to] = [start, start + width];
      tell('zoom');
    },
    /** Makes the part smaller (below 1) or larger by a factor, round a place. */
    scale(factor: number, place?: number): void {
      const round = place ?? span.at ?? (span.from + span.to) / 2;
      span.zoom(round - (round - span.from) * factor, round + (span.to - round) * factor);
    },
    /** Points at a call, and shows it. */
    move(wanted: number | undefined, frame?: HTMLElement): void {
      const at = wanted === undefined ? undefined : Math.max(1, Math.min(total, wanted));
      if (at === span.at && frame === span.frame) return;
      [span.at, span.frame] = [at, frame];
      if (at !== undefined) show(at);
      tell('move');
    },
    watch: (listener: (change: 'zoom' | 'move') => void) => void listeners.push(listener),
  };
  return span;
}
