/** Which calls the charts of a session show, and which one is pointed at: the same in all of them. */
export interface Span {
  readonly total: number;
  /** Edges of what is shown: half a call beside the first and the last one. */
  readonly from: number;
  readonly to: number;
  /** Number of the call that is pointed at. */
  readonly at: number | undefined;
  /** The chart that it is pointed at in. */
  readonly frame: HTMLElement | undefined;
  /** Shows another part, as far as there is one. */
  zoom(from: number, to: number): void;
  /** Makes the part smaller (below 1) or larger by a factor, round a place. */
  scale(factor: number, round?: number): void;
  /** Points at a call, and shows it. */
  move(at: number | undefined, frame?: HTMLElement): void;
  watch(listener: (change: 'zoom' | 'move') => void): void;
}

/** Fewer calls are not shown, where there are as many. */
const LEAST = 5;

export function createSpan(total: number): Span {
  const listeners: ((change: 'zoom' | 'move') => void)[] = [];
  const tell = (change: 'zoom' | 'move') => {
    for (const listener of listeners) listener(change);
  };
  const [first, last] = [0.5, total + 0.5];
  let [from, to] = [first, last];
  let at: number | undefined;
  let frame: HTMLElement | undefined;

  function zoom(wantedFrom: number, wantedTo: number): void {
    const width = Math.min(last - first, Math.max(LEAST, wantedTo - wantedFrom));
    const middle = (wantedFrom + wantedTo) / 2;
    const start = Math.max(first, Math.min(last - width, middle - width / 2));
    if (start === from && start + width === to) return;
    [from, to] = [start, start + width];
    tell('zoom');
  }

  function show(call: number): void {
    const width = to - from;
    if (call < from) zoom(call - 0.5, call - 0.5 + width);
    if (call > to) zoom(call + 0.5 - width, call + 0.5);
  }

  return {
    total,
    get from() {
      return from;
    },
    get to() {
      return to;
    },
    get at() {
      return at;
    },
    get frame() {
      return frame;
    },
    zoom,
    scale(factor, round = at ?? (from + to) / 2) {
      zoom(round - (round - from) * factor, round + (to - round) * factor);
    },
    move(wanted, where) {
      const next = wanted === undefined ? undefined : Math.max(1, Math.min(total, wanted));
      if (next === at && where === frame) return;
      at = next;
      frame = where;
      if (at !== undefined) show(at);
      tell('move');
    },
    watch: (listener) => void listeners.push(listener),
  };
}
