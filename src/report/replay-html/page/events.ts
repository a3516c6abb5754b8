import type { PageSession } from '../page-data.ts';
import type { Pen } from './pen.ts';
import type { Session } from './session.ts';
import type { Span } from './span.ts';

export const WHO: Readonly<Record<PageSession['compactions'][number]['by'], string>> = {
  claude: 'claude compacted',
  placed: 'claude compacted where ctxb had put it',
  caller: 'compacted by the caller',
  ctxb: 'ctxb compacted',
};

/** Actions that stand for trouble. */
const GRAVE: ReadonlySet<string> = new Set(['exhausted', 'unrelieved', 'give-up', 'trigger-refused', 'left-undone']);

/** Pixels that compactions keep from each other on the average, or they are only ticks. */
const APART = 8;

/** Their height then. */
const TICK = 8;

/** Names of compactions where there is little room, and the room that they need. */
const NAMES: typeof WHO = {
  claude: 'by claude',
  placed: 'by claude, as placed',
  caller: 'by the caller',
  ctxb: 'by ctxb',
};
const NAME = 125;

/** Compactions as lines from top to bottom, actions as marks above the curve. */
export function drawEvents(pen: Pen, { info }: Session, span: Span): void {
  const isShown = ({ call }: { readonly call: number }) => call + 0.5 >= span.from && call + 0.5 <= span.to;
  drawCompactions(pen, info.compactions.filter(isShown));
  drawActions(pen, info.actions.filter(isShown));
}

function drawCompactions({ box, colors, x, stroke, text }: Pen, compactions: PageSession['compactions']): void {
  const isDense = compactions.length * APART > box.width;
  const height = isDense ? TICK : box.height;
  for (const [index, { call, by }] of compactions.entries()) {
    const at = x(call + 0.5);
    stroke(
      colors.ink,
      [
        [at, box.top],
        [at, box.top + height],
      ],
      [5, 3],
    );
    const next = compactions[index + 1];
    const end = next === undefined ? box.left + box.width : x(next.call + 0.5);
    // What has no room for its name is named by the tooltip and the table.
    if (!isDense && end - at > NAME) text(colors.ink, NAMES[by], at + 5, box.top + 9);
  }
}

function drawActions({ box, colors, x, shape }: Pen, actions: PageSession['actions']): void {
  const last = { bad: Number.NEGATIVE_INFINITY, warn: Number.NEGATIVE_INFINITY };
  for (const { call, kind } of actions) {
    const at = x(call + 0.5);
    const color = GRAVE.has(kind) ? 'bad' : 'warn';
    // More than one at a place would not be seen.
    if (at - last[color] < 2) continue;
    last[color] = at;
    shape(colors[color], [
      [at - 5, box.top - 10],
      [at + 5, box.top - 10],
      [at, box.top - 1],
    ]);
  }
}
